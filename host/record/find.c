/* Finds runs in the folder where they are stored. Their directories are named TIME-NAME, so the newest has the last
 * name. */
#include "record/find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "record/run_data.h"

enum { STAMP = 17 /* 20261121T071503Z- */, SHOWN = 8 };

const char *find_parent(void) {
  const char *base = getenv("GPUBENCH_OUT");
  return base != NULL && base[0] != '\0' ? base : "gpubench-out";
}

static char *run_path_in(const char *dir, const char *name, const char *file) {
  return memory_print("%s/%s%s%s", dir, name, file[0] != '\0' ? "/" : "", file);
}

static bool run_file_exists(const char *dir, const char *name, const char *file) {
  struct stat info;
  SCOPED char *path = run_path_in(dir, name, file);
  return stat(path, &info) == 0;
}

bool find_is_dated(const char *name) {
  for (size_t i = 0; i < STAMP; i++) {
    char want = i == 8 ? 'T' : i == 15 ? 'Z' : i == 16 ? '-' : '0';
    if (want == '0' ? name[i] < '0' || name[i] > '9' : name[i] != want) return false;
  }
  return true;
}

static int newest_first(const void *a, const void *b) {
  return strcmp(*(char *const *)b, *(char *const *)a);
}

/* Lists the names of the dated run directories, the newest first. */
static void list_runs(const char *dir, struct strings *runs) {
  SCOPED_DIR DIR *stream = opendir(dir);
  if (stream == NULL) return;
  for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
    if (find_is_dated(entry->d_name) && run_file_exists(dir, entry->d_name, "results.csv"))
      strings_add(runs, entry->d_name);
  if (runs->count != 0) qsort(runs->items, runs->count, sizeof *runs->items, newest_first);
}

/* Returns true if the run was started with --name `name`. The directory's name may hold a truncated name or have a
 * number appended, so the full name is read from run.ini. */
static bool has_name(const char *dir, const char *run, const char *name) {
  if (strncmp(run + STAMP, name, strnlen(name, 100)) != 0) return false;
  struct run_data ini;
  struct err ignored = {0};
  SCOPED char *path = run_path_in(dir, run, "");
  const bool same = run_data_load_ini(path, &ini, &ignored) == 0 && text_same(run_data_get(&ini, "name"), name);
  run_data_free(&ini);
  return same;
}

static const char *run_named(const char *dir, const struct strings *runs, const char *name) {
  for (size_t i = 0; i < runs->count; i++)
    if (has_name(dir, runs->items[i], name)) return runs->items[i];
  return NULL;
}

/* Returns the name that the user may have meant: the name of a run, the name of a run's directory, "last" or
 * "latest". */
static const char *nearest(const struct strings *runs, const char *what) {
  SCOPED const char **names = xcalloc(2 * runs->count + 2, sizeof *names);
  size_t count = 0;
  names[count++] = "last";
  names[count++] = "latest";
  for (size_t i = 0; i < runs->count; i++) {
    names[count++] = runs->items[i] + STAMP;
    names[count++] = runs->items[i];
  }
  return strlen(what) < TEXT_SIZE ? text_nearest(what, names, count) : NULL;
}

static void run_not_found(const char *dir, const struct strings *runs, const char *what, struct err *err) {
  char list[TEXT_SIZE];
  size_t count = runs->count < SHOWN ? runs->count : SHOWN;
  const char *near = nearest(runs, what);
  if (runs->count == 0) {
    err_set(err, EXIT_USAGE, "no run '%.200s': no such file or directory, and there are no runs in %.200s", what, dir);
    return;
  }
  text_join(list, sizeof list, (const char *const *)runs->items, count);
  err_set(err, EXIT_USAGE, "no run '%.200s': no such file or directory, and none of %zu runs in %.200s: %s%s%s%.200s%s",
          what, runs->count, dir, list, runs->count > count ? ", ..." : "", near != NULL ? "; nearest '" : "",
          near != NULL ? near : "", near != NULL ? "'" : "");
}

/* Returns true if the path is an existing run: a file or a directory. A name without a slash may also be an unrelated
 * folder, so such a folder must contain results.csv. */
