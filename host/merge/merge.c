/* Merges shards (runs of parts of a plan) into a run directory: chooses their rows, and writes the files and run.ini.
 * Measured figures are copied as they are. Several shards may have measured the same yardstick (a case that measures a
 * ceiling of the device). Then only the rows of one shard are kept. The processes of these rows get new numbers,
 * because the processes of all shards are numbered from the same start. */
#include "merge/merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/gz.h"
#include "base/memory.h"
#include "merge/devices.h"
#include "model/row_status.h"
#include "record/csv/csv.h"
#include "resume/run_ini.h"

struct merged_row {
  struct record *record; /* the row itself; owned by the shard that it is from */
  size_t shard, device;
  /* number of the row's case in the plan; 0: the case only measures a ceiling of the device (a yardstick) */
  size_t number;
  /* offset that is added to the process numbers of the row, because rows of other shards have the same numbers */
  uint32_t behind;
};

struct merged_rows {
  struct merged_row *items;
  size_t count;
};

/* ---- Choosing one shard's rows of each yardstick ---- */

/* Returns a number that stands for a yardstick (a case that measures a ceiling) on one device. Rows of the same
 * yardstick and device have the same number; with `of_shard`, only rows that also come from the same shard. If no row
 * has asked for the number yet, it becomes `number`. */
static size_t yardstick_place(struct map *places, const struct merged_row *row, bool of_shard, size_t number) {
  char device[24], shard[24] = "";
  snprintf(device, sizeof device, "%zu", row->device);
  if (of_shard) snprintf(shard, sizeof shard, "%zu", row->shard);
  const char *key[] = {device, shard, text_or_empty(row->record->case_key), text_or_empty(row->record->mode)};
  return map_put(places, key, 4, number);
}

/* If several shards measured the same yardstick (a case that measures a ceiling) on the same device, keeps the rows of
 * only one of them: of the shard with the most rows that are ok or, if there are several such shards, of the first. */
static void keep_chosen(struct merged_rows *rows) {
  struct map own = {0}, any = {0};
  size_t *right = xcalloc(rows->count, sizeof *right), *chosen = xcalloc(rows->count, sizeof *chosen), kept = 0;
  for (size_t i = 0; i < rows->count; i++)
    if (rows->items[i].number == 0)
      right[yardstick_place(&own, &rows->items[i], true, i)] +=
          row_status_parse(rows->items[i].record->status) == ROW_OK;
  for (size_t i = 0; i < rows->count; i++) {
    if (rows->items[i].number != 0) continue;
    const size_t at = yardstick_place(&own, &rows->items[i], true, i),
                 best = yardstick_place(&any, &rows->items[i], false, i);
    if (best == i || right[at] > right[chosen[best]]) chosen[best] = at;
  }
  for (size_t i = 0; i < rows->count; i++) {
    const struct merged_row row = rows->items[i];
    if (row.number != 0 || chosen[yardstick_place(&any, &row, false, i)] == yardstick_place(&own, &row, true, i))
      rows->items[kept++] = row;
  }
  rows->count = kept;
  map_free(&own);
  map_free(&any);
  free(right);
  free(chosen);
}

/* ---- Renumbering processes ---- */

static uint32_t last_epoch(const struct record *record) {
  uint32_t last = 0;
  for (const char *at = text_or_empty(record->epochs); *at != '\0';) {
    const unsigned long epoch = strtoul(at, NULL, 10);
    if (epoch > last && epoch <= UINT32_MAX / 2) last = (uint32_t)epoch;
    at += strcspn(at, ";");
    at += *at == ';';
  }
  return last;
}

/* Sets `behind`, the offset of the process numbers, in the rows of yardsticks (cases that measure a ceiling). If
 * several shards measured a yardstick, the processes of each shard are numbered after those of earlier shards. The rows
 * must be sorted. */
static void number_processes(struct merged_rows *rows) {
  for (size_t i = 0; i < rows->count && rows->items[i].number == 0; i++) {
    struct merged_row *row = &rows->items[i];
    for (const struct merged_row *other = rows->items; other < rows->items + rows->count && other->number == 0;
         other++) {
      if (other->shard >= row->shard || !text_same(other->record->case_key, row->record->case_key) ||
          !text_same(other->record->mode, row->record->mode))
        continue;
      const uint32_t last = other->behind + last_epoch(other->record);
      if (last > row->behind) row->behind = last;
    }
  }
}

