/* From shards to a run directory. */
#include "merge/merge.h"

#include <string.h>
#include <sys/stat.h>

#include "merge/files.h"
#include "model/row_status.h"

static bool is_shard(const char *path) {
  struct stat info;
  struct pairs environment = {0};
  struct err ignored = {0};
  if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) return false;
  const bool shard =
      run_data_load_environment(path, &environment, &ignored) == 0 && pairs_get(&environment, "shard") != NULL;
  pairs_free(&environment);
  return shard;
}

bool merge_are_shards(const struct strings *paths) {
  for (size_t i = 0; i < paths->count; i++)
    if (!is_shard(paths->items[i])) return false;
  return paths->count > 1;
}

static size_t count_ok(const struct merged_rows *rows) {
  size_t ok = 0;
  for (size_t i = 0; i < rows->count; i++)
    ok += rows->items[i].number > 0 && row_status_parse(rows->items[i].record->status) == ROW_OK;
  return ok;
}

static int fill(const struct shard_runs *runs, const struct pairs *more, struct rundir *dir, size_t *ok,
                struct err *err) {
  struct merged_devices devices;
  struct merged_rows rows;
  struct pairs environment = {0}, tags = {0};
  merged_find(runs, &devices);
  merged_environment(runs, &devices, dir->run_id, &environment, &tags);
  for (size_t i = 0; more != NULL && i < more->count; i++)
    pairs_add_text(&environment, more->items[i].name, more->items[i].value);
  rows_choose(runs, &devices, &rows);
  *ok = count_ok(&rows);
  int rc = files_write(runs, &devices, &rows, dir, err);
  if (rc == 0) rc = files_write_ini(runs, &environment, &tags, dir, err);
  rows_free(&rows);
  merged_free(&devices, runs);
  pairs_free(&environment);
  pairs_free(&tags);
  return rc;
}

/* Half of it is of no use. */
static int end(struct shard_runs *runs, struct rundir *dir, int rc, struct err *err) {
  if (rc == 0) rc = rundir_close(dir, err);
  if (rc != 0 && dir->open) {
    dir->temporary = true;
    rundir_discard(dir);
  }
  shards_free(runs);
  text_sanitize(err->text);
  return rc;
}

int merge_runs(const struct strings *paths, const struct rundir_options *where, struct rundir *made, struct err *err) {
  struct shard_runs runs = {0};
  size_t ok;
  *made = (struct rundir){0};
  int rc = rundir_check(where, err);
  if (rc == 0) rc = shards_load(paths, &runs, err);
  if (rc == 0) rc = rundir_create(where, made, err);
  if (rc == 0) rc = fill(&runs, NULL, made, &ok, err);
  return end(&runs, made, rc, err);
}

int merge_into(const struct strings *paths, const struct pairs *more, struct rundir *dir, size_t *ok, struct err *err) {
  struct shard_runs runs = {0};
  int rc = shards_load(paths, &runs, err);
  if (rc == 0) rc = rundir_begin(dir, err);
  if (rc == 0) rc = fill(&runs, more, dir, ok, err);
  return end(&runs, dir, rc, err);
}
