/* Copies the files of a run to a history, a folder of nightly runs. Copies the bytes of a run directory. If the run is
 * a single file or a report, writes the rows that were read from it. */
#include "history/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/gz.h"
#include "base/memory.h"
#include "base/tree.h"
#include "history/decided.h"
#include "record/csv/csv.h"
#include "record/csv/files.h"

static char *read_of(const char *dir, const char *file, size_t *size) {
  char *path = memory_print("%s/%s", dir, file), *text = gz_read(path, size);
  free(path);
  return text;
}

static int render_results(const struct run_data *data, struct copy *copy, struct err *err) {
  struct memory_text memory;
  FILE *out = memory_text_begin(&memory);
  int rc = csv_write_header(out, err);
  for (size_t i = 0; i < data->count && rc == 0; i++)
    rc = csv_write_record(out, &data->records[i], err);
  copy->results = memory_text_end(&memory);
  copy->results_size = memory.size;
  return rc;
}

static void take_ini(const struct run_data *data, struct copy *copy) {
  if (data->runs[0].ini == NULL) return;
  copy->ini = xstrdup(data->runs[0].ini);
  copy->ini_size = strlen(copy->ini);
}

static int read_decided(const char *path, struct copy *copy, struct err *err) {
  if (path == NULL) return 0;
  if (decided_check(path, err) != 0) return -1;
  copy->decided = gz_read(path, &copy->decided_size);
  return copy->decided != NULL ? 0 : err_set(err, EXIT_USAGE, "cannot read %s: %s", path, strerror(errno));
}

int copy_read(const char *run, const struct run_data *data, const char *decided, struct copy *copy, struct err *err) {
  *copy = (struct copy){0};
  const char *dir = data->runs[0].dir;
  take_ini(data, copy);
  if (read_decided(decided, copy, err) != 0) return -1;
  if (dir == NULL) return render_results(data, copy, err);
  copy->results = read_of(dir, "results.csv", &copy->results_size);
  copy->against = read_of(dir, AGAINST_FILE, &copy->against_size);
  if (copy->decided == NULL) copy->decided = read_of(dir, HISTORY_DECIDED_FILE, &copy->decided_size);
  return copy->results != NULL ? 0
                               : err_set(err, EXIT_FAILED, "cannot read results.csv of %s: %s", run, strerror(errno));
}

static int write_night_file(const char *folder, const char *file, const void *bytes, size_t size, struct err *err) {
  SCOPED char *path = memory_print("%s/%s", folder, file);
  return bytes != NULL ? tree_write(path, bytes, size, err) : 0;
}

int copy_write(const struct copy *copy, const char *folder, struct err *err) {
  size_t packed_size = 0;
  SCOPED void *packed = gz_pack(copy->results, copy->results_size, &packed_size);
  int rc = packed != NULL ? 0 : err_set(err, EXIT_FAILED, "cannot compress results.csv for %s", folder);
  if (rc == 0) rc = write_night_file(folder, "results.csv.gz", packed, packed_size, err);
  if (rc == 0) rc = write_night_file(folder, "run.ini", copy->ini, copy->ini_size, err);
  if (rc == 0) rc = write_night_file(folder, AGAINST_FILE, copy->against, copy->against_size, err);
  if (rc == 0) rc = write_night_file(folder, HISTORY_DECIDED_FILE, copy->decided, copy->decided_size, err);
  return rc;
}

bool copy_is(const char *path, const char *text, size_t size) {
  size_t there = 0;
  SCOPED char *other = gz_read(path, &there);
  return other != NULL && there == size && memcmp(other, text, size) == 0;
}

void copy_free(struct copy *copy) {
  free(copy->results);
  free(copy->ini);
  free(copy->against);
  free(copy->decided);
  *copy = (struct copy){0};
}