/* Writes the new process numbers into the record. Call it when the old numbers are no longer needed. */
static void rename_processes(struct merged_row *row) {
  struct memory_text made;
  if (row->behind == 0 || text_or_empty(row->record->epochs)[0] == '\0') return;
  FILE *out = memory_text_begin(&made);
  for (const char *at = row->record->epochs; *at != '\0';) {
    fprintf(out, "%s%llu", at == row->record->epochs ? "" : ";", strtoull(at, NULL, 10) + row->behind);
    at += strcspn(at, ";");
    at += *at == ';';
  }
  free(row->record->epochs);
  row->record->epochs = memory_text_end(&made);
}

/* ---- Choosing and sorting all rows ---- */

static int in_order(const void *a, const void *b) {
  const struct merged_row *one = a, *other = b;
  if (one->number != other->number) return one->number < other->number ? -1 : 1;
  if (one->number == 0 && one->shard != other->shard) return one->shard < other->shard ? -1 : 1;
  if (one->device != other->device) return one->device < other->device ? -1 : 1;
  if (one->shard != other->shard) return one->shard < other->shard ? -1 : 1;
  return one->record < other->record ? -1 : one->record > other->record;
}

/* Chooses and sorts the rows: first those of yardsticks (cases that measure a ceiling), then those of all other cases
 * in the plan's order, device by device. */
static void choose_merged_rows(const struct shard_runs *runs, const struct merged_devices *devices,
                               struct merged_rows *rows) {
  size_t all = 0;
  for (size_t s = 0; s < runs->count; s++)
    all += runs->items[s].data.count;
  *rows = (struct merged_rows){.items = xcalloc(all, sizeof *rows->items)};
  for (size_t s = 0; s < runs->count; s++)
    for (size_t i = 0; i < runs->items[s].data.count; i++) {
      struct record *record = &runs->items[s].data.records[i];
      rows->items[rows->count++] =
          (struct merged_row){.record = record,
                              .shard = s,
                              .device = merged_device_of(devices, runs, s, record),
                              .number = shard_number_of(&runs->items[s], record->case_key, record->mode)};
    }
  keep_chosen(rows);
  qsort(rows->items, rows->count, sizeof *rows->items, in_order);
  number_processes(rows);
}

/* Returns the row with these values of a yardstick (a case that measures a ceiling) if it is among the chosen rows;
 * otherwise NULL. If `mode` or `epoch` is NULL, any value matches. */
static const struct merged_row *find_chosen_yardstick(const struct merged_rows *rows, size_t shard,
                                                      const char *case_key, const char *variant, const char *mode,
                                                      const uint32_t *epoch) {
  for (size_t i = 0; i < rows->count && rows->items[i].number == 0; i++) {
    const struct merged_row *row = &rows->items[i];
    if (row->shard == shard && text_same(row->record->case_key, case_key) && text_same(row->record->variant, variant) &&
        (mode == NULL || text_same(row->record->mode, mode)) &&
        (epoch == NULL || record_has_epoch(row->record, *epoch)))
      return row;
  }
  return NULL;
}

/* ---- Writing results.csv ---- */

static int write_merged_rows(const struct merged_devices *devices, struct merged_rows *rows, const struct rundir *dir,
                             FILE *out, struct err *err) {
  if (csv_write_header(out, err) != 0) return -1;
  for (size_t i = 0; i < rows->count; i++) {
    struct record *record = rows->items[i].record;
    record_set(&record->run_id, dir->run_id);
    record_set(&record->devices, devices->items[rows->items[i].device].id);
    rename_processes(&rows->items[i]);
    if (csv_write_record(out, record, err) != 0) return -1;
  }
  return 0;
}

/* ---- Writing the other files ---- */

/* the first columns of each file; graph.csv has only the first two of them */
enum { COLUMN_CASE, COLUMN_VARIANT, COLUMN_MODE, COLUMN_EPOCH };

