/* From shards to a run directory. */
#include "merge/merge.h"

#include <string.h>
#include <sys/stat.h>

#include "merge/files.h"

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

static int fill(const struct shard_runs *runs, struct rundir *dir, struct err *err) {
  struct merged_devices devices;
  struct merged_rows rows;
  struct pairs environment = {0}, tags = {0};
  merged_find(runs, &devices);
  merged_environment(runs, &devices, dir->run_id, &environment, &tags);
  rows_choose(runs, &devices, &rows);
  int rc = files_write(runs, &devices, &rows, dir, err);
  if (rc == 0) rc = files_write_ini(runs, &environment, &tags, dir, err);
  rows_free(&rows);
  merged_free(&devices, runs);
  pairs_free(&environment);
  pairs_free(&tags);
  return rc;
}

int merge_runs(const struct strings *paths, const struct rundir_options *where, struct rundir *made, struct err *err) {
  struct shard_runs runs = {0};
  *made = (struct rundir){0};
  int rc = rundir_check(where, err);
  if (rc == 0) rc = shards_load(paths, &runs, err);
  if (rc == 0) rc = rundir_create(where, made, err);
  if (rc == 0) rc = fill(&runs, made, err);
  if (rc == 0) rc = rundir_close(made, err);
  if (rc != 0 && made->open) {
    made->temporary = true; /* half of it is of no use */
    rundir_discard(made);
  }
  shards_free(&runs);
  text_sanitize(err->text);
  return rc;
}
