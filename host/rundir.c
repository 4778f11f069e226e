/* Files of a run. Knows their names; the CSV format is reports/csv.h's. */
#include "rundir.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "reports/csv.h"

enum { PARENT_LONGEST = 3800 }; /* leaves room for the run's own name */

static int failed(struct err *err, const char *what) {
  return err_set(err, EXIT_FAILED, "%s: %s", what, strerror(errno));
}

static FILE *open_in(const struct rundir *dir, const char *name, struct err *err) {
  char path[sizeof dir->path + 64];
  snprintf(path, sizeof path, "%s/%s", dir->path, name);
  FILE *file = fopen(path, "wbx");
  if (file == NULL) failed(err, path);
  return file;
}

/* Every folder of the path that is missing. */
static int make_folders(const char *path, struct err *err) {
  char part[4096];
  if (!text_copy(part, sizeof part, path)) return err_set(err, EXIT_FAILED, "%s: path too long", path);
  for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
    if (slash != NULL) *slash = '\0';
    if (mkdir(part, 0777) != 0 && errno != EEXIST) return failed(err, part);
    if (slash == NULL) return 0;
    *slash = '/';
  }
}

static int write_ignore(const char *parent, struct err *err) {
  char path[4096 + 16];
  snprintf(path, sizeof path, "%s/.gitignore", parent);
  FILE *file = fopen(path, "wx");
  if (file == NULL) return errno == EEXIST ? 0 : failed(err, path);
  fputs("*\n", file);
  return fclose(file) == 0 ? 0 : failed(err, path);
}

/* TIME-NAME, with a number behind it when two runs start in one second. */
static int make_dated(struct rundir *dir, const char *name, struct err *err) {
  char stamp[32];
  time_t now = time(NULL);
  const char *base = getenv("GPUBENCH_OUT");
  text_copy(dir->parent, sizeof dir->parent, base && base[0] ? base : "gpubench-out");
  if (strlen(dir->parent) > PARENT_LONGEST)
    return err_set(err, EXIT_USAGE, "GPUBENCH_OUT is longer than %d bytes", PARENT_LONGEST);
  if (make_folders(dir->parent, err) != 0 || write_ignore(dir->parent, err) != 0) return -1;
  strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", gmtime(&now));
  for (int attempt = 1; attempt < 1000; attempt++) {
    char suffix[16] = "";
    if (attempt > 1) snprintf(suffix, sizeof suffix, "-%d", attempt);
    snprintf(dir->run_id, sizeof dir->run_id, "%s-%.128s%s", stamp, name, suffix);
    if (snprintf(dir->path, sizeof dir->path, "%.*s/%s", PARENT_LONGEST, dir->parent, dir->run_id) < 0) break;
    if (mkdir(dir->path, 0777) == 0) return 0;
    if (errno != EEXIST) break;
  }
  return failed(err, dir->path);
}

static int make_exact(struct rundir *dir, const char *out, struct err *err) {
  char parent[4096];
  if (!text_copy(dir->path, sizeof dir->path, out))
    return err_set(err, EXIT_USAGE, "--out %.200s...: path too long", out);
  size_t length = strlen(dir->path);
  while (length > 1 && dir->path[length - 1] == '/')
    dir->path[--length] = '\0';
  char *slash = strrchr(dir->path, '/');
  text_copy(dir->run_id, sizeof dir->run_id, slash ? slash + 1 : dir->path);
  text_copy(parent, sizeof parent, dir->path);
  if (slash != NULL && slash != dir->path) {
    parent[slash - dir->path] = '\0';
    if (make_folders(parent, err) != 0) return -1;
  }
  if (mkdir(dir->path, 0777) == 0) return 0;
  if (errno == EEXIST) return err_set(err, EXIT_USAGE, "--out %s exists; a run makes its directory", dir->path);
  return failed(err, dir->path);
}

static int make_temporary(struct rundir *dir, const char *name, struct err *err) {
  const char *base = getenv("TMPDIR");
  snprintf(dir->path, sizeof dir->path, "%.*s/gpubench-XXXXXX", PARENT_LONGEST, base && base[0] == '/' ? base : "/tmp");
  text_copy(dir->run_id, sizeof dir->run_id, name);
  dir->temporary = true;
  return mkdtemp(dir->path) != NULL ? 0 : failed(err, dir->path);
}

int rundir_create(const struct rundir_options *options, struct rundir *dir, struct err *err) {
  *dir = (struct rundir){0};
  int rc = options->temporary ? make_temporary(dir, options->name, err)
           : options->out     ? make_exact(dir, options->out, err)
                              : make_dated(dir, options->name, err);
  if (rc != 0) return -1;
  dir->results = open_in(dir, "results.csv", err);
  dir->samples = open_in(dir, "samples.csv", err);
  dir->slots = open_in(dir, "slots.csv", err);
  if (dir->results == NULL || dir->samples == NULL || dir->slots == NULL) return -1;
  if (csv_write_header(dir->results, err) != 0 || csv_write_samples_header(dir->samples, err) != 0) return -1;
  return csv_write_slots_header(dir->slots, err);
}

static int add_slot(struct rundir *dir, const struct record *record, const struct slot *slot, struct err *err) {
  const struct csv_series series = {record->case_key, record->variant, record->mode};
  if (csv_write_samples(dir->samples, &series, slot, err) != 0) return err_context(err, "%s/samples.csv", dir->path);
  if (csv_write_slot(dir->slots, &series, slot, err) != 0) return err_context(err, "%s/slots.csv", dir->path);
  return 0;
}