struct copy {
  const struct csv_table *table;
  const struct shard_run *run;
  const struct merged_rows *rows;
  size_t shard;
  bool of_processes; /* true if the file has columns for the mode and the process of a row */
  FILE *out;
};

/* Returns true if the plan has a case with this key, in any mode. */
static bool is_planned_case(const struct shard_run *run, const char *case_key) {
  for (size_t i = 0; i < run->case_count; i++)
    if (strcmp(run->cases[i].selection.cases.items[0], case_key) == 0) return true;
  return false;
}

static void write_fields(const struct copy *copy, char **fields) {
  for (size_t i = 0; i < copy->table->count; i++) {
    if (i > 0) fputc(',', copy->out);
    if (copy->table->items[i].kind == COLUMN_TEXT)
      csv_write_text(copy->out, fields[i]);
    else
      fputs(fields[i], copy->out);
  }
  fputs("\r\n", copy->out);
}

/* Copies a row of a shard's file, unless the row belongs to a yardstick (a case that measures a ceiling) for which the
 * rows of another shard were chosen. */
static int copy_shard_row(void *user, char **fields, struct err *err) {
  const struct copy *copy = user;
  char number[32];
  (void)err;
  for (size_t i = 0; i < copy->table->count; i++)
    if (copy->table->items[i].kind == COLUMN_TEXT) csv_unguard(fields[i]);
  const char *case_key = fields[COLUMN_CASE], *variant = fields[COLUMN_VARIANT];
  if (!copy->of_processes) {
    if (is_planned_case(copy->run, case_key) ||
        find_chosen_yardstick(copy->rows, copy->shard, case_key, variant, NULL, NULL) != NULL)
      write_fields(copy, fields);
    return 0;
  }
  if (shard_number_of(copy->run, case_key, fields[COLUMN_MODE]) == 0) {
    const uint32_t epoch = (uint32_t)strtoul(fields[COLUMN_EPOCH], NULL, 10);
    const struct merged_row *row =
        find_chosen_yardstick(copy->rows, copy->shard, case_key, variant, fields[COLUMN_MODE], &epoch);
    if (row == NULL) return 0;
    snprintf(number, sizeof number, "%llu", (unsigned long long)epoch + row->behind);
    fields[COLUMN_EPOCH] = number;
  }
  write_fields(copy, fields);
  return 0;
}

static int copy_shard_file(struct copy *copy, const char *name, struct err *err) {
  SCOPED char *path = memory_print("%s/%s", copy->run->path, name);
  SCOPED_FILE FILE *in = gz_open(path);
  int rc = 0;
  if (in == NULL && errno != ENOENT) rc = err_set(err, EXIT_FAILED, "cannot open %.300s: %s", path, strerror(errno));
  if (in != NULL) rc = csv_table_read(in, path, copy->table, copy_shard_row, copy, NULL, err);
  return rc;
}

static bool any_has(const struct shard_runs *runs, const char *name) {
  for (size_t s = 0; s < runs->count; s++)
    if (strings_has(&runs->items[s].data.runs[0].files, name)) return true;
  return false;
}

static int copy_all(const struct shard_runs *runs, const struct merged_rows *rows, enum run_file which, FILE *out,
                    struct err *err) {
  const struct csv_table *table = rundir_table(which);
  if (csv_table_write_header(out, table, err) != 0) return -1;
  for (size_t s = 0; s < runs->count; s++) {
    struct copy copy = {table, &runs->items[s], rows, s, which != FILE_GRAPH, out};
    if (copy_shard_file(&copy, rundir_file_name(which), err) != 0) return -1;
  }
  return output_end(out, table->what, err);
}

