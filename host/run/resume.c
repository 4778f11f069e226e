/* Interrupted runs. Knows the files of a run and what makes a case complete; starts nothing. */
#include "run/resume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/build_label.h"
#include "record/csv.h"
#include "record/csv_read.h"

static void file_path(const struct rundir *dir, const char *name, char *to, size_t size) {
  snprintf(to, size, "%s/%s", dir->path, name);
}

/* ---- run.ini ---- */

/* "name = value" as run_ini_write() has it. */
static void take_pair(struct pairs *pairs, char *line) {
  char *equals = strstr(line, " = ");
  if (equals == NULL) return;
  *equals = '\0';
  text_percent_decode(equals + 3);
  pairs_add_text(pairs, line, equals + 3);
}

static int read_ini(struct resume *r, const struct rundir *dir, struct err *err) {
  char path[sizeof dir->path + 64], *line = NULL;
  size_t size = 0;
  struct pairs *section = NULL;
  file_path(dir, rundir_file_name(FILE_RESULTS), path, sizeof path);
  if (access(path, F_OK) != 0)
    return err_set(err, EXIT_USAGE, "%s is not a run directory: %s", dir->path, strerror(errno));
  file_path(dir, "run.ini", path, sizeof path);
  FILE *in = fopen(path, "re");
  if (in == NULL && errno == ENOENT)
    return err_set(err, EXIT_USAGE, "%s has no run.ini: it ended before it had a plan, there is nothing to resume",
                   dir->path);
  if (in == NULL) return err_set(err, EXIT_USAGE, "%s: %s", path, strerror(errno));
  while (getline(&line, &size, in) > 0) {
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '[')
      section = strcmp(line, "[environment]") == 0 ? &r->environment : strcmp(line, "[tags]") == 0 ? &r->tags : NULL;
    else if (section != NULL)
      take_pair(section, line);
  }
  free(line);
  fclose(in);
  return 0;
}

const char *resume_get(const struct resume *r, const char *name) {
  return pairs_get(&r->environment, name);
}

/* ---- results.csv ---- */

/* All of a file, with a NUL behind it; NULL where there is none. */
static char *read_file(const char *path, size_t *size) {
  FILE *in = fopen(path, "re");
  char *text = NULL;
  size_t got, room = 0;
  *size = 0;
  if (in == NULL) return NULL;
  do {
    room = room ? 2 * room : 1 << 16;
    text = xrealloc(text, room + 1, 1);
    got = fread(text + *size, 1, room - *size, in);
    *size += got;
  } while (got > 0);
  text[*size] = '\0';
  fclose(in);
  return text;
}

/* A row ends at a line end that no quotation marks enclose. */
static void find_ends(struct resume *r) {
  bool quoted = false;
  for (size_t i = 0; i < r->size; i++) {
    if (r->text[i] == '"') quoted = !quoted;
    if (quoted || r->text[i] != '\n') continue;
    r->ends = xgrow(r->ends, r->end_count, sizeof *r->ends);
    r->ends[r->end_count++] = i + 1;
  }
}

static char *header_text(void) {
  struct memory_text header;
  struct err ignored = {0};
  csv_write_header(memory_text_begin(&header), &ignored);
  return memory_text_end(&header);
}

static int check_header(const struct resume *r, const char *path, struct err *err) {
  char *header = header_text();
  bool same = strlen(header) == r->ends[0] && memcmp(header, r->text, r->ends[0]) == 0;
  free(header);
  return same ? 0 : err_set(err, EXIT_USAGE, "%s has other columns than this version of gpubench writes", path);
}

static int read_results(struct resume *r, const struct rundir *dir, struct err *err) {
  char path[sizeof dir->path + 64];
  file_path(dir, rundir_file_name(FILE_RESULTS), path, sizeof path);
  r->text = read_file(path, &r->size);
  if (r->text == NULL) return err_set(err, EXIT_USAGE, "%s: %s: not a run directory", path, strerror(errno));
  find_ends(r);
  if (r->end_count == 0) return 0; /* it died writing the header */
  return check_header(r, path, err) == 0 && run_data_load(path, &r->data, err) == 0 ? 0 : -1;
}

int resume_load(const char *path, struct rundir *dir, struct resume *r, struct err *err) {
  *r = (struct resume){0};
  if (rundir_open(path, dir, err) != 0 || read_ini(r, dir, err) != 0 || read_results(r, dir, err) != 0) return -1;
  if (r->end_count <= r->data.count + 1) return 0;
  return err_set(err, EXIT_USAGE, "%s/%s: empty lines between its rows: not as gpubench left it", dir->path,
                 rundir_file_name(FILE_RESULTS));
}

