/* Reads and writes the file in which the ceilings of a device (its highest rates) are remembered. The file has the form
 * of a run.ini. Section [environment] says for which device and settings the figures hold, and section [tags] has the
 * figures. */
#include "ceilings/user_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "record/run_load.h"
#include "resume/run_ini.h"

enum { FILE_MOST = 64 * 1024 };
static const double value_most = 1e9; /* GB/s or TFLOP/s; no device reaches that */

/* ---- The path ---- */

bool remembered_path(const char *device, char *to, size_t size) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  const bool given = cache != NULL && cache[0] == '/';
  char name[2 * ID_SIZE];
  if (!given && (home == NULL || home[0] != '/')) return false;
  text_copy(name, sizeof name, device);
  for (char *c = name; *c != '\0'; c++)
    if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", *c) == NULL) *c = '_';
  const int length =
      snprintf(to, size, "%s%s/gpubench/ceilings-%s.ini", given ? cache : home, given ? "" : "/.cache", name);
  return length > 0 && (size_t)length < size;
}

/* ---- Reading ---- */

static FILE *open_own(const char *path) {
  struct stat info;
  const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  const bool own = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
                   info.st_size > 0 && info.st_size <= FILE_MOST;
  FILE *file = own ? fdopen(fd, "r") : NULL;
  if (file == NULL && fd >= 0) close(fd);
  return file;
}

/* Reads the file as if it were the run.ini of one run, into `environment` and `tags` of that run. The caller frees
 * `data`, even after a failure. */
static bool load_cache(const char *path, struct run_data *data) {
  struct err ignored = {0};
  SCOPED_FILE FILE *file = open_own(path);
  *data = (struct run_data){.runs = xcalloc(1, sizeof *data->runs), .run_count = 1};
  return file != NULL && run_file_ini(file, path, data, &ignored) == 0;
}

bool remembered_is_fresh(const char *path, int64_t now_s) {
  struct stat info;
  return lstat(path, &info) == 0 && S_ISREG(info.st_mode) && now_s - (int64_t)info.st_mtime < REMEMBERED_S;
}

static bool same_key(const struct pairs *key, const struct pairs *there) {
  bool same = key->count == there->count;
  for (size_t i = 0; i < key->count && same; i++)
    same =
        strcmp(key->items[i].name, there->items[i].name) == 0 && text_same(key->items[i].value, there->items[i].value);
  return same;
}

/* Returns the value of a tag about a ceiling (a highest rate of the device), such as "copy_ceiling_gb_per_s.variant";
 * "" if there is no such tag. */
static const char *figure_tag(const struct pairs *pairs, size_t index, const char *what) {
  char name[2 * ID_SIZE];
  snprintf(name, sizeof name, "%s%s", ceiling_names[index], what);
  return text_or_empty(pairs_get(pairs, name));
}

static void take_figure(const struct pairs *pairs, size_t index, int64_t now_s, struct remembered *figure) {
  const char *value = figure_tag(pairs, index, ""), *measured = figure_tag(pairs, index, ".measured_s");
  char *value_end, *measured_end;
  errno = 0;
  const double number = strtod(value, &value_end);
  const long long measured_s = strtoll(measured, &measured_end, 10);
  const bool whole = value_end != value && *value_end == '\0' && measured_end != measured && *measured_end == '\0';
  if (!whole || errno != 0 || !(number > 0 && number <= value_most)) return;
  if (measured_s < 0 || measured_s > now_s || now_s - measured_s >= REMEMBERED_S) return;
  if (!text_copy(figure->variant, sizeof figure->variant, figure_tag(pairs, index, ".variant"))) return;
  text_copy(figure->run_id, sizeof figure->run_id, figure_tag(pairs, index, ".run"));
  text_sanitize(figure->run_id);
  figure->measured_s = measured_s;
  figure->value = number;
}

void remembered_read(const char *path, const struct pairs *key, int64_t now_s, struct remembered figures[CEILINGS]) {
  struct run_data data;
  const bool read = load_cache(path, &data);
  const bool holds = read && same_key(key, &data.runs[0].environment);
  for (size_t i = 0; i < CEILINGS; i++) {
    figures[i] = (struct remembered){.value = NAN};
    if (holds) take_figure(&data.runs[0].tags, i, now_s, &figures[i]);
  }
  run_data_free(&data);
}

/* ---- Writing ---- */

struct writing {
  const struct pairs *environment, *tags;
};

static int write_cache(const void *what, FILE *out, struct err *err) {
  const struct writing *writing = what;
  (void)err;
  fputs("; Ceilings of a device, which gpubench measured: what they hold for, and the figures. It may be deleted.\n\n",
        out);
  run_ini_write_pairs(out, "environment", writing->environment);
  run_ini_write_pairs(out, "tags", writing->tags);
  return 0;
}

/* Creates the folders above the file. Existing folders keep their mode. */
static void make_folders(const char *path) {
  SCOPED char *folder = xstrdup(path);
  for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(folder, 0700);
    *slash = '/';
  }
}

static int store_cache(const char *path, const struct pairs *environment, const struct pairs *tags, struct err *err) {
  const struct writing writing = {environment, tags};
  struct stat info;
  make_folders(path);
  if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode))
    return err_set(err, EXIT_FAILED, "%.500s is no regular file", path);
  return output_write(path, write_cache, &writing, err);
}

int remembered_write(const char *path, const struct pairs *key, const struct remembered figures[CEILINGS],
                     struct err *err) {
  struct pairs tags = {0};
  char name[2 * ID_SIZE];
  for (size_t i = 0; i < CEILINGS; i++) {
    const struct remembered *figure = &figures[i];
    if (isnan(figure->value)) continue;
    pairs_add(&tags, ceiling_names[i], "%.17g", figure->value);
    snprintf(name, sizeof name, "%s.variant", ceiling_names[i]);
    pairs_add_text(&tags, name, figure->variant);
    snprintf(name, sizeof name, "%s.measured_s", ceiling_names[i]);
    pairs_add(&tags, name, "%lld", (long long)figure->measured_s);
    snprintf(name, sizeof name, "%s.run", ceiling_names[i]);
    pairs_add_text(&tags, name, figure->run_id);
  }
  const int rc = store_cache(path, key, &tags, err);
  pairs_free(&tags);
  return rc;
}
