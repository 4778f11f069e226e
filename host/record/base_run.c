/* Finding the base and reading it. */
#include "record/base_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "record/find.h"

enum { WISH_PARTS = 3 };

/* ---- What is wished for ---- */

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

/* ---- The base ---- */

static bool is_same(const char *one, const char *other) {
  struct stat a, b;
  if (one == NULL || other == NULL || stat(one, &a) != 0 || stat(other, &b) != 0) return false;
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* A row that is wished for, timed on such a device. What cannot be read is passed over, and said. */
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

static int check_kind(const char *path, struct err *err) {
  struct stat info;
  if (stat(path, &info) != 0) return err_set(err, EXIT_USAGE, "cannot open %.1000s: %s", path, strerror(errno));
  if (S_ISDIR(info.st_mode) || S_ISREG(info.st_mode)) return 0;
  return err_set(err, EXIT_USAGE, "%.1000s is neither a directory nor a file", path);
}

static int find(const char *what, const struct base_wish *wish, char **path, struct err *err) {
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
  int result = find(what, wish, &path, err);
  if (result == 0 && path != NULL) {
    result = check_kind(path, err);
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