void resume_free(struct resume *r) {
  pairs_free(&r->environment);
  pairs_free(&r->tags);
  run_data_free(&r->data);
  free(r->text);
  free(r->ends);
  for (size_t i = 0; i < r->case_count; i++)
    free(r->cases[i].rows);
  free(r->cases);
  free(r->epochs_used);
  *r = (struct resume){0};
}

static size_t row_count(const struct resume *r) {
  return r->end_count > 0 ? r->end_count - 1 : 0;
}

/* ---- May it go on? ---- */

void resume_plugin_name(const struct catalog_plugin *plugin, char *to, size_t size) {
  char shown[2 * ID_SIZE];
  label_show(shown, sizeof shown, plugin->desc.id, plugin->label);
  snprintf(to, size, "plugin.%s", shown);
}

void resume_plugin_text(const struct catalog_plugin *plugin, char *to, size_t size) {
  const struct plugin_desc *desc = &plugin->desc;
  snprintf(to, size, "sha256 %s, ABI %u.%u, version %s%s%s", plugin->sha256, desc->abi_built >> 16,
           desc->abi_built & 0xFFFF, desc->version, desc->build[0] ? ", build " : "", desc->build);
}

void resume_setting_name(const struct catalog_plugin *plugin, const struct catalog_setting *setting, char *to,
                         size_t size) {
  char shown[2 * ID_SIZE];
  label_show(shown, sizeof shown, plugin->desc.id, plugin->label);
  snprintf(to, size, "setting.%s.%s", shown, setting->desc.name);
}

static int same(const char *what, const char *recorded, const char *now, struct err *err) {
  if (recorded == NULL) recorded = "";
  if (strcmp(recorded, now) == 0) return 0;
  return err_set(err, EXIT_USAGE, "cannot resume: %s was '%.700s', now it is '%.700s'", what, recorded, now);
}

static const char *value_of(const struct pairs *pairs, const char *name) {
  return text_or_empty(pairs_get(pairs, name));
}

static int same_settings(const struct resume *r, const struct catalog_plugin *plugin, struct err *err) {
  for (uint32_t i = 0; i < plugin->desc.setting_count; i++) {
    char name[RESUME_PLUGIN_SIZE + ID_SIZE];
    resume_setting_name(plugin, &plugin->settings[i], name, sizeof name);
    if (same(name, resume_get(r, name), plugin->settings[i].value.text, err) != 0) return -1;
  }
  return 0;
}

/* What run.ini has of a device of several: under its number, or what all have in common. */
static const char *device_value(const struct resume *r, size_t number, const char *name) {
  char key[ID_SIZE];
  snprintf(key, sizeof key, "device.%zu.%s", number, name);
  const char *own = resume_get(r, key);
  return own != NULL ? own : resume_get(r, name);
}

static int same_devices(const struct resume *r, const struct resume_device *devices, size_t count, struct err *err) {
  const char *recorded = resume_get(r, "devices");
  char what[64], number[32];
  snprintf(number, sizeof number, "%zu", count);
  if (same("the number of devices", recorded != NULL ? recorded : "1", number, err) != 0) return -1;
  if (count == 1) return same("the device", resume_get(r, "device_name"), devices[0].name, err);
  for (size_t i = 0; i < count; i++) {
    const char *id = device_value(r, i + 1, "id");
    snprintf(what, sizeof what, "device %zu", i + 1);
    if (id == NULL || devices[i].id == NULL) continue; /* never used, or of no use now: it has rows of no other */
    if (same(what, device_value(r, i + 1, "device_name"), devices[i].name, err) != 0) return -1;
    if (same(what, id, devices[i].id, err) != 0) return -1;
  }
  return 0;
}

int resume_check(const struct resume *r, const struct pairs *environment, const struct catalog *catalog,
                 const struct resume_device *devices, size_t device_count, struct err *err) {
  static const char *const own[] = {"gpubench_version", "gpubench_build"};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    if (same(own[i], resume_get(r, own[i]), value_of(environment, own[i]), err) != 0) return -1;
  if (same_devices(r, devices, device_count, err) != 0) return -1;
  for (size_t i = 0; i < catalog->count; i++) {
    char name[RESUME_PLUGIN_SIZE], text[4 * TEXT_SIZE];
    resume_plugin_name(&catalog->plugins[i], name, sizeof name);
    resume_plugin_text(&catalog->plugins[i], text, sizeof text);
    if (same(name, resume_get(r, name), text, err) != 0) return -1;
    if (same_settings(r, &catalog->plugins[i], err) != 0) return -1;
  }
  return 0;
}