int rundir_add(struct rundir *dir, const struct record *records, size_t count, const struct case_result *result,
               struct err *err) {
  for (size_t i = 0; i < count; i++) {
    const struct variant_result *v = &result->variants[i];
    for (size_t s = 0; s < v->slot_count; s++)
      if (add_slot(dir, &records[i], &v->slots[s], err) != 0) return -1;
    if (csv_write_record(dir->results, &records[i], err) != 0) return err_context(err, "%s/results.csv", dir->path);
  }
  return 0;
}

/* ---- run.ini ---- */

/* Any text: what INI would take for its own is percent-encoded, `also` what a list would, and spaces that would be
 * trimmed. */
static void write_text(FILE *file, const char *text, const char *also) {
  size_t size = 3 * strlen(text) + 1;
  char *encoded = xcalloc(size, 1);
  bool edge = text[0] == ' ' || (text[0] != '\0' && text[strlen(text) - 1] == ' ');
  char special[8];
  snprintf(special, sizeof special, ";%s%s", also, edge ? " " : "");
  text_percent_encode(encoded, size, text, special);
  fputs(encoded, file);
  free(encoded);
}

static void write_key(FILE *file, const char *name, const char *value) {
  fprintf(file, "%s = ", name);
  write_text(file, value, "");
  fputc('\n', file);
}

static void write_pairs(FILE *file, const char *section, const struct pairs *pairs) {
  fprintf(file, "[%s]\n", section);
  for (size_t i = 0; i < pairs->names.count; i++)
    write_key(file, pairs->names.items[i], pairs->values.items[i]);
  fputc('\n', file);
}

static bool first_of_plugin(const struct plan_case *p, size_t index) {
  if (p->variants[index].plugin == p->plugin) return false;
  for (size_t i = 0; i < index; i++)
    if (p->variants[i].plugin == p->variants[index].plugin) return false;
  return true;
}

static void write_case(FILE *file, const struct plan_case *p, size_t number, const struct catalog *catalog) {
  fprintf(file, "[case-%zu]\nplugin = ", number);
  write_text(file, catalog->plugins[p->plugin].path, ",");
  for (size_t i = 0; i < p->variant_count; i++) {
    if (!first_of_plugin(p, i)) continue;
    fputs(", ", file);
    write_text(file, catalog->plugins[p->variants[i].plugin].path, ",");
  }
  fprintf(file, "\ncase = %s\nvariant = ", p->key);
  for (size_t i = 0; i < p->variant_count; i++)
    fprintf(file, "%s%s", i ? ", " : "", p->variants[i].name);
  fputc('\n', file);
  if (p->baseline < p->variant_count) fprintf(file, "baseline = %s\n", p->variants[p->baseline].name);
  if (!isnan(p->precision)) fprintf(file, "precision = %.9g\n", p->precision);
  if (!isnan(p->case_time_s)) fprintf(file, "case_time = %.9gs\n", p->case_time_s);
  fprintf(file, "mode = cold\n\n");
}

int rundir_write_ini(struct rundir *dir, const struct pairs *environment, const struct pairs *tags,
                     const struct plan *plan, const struct catalog *catalog, struct err *err) {
  char path[sizeof dir->path + 64], draft[sizeof path + 8];
  snprintf(path, sizeof path, "%s/run.ini", dir->path);
  snprintf(draft, sizeof draft, "%s.new", path);
  FILE *file = fopen(draft, "w");
  if (file == NULL) return failed(err, draft);
  fprintf(file, "; A gpubench run. As a suite it repeats the run: gpubench --suite run.ini\n\n");
  write_pairs(file, "environment", environment);
  write_pairs(file, "tags", tags);
  for (size_t i = 0, number = 1; i < plan->count; i++)
    if (!plan->cases[i].yardstick) write_case(file, &plan->cases[i], number++, catalog);
  bool bad = ferror(file) != 0;
  if (fclose(file) != 0 || bad || rename(draft, path) != 0) return failed(err, path);
  return 0;
}

/* ---- The end ---- */

static int close_file(FILE **file, const struct rundir *dir, struct err *err) {
  int rc = 0;
  if (*file != NULL && (fsync(fileno(*file)) != 0 && errno != EINVAL)) rc = failed(err, dir->path);
  if (*file != NULL && fclose(*file) != 0) rc = failed(err, dir->path);
  *file = NULL;
  return rc;
}

static void point_latest(const struct rundir *dir) {
  char latest[4200], draft[4300];
  snprintf(latest, sizeof latest, "%s/latest", dir->parent);
  snprintf(draft, sizeof draft, "%s/.latest-%d", dir->parent, (int)getpid());
  if (symlink(dir->run_id, draft) == 0 && rename(draft, latest) != 0) unlink(draft); /* a convenience, no result */
}

int rundir_close(struct rundir *dir, struct err *err) {
  int rc = close_file(&dir->results, dir, err);
  if (close_file(&dir->samples, dir, err) != 0) rc = -1;
  if (close_file(&dir->slots, dir, err) != 0) rc = -1;
  if (rc == 0 && dir->parent[0] != '\0' && getenv("CI") == NULL) point_latest(dir);
  return rc;
}

void rundir_discard(struct rundir *dir) {
  static const char *const names[] = {"results.csv", "samples.csv", "slots.csv", "run.ini", "report.html"};
  struct err ignored = {0};
  close_file(&dir->results, dir, &ignored);
  close_file(&dir->samples, dir, &ignored);
  close_file(&dir->slots, dir, &ignored);
  if (!dir->temporary) return;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char path[sizeof dir->path + 64];
    snprintf(path, sizeof path, "%s/%s", dir->path, names[i]);
    unlink(path);
  }
  rmdir(dir->path);
}