static bool is_run(const char *what) {
  struct stat info;
  if (stat(what, &info) != 0) return false;
  return strchr(what, '/') != NULL || !S_ISDIR(info.st_mode) || run_file_exists(what, "results.csv", "");
}

bool find_is_last(const char *what) {
  return (strcmp(what, "last") == 0 || strcmp(what, "latest") == 0) && !is_run(what);
}

/* Returns the target of the link `latest`, which a run sets when it ends (but not under CI). If there is no such link,
 * returns the newest run. */
static char *latest(const char *dir, const struct strings *runs) {
  char *path = run_path_in(dir, "latest", ""), *real = realpath(path, NULL);
  free(path);
  return real == NULL && runs->count != 0 ? run_path_in(dir, runs->items[0], "") : real;
}

static char *find_run_in(const char *dir, const char *what, struct err *err) {
  SCOPED_STRINGS struct strings runs = {0};
  list_runs(dir, &runs);
  const char *found = run_named(dir, &runs, what);
  char *path = find_is_last(what) ? latest(dir, &runs) : NULL;
  if (found == NULL && run_file_exists(dir, what, "results.csv")) found = what;
  if (path == NULL && found != NULL) path = run_path_in(dir, found, "");
  if (path == NULL) run_not_found(dir, &runs, what, err);
  return path;
}

char *find_run(const char *what, struct err *err) {
  char *path = NULL;
  if (is_run(what)) return xstrdup(what);
  if (strchr(what, '/') != NULL)
    err_set(err, EXIT_USAGE, "no run '%.400s': %s", what, strerror(errno));
  else
    path = find_run_in(find_parent(), what, err);
  if (path == NULL) text_sanitize(err->text);
  return path;
}

/* Returns true if a process still writes to the run. Such a process holds a lock on the run's directory. */
bool find_is_written(const char *path) {
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  bool written = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return written;
}

/* Returns true if the run directory `run` (named TIME-NAME) is older than `before`, a directory name or only a TIME.
 * Two directory names are compared as a whole: if two runs started in the same second, the name of the later one has a
 * number appended. */
static bool is_earlier(const char *run, const char *before) {
  size_t length = strlen(before);
  return length < STAMP ? strncmp(run, before, length) < 0 : strcmp(run, before) < 0;
}

char *find_newest(const char *before, bool (*fits)(const char *path, void *user), void *user) {
  SCOPED_STRINGS struct strings runs = {0};
  char *found = NULL;
  const char *dir = find_parent();
  list_runs(dir, &runs);
  for (size_t i = 0; i < runs.count && found == NULL; i++) {
    if (before != NULL && !is_earlier(runs.items[i], before)) continue;
    found = run_path_in(dir, runs.items[i], "");
    if (!find_is_written(found) && fits(found, user)) break;
    free(found);
    found = NULL;
  }
  return found;
}

void find_all(struct strings *paths) {
  SCOPED_STRINGS struct strings runs = {0};
  const char *dir = find_parent();
  list_runs(dir, &runs);
  for (size_t i = 0; i < runs.count; i++) {
    SCOPED char *path = run_path_in(dir, runs.items[i], "");
    strings_add(paths, path);
  }
}

int find_runs(const struct strings *names, struct strings *paths, struct err *err) {
  for (size_t i = 0; i < names->count; i++) {
    SCOPED char *path = find_run(names->items[i], err);
    if (path == NULL) return -1;
    strings_add(paths, path);
  }
  return run_data_check_different((const char *const *)paths->items, paths->count, err);
}

/* ---- Finding and reading the baseline run ---- */

enum { WISH_PARTS = 3 };

/* ---- The rows that a baseline run must have ---- */

void base_wish_add(struct base_wish *wish, const char *case_key, const char *variant, const char *mode) {
  const char *const key[WISH_PARTS] = {text_or_empty(case_key), text_or_empty(variant), text_or_empty(mode)};
  map_put(&wish->rows, key, WISH_PARTS, 0);
}

void base_wish_free(struct base_wish *wish) {
  map_free(&wish->rows);
  *wish = (struct base_wish){0};
}