static int write_files(const struct shard_runs *runs, const struct merged_devices *devices, struct merged_rows *rows,
                       const struct rundir *dir, struct err *err) {
  /* results.csv is written last, because writing the other files needs the old process numbers in its rows */
  for (enum run_file which = RUN_FILE_COUNT; which-- > 0;) {
    const char *name = rundir_file_name(which);
    if (which >= FILE_GRAPH && !any_has(runs, name)) continue;
    SCOPED char *path = memory_print("%s/%s", dir->path, name);
    FILE *out = fopen(path, "we");
    int rc = out == NULL             ? err_set(err, EXIT_FAILED, "%.300s: %s", path, strerror(errno))
             : which == FILE_RESULTS ? write_merged_rows(devices, rows, dir, out, err)
                                     : copy_all(runs, rows, which, out, err);
    if (out != NULL && fclose(out) != 0 && rc == 0) rc = err_set(err, EXIT_FAILED, "%.300s: %s", path, strerror(errno));
    if (rc != 0) return -1;
  }
  return 0;
}

/* ---- Writing run.ini ---- */

/* Lists the cases of all shards, sorted by their numbers in the plan; each number occurs once. */
static const struct shard_case **sort_cases(const struct shard_runs *runs) {
  const struct shard_case **cases = xcalloc(runs->items[0].whole, sizeof *cases);
  for (size_t s = 0; s < runs->count; s++)
    for (size_t i = 0; i < runs->items[s].case_count; i++)
      cases[runs->items[s].cases[i].number - 1] = &runs->items[s].cases[i];
  return cases;
}

static int write_ini(const struct shard_runs *runs, const struct pairs *environment, const struct pairs *tags,
                     struct rundir *dir, struct err *err) {
  struct memory_text ini;
  FILE *file = memory_text_begin(&ini);
  fputs("; Shards of a gpubench run, put together. As a suite it repeats the run: gpubench --suite run.ini\n\n", file);
  run_ini_write_pairs(file, "environment", environment);
  run_ini_write_pairs(file, "tags", tags);
  SCOPED const struct shard_case **cases = sort_cases(runs);
  for (size_t i = 0; i < runs->items[0].whole; i++) {
    const struct shard_case *c = cases[i];
    size_t length = c->length;
    while (length > 0 && strchr("\r\n", c->text[length - 1]) != NULL)
      length--;
    fprintf(file, "%.*s\n\n", (int)length, c->text);
  }
  SCOPED char *text = memory_text_end(&ini);
  return rundir_put(dir, "run.ini", text, ini.size, err);
}

/* ---- Merging the shards ---- */

static bool is_shard(const char *path) {
  struct stat info;
  struct run_data ini = {0};
  struct err ignored = {0};
  if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) return false;
  const bool shard = run_data_load_ini(path, &ini, &ignored) == 0 && run_data_get(&ini, "shard") != NULL;
  run_data_free(&ini);
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

static int fill_merged_run(const struct shard_runs *runs, const struct pairs *more, struct rundir *dir, size_t *ok,
                           struct err *err) {
  struct merged_devices devices;
  struct merged_rows rows;
  struct pairs environment = {0}, tags = {0};
  merged_find(runs, &devices);
  merged_environment(runs, &devices, dir->run_id, &environment, &tags);
  for (size_t i = 0; more != NULL && i < more->count; i++)
    pairs_add_text(&environment, more->items[i].name, more->items[i].value);
  choose_merged_rows(runs, &devices, &rows);
  *ok = count_ok(&rows);
  int rc = write_files(runs, &devices, &rows, dir, err);
  if (rc == 0) rc = write_ini(runs, &environment, &tags, dir, err);
  free(rows.items);
  merged_free(&devices, runs);
  pairs_free(&environment);
  pairs_free(&tags);
  return rc;
}

/* Closes the run directory. If merging or closing failed, removes the directory, because a part of a run would be
 * useless. */
static int end_merge(struct shard_runs *runs, struct rundir *dir, int rc, struct err *err) {
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
  if (rc == 0) rc = fill_merged_run(&runs, NULL, made, &ok, err);
  return end_merge(&runs, made, rc, err);
}

int merge_into(const struct strings *paths, const struct pairs *more, struct rundir *dir, size_t *ok, struct err *err) {
  struct shard_runs runs = {0};
  int rc = shards_load(paths, &runs, err);
  if (rc == 0) rc = rundir_begin(dir, err);
  if (rc == 0) rc = fill_merged_run(&runs, more, dir, ok, err);
  return end_merge(&runs, dir, rc, err);
}
