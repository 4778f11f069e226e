/* Finding the base, reading it, and handing the judging to reports/compare/compare.h. */
#include "commands/against.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "commands/compare.h"
#include "record/against_csv.h"
#include "record/find.h"

enum { WISH_PARTS = 3 };

/* ---- What is wished for ---- */

void against_wish_add(struct against_wish *wish, const char *case_key, const char *variant, const char *mode) {
  const char *const key[WISH_PARTS] = {text_or_empty(case_key), text_or_empty(variant), text_or_empty(mode)};
  map_put(&wish->rows, key, WISH_PARTS, 0);
}

void against_wish_free(struct against_wish *wish) {
  map_free(&wish->rows);
  *wish = (struct against_wish){0};
}

static bool is_wished(const struct against_wish *wish, const struct record *record) {
  const char *const key[WISH_PARTS] = {text_or_empty(record->case_key), text_or_empty(record->variant),
                                       text_or_empty(record->mode)};
  return map_get(&wish->rows, key, WISH_PARTS) != MAP_NONE;
}

static bool is_timed(const struct record *record) {
  return record->status != NULL && strcmp(record->status, "ok") == 0 && record->median_raw_ns > 0;
}

/* ---- The base ---- */

bool against_is_last(const char *what) {
  return strcmp(what, "last") == 0;
}

static char *path_in(const char *dir, const char *file) {
  size_t size = strlen(dir) + strlen(file) + 2;
  char *path = xcalloc(size, 1);
  snprintf(path, size, "%s/%s", dir, file);
  return path;
}

static bool is_same(const char *one, const char *other) {
  struct stat a, b;
  if (one == NULL || other == NULL || stat(one, &a) != 0 || stat(other, &b) != 0) return false;
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* A row that is wished for, timed on such a device. What cannot be read is passed over, and said. */
static bool has_wished(const char *path, void *user) {
  const struct against_wish *wish = user;
  struct run_data data;
  struct err err = {0};
  bool found = false;
  if (is_same(path, wish->self)) return false;
  char *results = path_in(path, "results.csv");
  if (run_data_load(results, &data, &err) != 0)
    fprintf(stderr, "gpubench: --against last passes over a run: %s\n", err.text);
  for (size_t i = 0; err.exit_code == 0 && i < data.count && !found; i++) {
    const struct record *record = &data.records[i];
    bool here = wish->device == NULL || strcmp(text_or_empty(record->device_name), wish->device) == 0;
    found = here && is_timed(record) && is_wished(wish, record);
  }
  if (err.exit_code == 0) run_data_free(&data);
  free(results);
  return found;
}

static int check_kind(const char *path, struct err *err) {
  struct stat info;
  if (stat(path, &info) != 0) return err_set(err, EXIT_USAGE, "cannot open %.1000s: %s", path, strerror(errno));
  if (S_ISDIR(info.st_mode) || S_ISREG(info.st_mode)) return 0;
  return err_set(err, EXIT_USAGE, "%.1000s is neither a directory nor a file", path);
}

static int find(const char *what, const struct against_wish *wish, char **path, struct err *err) {
  *path = NULL;
  if (against_is_last(what)) {
    struct against_wish *user = (struct against_wish *)(uintptr_t)wish;
    *path = cmd_find_newest(wish->before, has_wished, user);
    return 0;
  }
  *path = cmd_find_run(what, err);
  return *path != NULL ? 0 : -1;
}

int against_load(const char *what, const struct against_wish *wish, struct against_base *base, struct err *err) {
  char *path = NULL;
  *base = (struct against_base){.asked = xstrdup(what)};
  int result = find(what, wish, &path, err);
  if (result == 0 && path != NULL) {
    result = check_kind(path, err);
    if (result == 0) result = run_data_load(path, &base->data, err);
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

void against_base_free(struct against_base *base) {
  if (base->loaded) run_data_free(&base->data);
  free(base->asked);
  free(base->path);
  *base = (struct against_base){0};
}

int against_check_other(const struct against_base *base, const char *dir, struct err *err) {
  if (!base->loaded || !is_same(base->path, dir)) return 0;
  err_set(err, EXIT_USAGE, "--against '%.200s' is the run itself: %.1000s", base->asked, base->path);
  text_sanitize(err->text);
  return -1;
}

int against_check_common(const struct against_base *base, const struct against_wish *wish, struct err *err) {
  if (!base->loaded) return 0;
  for (size_t i = 0; i < base->data.count; i++)
    if (is_wished(wish, &base->data.records[i])) return 0;
  const struct record *first = base->data.records;
  err_set(err, EXIT_USAGE,
          "--against '%.200s': %.400s has no case, variant and mode in common with what is to run%s%.300s", base->asked,
          base->path, base->data.count != 0 ? "; it begins with " : ": it has no rows",
          base->data.count != 0 ? text_or_empty(first->case_key) : "");
  text_sanitize(err->text);
  return -1;
}

/* ---- Comparing ---- */

/* One run of a report that holds several; of these no samples are known. */
static struct run_data lineup_of(const struct run_data *data, size_t run) {
  struct run_info *info = &data->runs[run];
  struct run_data lineup = *data;
  if (data->run_count == 1) return lineup;
  lineup.dir = info->dir;
  lineup.environment = info->environment;
  lineup.tags = info->tags;
  lineup.notes = info->notes;
  lineup.records = data->records + info->first;
  lineup.count = info->count;
  lineup.samples = NULL;
  lineup.sample_count = 0;
  lineup.series = (struct map){0};
  lineup.runs = info;
  lineup.run_count = 1;
  return lineup;
}

static int write_csv(const void *what, FILE *out, struct err *err) {
  return against_csv_write(what, out, err);
}

static int keep(const struct run_info *info, struct err *err) {
  if (info->dir == NULL) return 0;
  char *path = path_in(info->dir, AGAINST_FILE);
  int result = output_write(path, write_csv, info->against, err);
  free(path);
  return result;
}

static int add_run(struct run_data *data, size_t run, const char *path, const struct against_base *base,
                   const struct options *options, struct err *verdict, struct err *err) {
  const struct compare_options how = compare_options_of(options);
  const struct run_data lineup = lineup_of(data, run);
  const struct compare_input from = {base->path, &base->data}, to = {path, &lineup};
  struct compare compare;
  compare_build(&how, &from, &to, 1, &compare);
  against_free(data->runs[run].against);
  data->runs[run].against = against_make(&compare, base->asked);
  int result = keep(&data->runs[run], err);
  if (result == 0) compare_gate(&compare, options, verdict);
  compare_free(&compare);
  return result;
}

int against_add(struct run_data *data, const char *path, const struct against_base *base, const struct options *options,
                struct err *verdict, struct err *err) {
  for (size_t i = 0; base->loaded && i < data->run_count; i++)
    if (add_run(data, i, path, base, options, verdict, err) != 0) return -1;
  return 0;
}