static bool is_wished(const struct base_wish *wish, const struct record *record) {
  const char *const key[WISH_PARTS] = {text_or_empty(record->case_key), text_or_empty(record->variant),
                                       text_or_empty(record->mode)};
  return map_get(&wish->rows, key, WISH_PARTS) != MAP_NONE;
}

static bool is_timed(const struct record *record) {
  return record->status != NULL && strcmp(record->status, "ok") == 0 && record->median_raw_ns > 0;
}

/* ---- Loading the baseline run ---- */

static bool is_same(const char *one, const char *other) {
  struct stat a, b;
  if (one == NULL || other == NULL || stat(one, &a) != 0 || stat(other, &b) != 0) return false;
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Returns true if the run has one of the wanted rows, timed on a device of the wanted model. If the run cannot be read,
 * prints a message and returns false. */
static bool has_wished(const char *path, void *user) {
  const struct base_wish *wish = user;
  struct run_data data;
  struct err err = {0};
  bool found = false;
  if (is_same(path, wish->self)) return false;
  SCOPED char *results = memory_print("%s/results.csv", path);
  if (run_data_load(results, &data, &err) != 0)
    fprintf(stderr, "gpubench: --against passes over a run: %s\n", err.text);
  for (size_t i = 0; err.exit_code == 0 && i < data.count && !found; i++) {
    const struct record *record = &data.records[i];
    bool here = wish->device == NULL || strcmp(text_or_empty(record->device_name), wish->device) == 0;
    found = here && is_timed(record) && is_wished(wish, record);
  }
  if (err.exit_code == 0) run_data_free(&data);
  return found;
}

static int check_run_kind(const char *path, struct err *err) {
  struct stat info;
  if (stat(path, &info) != 0) return err_set(err, EXIT_USAGE, "cannot open %.1000s: %s", path, strerror(errno));
  if (S_ISDIR(info.st_mode) || S_ISREG(info.st_mode)) return 0;
  return err_set(err, EXIT_USAGE, "%.1000s is neither a directory nor a file", path);
}

static int find_base_run(const char *what, const struct base_wish *wish, char **path, struct err *err) {
  *path = NULL;
  if (find_is_last(what)) {
    struct base_wish *user = (struct base_wish *)(uintptr_t)wish;
    *path = find_newest(wish->before, has_wished, user);
    return 0;
  }
  *path = find_run(what, err);
  return *path != NULL ? 0 : -1;
}

int base_run_load(const char *what, const struct base_wish *wish, struct base_run *base, struct err *err) {
  char *path = NULL;
  *base = (struct base_run){.asked = xstrdup(what)};
  int result = find_base_run(what, wish, &path, err);
  if (result == 0 && path != NULL) {
    result = check_run_kind(path, err);
    if (result == 0) result = run_data_load_proven(path, &base->data, err);
    base->loaded = result == 0;
    base->path = realpath(path, NULL);
    if (base->path == NULL) base->path = xstrdup(path);
  }
  free(path);
  if (result == 0) return 0;
  err_context(err, "--against");
  text_sanitize(err->text);
  return -1;
}

void base_run_free(struct base_run *base) {
  if (base->loaded) run_data_free(&base->data);
  free(base->asked);
  free(base->path);
  *base = (struct base_run){0};
}

int base_run_check_other(const struct base_run *base, const char *dir, struct err *err) {
  if (!base->loaded || !is_same(base->path, dir)) return 0;
  err_set(err, EXIT_USAGE, "--against '%.200s' is the run itself: %.1000s", base->asked, base->path);
  text_sanitize(err->text);
  return -1;
}

int base_run_check_common(const struct base_run *base, const struct base_wish *wish, struct err *err) {
  if (!base->loaded) return 0;
  for (size_t i = 0; i < base->data.count; i++)
    if (is_wished(wish, &base->data.records[i])) return 0;
  const struct record *first = base->data.records;
  err_set(err, EXIT_USAGE, "--against '%.200s': %.400s has no case, variant and mode in common with this run%s%.300s",
          base->asked, base->path, base->data.count != 0 ? "; it begins with " : ": it has no rows",
          base->data.count != 0 ? text_or_empty(first->case_key) : "");
  text_sanitize(err->text);
  return -1;
}