/* ---- Which cases are complete? ---- */

/* `id`: of its device; NULL: of any. */
static bool is_row_of(const struct record *row, const struct plan_case *p, const char *variant, const char *id) {
  return (id == NULL || strcmp(text_or_empty(row->devices), id) == 0) &&
         strcmp(text_or_empty(row->case_key), p->key) == 0 &&
         strcmp(text_or_empty(row->mode), mode_name(p->mode)) == 0 && strcmp(text_or_empty(row->variant), variant) == 0;
}

/* SIZE_MAX: there is none. Rows mostly stand in the plan's order: `*next` is the first that is looked at. */
static size_t find_row(const struct resume *r, const struct plan_case *p, const char *variant, const char *id,
                       size_t *next) {
  size_t count = row_count(r);
  for (size_t i = 0; i < count; i++) {
    size_t row = (*next + i) % count;
    if (!is_row_of(&r->data.records[row], p, variant, id)) continue;
    *next = (row + 1) % count;
    return row;
  }
  return SIZE_MAX;
}

static bool is_over(const struct record *row) {
  return strcmp(text_or_empty(row->status), "not_run") != 0 &&
         strcmp(text_or_empty(row->stop_reason), "interrupted") != 0;
}

static void match_case(const struct resume *r, const struct plan_case *p, const char *id, struct resume_case *c,
                       size_t *next, size_t *matched) {
  c->rows = xcalloc(p->variant_count + 1, sizeof *c->rows);
  c->complete = true;
  for (size_t v = 0; v < p->variant_count; v++) {
    c->rows[v] = find_row(r, p, p->variants[v].name, id, next);
    *matched += c->rows[v] != SIZE_MAX;
    c->complete = c->complete && c->rows[v] != SIZE_MAX && is_over(&r->data.records[c->rows[v]]);
  }
}

static int other_plan(const struct resume *r, const struct plan *plan, struct err *err) {
  for (size_t row = 0; row < row_count(r); row++) {
    const struct record *record = &r->data.records[row];
    bool planned = false;
    for (size_t i = 0; i < plan->count && !planned; i++)
      for (size_t v = 0; v < plan->cases[i].variant_count && !planned; v++)
        planned = is_row_of(record, &plan->cases[i], plan->cases[i].variants[v].name, NULL);
    if (!planned)
      return err_set(err, EXIT_USAGE, "cannot resume: results.csv has %.500s %.130s %.40s, which is not in the plan",
                     text_or_empty(record->case_key), text_or_empty(record->variant), text_or_empty(record->mode));
  }
  return err_set(err, EXIT_USAGE, "cannot resume: results.csv has a row twice");
}

/* ---- Epochs ---- */

enum { SAMPLE_CASE = 0, SAMPLE_MODE = 2, SAMPLE_EPOCH = 3, SAMPLE_FIELDS = 7 };

struct epochs {
  struct resume *resume;
  const struct plan *plan;
  size_t last; /* case of the row before */
};

static int samples_header(void *user, char **fields, size_t count, struct err *err) {
  (void)user, (void)fields;
  return count == SAMPLE_FIELDS ? 0 : err_set(err, EXIT_USAGE, "not the columns of samples.csv");
}

static int samples_row(void *user, char **fields, size_t count, bool complete, struct err *err) {
  (void)count, (void)err;
  struct epochs *e = user;
  if (!complete) return 0;
  csv_unguard(fields[SAMPLE_CASE]);
  unsigned long epoch = strtoul(fields[SAMPLE_EPOCH], NULL, 10);
  for (size_t i = 0; i < e->plan->count; i++) {
    size_t at = (e->last + i) % e->plan->count;
    const struct plan_case *p = &e->plan->cases[at];
    if (strcmp(fields[SAMPLE_CASE], p->key) != 0 || strcmp(fields[SAMPLE_MODE], mode_name(p->mode)) != 0) continue;
    uint32_t *used = &e->resume->epochs_used[at];
    if (epoch > *used && epoch < UINT32_MAX) *used = (uint32_t)epoch;
    e->last = at;
    break;
  }
  return 0;
}

static int find_epochs(struct resume *r, const struct rundir *dir, const struct plan *plan, struct err *err) {
  char path[sizeof dir->path + 64];
  struct epochs epochs = {r, plan, 0};
  const struct csv_handler handler = {samples_header, samples_row, &epochs};
  bool torn;
  file_path(dir, rundir_file_name(FILE_SAMPLES), path, sizeof path);
  size_t size;
  char *text = read_file(path, &size); /* may be cut within its header, which is no error here */
  bool headed = text != NULL && memchr(text, '\n', size) != NULL;
  free(text);
  if (!headed || csv_read(path, &handler, &torn, err) == 0) return 0;
  err->exit_code = EXIT_USAGE;
  return -1;
}

/* The device's as it was recorded: one that cannot be used now has its rows all the same. */
static const char *recorded_id(const struct resume *r, size_t number, const struct resume_device *device) {
  const char *id = device_value(r, number, "id");
  return id != NULL ? id : device->id;
}

int resume_match(struct resume *r, const struct rundir *dir, const struct plan *plan,
                 const struct resume_device *devices, size_t device_count, struct err *err) {
  size_t next = 0, matched = 0;
  r->case_count = plan->count * device_count;
  r->cases = xcalloc(r->case_count, sizeof *r->cases);
  r->epochs_used = xcalloc(plan->count, sizeof *r->epochs_used);
  for (size_t i = 0; i < r->case_count; i++) {
    size_t device = i / plan->count;
    const char *id = device_count > 1 ? recorded_id(r, device + 1, &devices[device]) : NULL;
    if (device_count > 1 && id == NULL) id = ""; /* it was never of use: no row is its own */
    match_case(r, &plan->cases[i % plan->count], id, &r->cases[i], &next, &matched);
  }
  if (matched != row_count(r)) return other_plan(r, plan, err);
  return find_epochs(r, dir, plan, err);
}

/* ---- Repair ---- */

/* Everything up to the last line end. */
static size_t whole_rows(const char *text, size_t size) {
  while (size > 0 && text[size - 1] != '\n')
    size--;
  return size;
}

/* Opens a file to go on behind its last complete row; one that has not even a header is made anew. */
static int take_up(struct rundir *dir, enum run_file which, struct err *err) {
  char path[sizeof dir->path + 64];
  size_t size;
  file_path(dir, rundir_file_name(which), path, sizeof path);
  char *text = read_file(path, &size);
  bool there = text != NULL;
  size = there ? whole_rows(text, size) : 0;
  free(text);
  if (size > 0) return rundir_attach(dir, which, (int64_t)size, err);
  if (!there && which >= FILE_GRAPH) return 0;
  if (there && remove(path) != 0) return err_set(err, EXIT_FAILED, "%s: %s", path, strerror(errno));
  return which >= FILE_GRAPH ? 0 : rundir_make(dir, which, err);
}

/* The rows of complete cases, as they are. */
static char *kept_rows(const struct resume *r, const struct plan *plan, size_t *size) {
  struct memory_text rows;
  char *header = header_text();
  bool *keep = xcalloc(row_count(r) + 1, sizeof *keep);
  for (size_t i = 0; i < r->case_count; i++)
    for (size_t v = 0; r->cases[i].complete && v < plan->cases[i % plan->count].variant_count; v++)
      keep[r->cases[i].rows[v]] = true;
  FILE *out = memory_text_begin(&rows);
  fputs(header, out);
  for (size_t row = 0; row < row_count(r); row++)
    if (keep[row]) fwrite(r->text + r->ends[row], 1, r->ends[row + 1] - r->ends[row], out);
  free(header);
  free(keep);
  char *text = memory_text_end(&rows);
  *size = rows.size;
  return text;
}

/* Written anew unless they are the beginning of what is there. */
static int repair_results(const struct resume *r, struct rundir *dir, const struct plan *plan, struct err *err) {
  size_t size;
  char *text = kept_rows(r, plan, &size);
  bool begins = size <= r->size && memcmp(text, r->text, size) == 0;
  int rc = begins ? 0 : rundir_put(dir, rundir_file_name(FILE_RESULTS), text, size, err);
  free(text);
  return rc == 0 ? rundir_attach(dir, FILE_RESULTS, (int64_t)size, err) : -1;
}

int resume_repair(const struct resume *r, struct rundir *dir, const struct plan *plan, struct err *err) {
  for (enum run_file i = FILE_SAMPLES; i < RUN_FILE_COUNT; i++)
    if (take_up(dir, i, err) != 0) return -1;
  return repair_results(r, dir, plan, err);
}
