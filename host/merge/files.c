/* Rows are copied field by field: those of cases come out byte for byte. */
#include "merge/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/gz.h"
#include "base/memory.h"
#include "record/csv.h"
#include "record/csv_table.h"
#include "record/graph_csv.h"
#include "record/metrics_csv.h"
#include "record/samples_csv.h"
#include "record/slots_csv.h"
#include "record/spans_csv.h"
#include "run/run_ini.h"

/* ---- results.csv ---- */

static int write_results(const struct merged_devices *devices, struct merged_rows *rows, const struct rundir *dir,
                         FILE *out, struct err *err) {
  if (csv_write_header(out, err) != 0) return -1;
  for (size_t i = 0; i < rows->count; i++) {
    struct record *record = rows->items[i].record;
    record_set(&record->run_id, dir->run_id);
    record_set(&record->devices, devices->items[rows->items[i].device].id);
    rows_rename(&rows->items[i]);
    if (csv_write_record(out, record, err) != 0) return -1;
  }
  return 0;
}

/* ---- The others ---- */

enum { COLUMN_CASE, COLUMN_VARIANT, COLUMN_MODE, COLUMN_EPOCH }; /* but for graph.csv, which has only the first two */

struct copy {
  const struct csv_table *table;
  const struct shard_run *run;
  const struct merged_rows *rows;
  size_t shard;
  bool of_processes; /* its rows name mode and process */
  FILE *out;
};

/* In whichever mode: is it a case that was asked for? */
static bool is_asked(const struct shard_run *run, const char *case_key) {
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

/* Of the yardsticks only what was chosen. */
static int copy_row(void *user, char **fields, struct err *err) {
  const struct copy *copy = user;
  char number[32];
  (void)err;
  for (size_t i = 0; i < copy->table->count; i++)
    if (copy->table->items[i].kind == COLUMN_TEXT) csv_unguard(fields[i]);
  const char *case_key = fields[COLUMN_CASE], *variant = fields[COLUMN_VARIANT];
  if (!copy->of_processes) {
    if (is_asked(copy->run, case_key) || rows_find(copy->rows, copy->shard, case_key, variant, NULL, NULL) != NULL)
      write_fields(copy, fields);
    return 0;
  }
  if (shard_number_of(copy->run, case_key, fields[COLUMN_MODE]) == 0) {
    const uint32_t epoch = (uint32_t)strtoul(fields[COLUMN_EPOCH], NULL, 10);
    const struct merged_row *row = rows_find(copy->rows, copy->shard, case_key, variant, fields[COLUMN_MODE], &epoch);
    if (row == NULL) return 0;
    snprintf(number, sizeof number, "%llu", (unsigned long long)epoch + row->behind);
    fields[COLUMN_EPOCH] = number;
  }
  write_fields(copy, fields);
  return 0;
}

static int copy_file(struct copy *copy, const char *name, struct err *err) {
  char *path = memory_print("%s/%s", copy->run->path, name);
  FILE *in = gz_open(path);
  int rc = 0;
  if (in == NULL && errno != ENOENT) rc = err_set(err, EXIT_FAILED, "cannot open %.300s: %s", path, strerror(errno));
  if (in != NULL) {
    rc = csv_table_read(in, path, copy->table, copy_row, copy, NULL, err);
    fclose(in);
  }
  free(path);
  return rc;
}

static bool any_has(const struct shard_runs *runs, const char *name) {
  for (size_t s = 0; s < runs->count; s++) {
    const struct strings *files = &runs->items[s].data.runs[0].files;
    for (size_t i = 0; i < files->count; i++)
      if (strcmp(files->items[i], name) == 0) return true;
  }
  return false;
}

static int copy_all(const struct shard_runs *runs, const struct merged_rows *rows, enum run_file which, FILE *out,
                    struct err *err) {
  static const struct csv_table *const tables[] = {NULL,       &samples_csv, &slots_csv,
                                                   &graph_csv, &metrics_csv, &spans_csv};
  if (csv_table_write_header(out, tables[which], err) != 0) return -1;
  for (size_t s = 0; s < runs->count; s++) {
    struct copy copy = {tables[which], &runs->items[s], rows, s, which != FILE_GRAPH, out};
    if (copy_file(&copy, rundir_file_name(which), err) != 0) return -1;
  }
  return csv_finish(out, tables[which]->what, err);
}

int files_write(const struct shard_runs *runs, const struct merged_devices *devices, struct merged_rows *rows,
                const struct rundir *dir, struct err *err) {
  for (enum run_file which = RUN_FILE_COUNT; which-- > 0;) { /* the rows last, whose processes the others look up */
    const char *name = rundir_file_name(which);
    if (which >= FILE_GRAPH && !any_has(runs, name)) continue;
    char *path = memory_print("%s/%s", dir->path, name);
    FILE *out = fopen(path, "we");
    int rc = out == NULL             ? err_set(err, EXIT_FAILED, "%.300s: %s", path, strerror(errno))
             : which == FILE_RESULTS ? write_results(devices, rows, dir, out, err)
                                     : copy_all(runs, rows, which, out, err);
    if (out != NULL && fclose(out) != 0 && rc == 0) rc = err_set(err, EXIT_FAILED, "%.300s: %s", path, strerror(errno));
    free(path);
    if (rc != 0) return -1;
  }
  return 0;
}

/* ---- run.ini ---- */

/* By their numbers, of which each is there once. */
static const struct shard_case **sort_cases(const struct shard_runs *runs) {
  const struct shard_case **cases = xcalloc(runs->items[0].whole, sizeof *cases);
  for (size_t s = 0; s < runs->count; s++)
    for (size_t i = 0; i < runs->items[s].case_count; i++)
      cases[runs->items[s].cases[i].number - 1] = &runs->items[s].cases[i];
  return cases;
}

int files_write_ini(const struct shard_runs *runs, const struct pairs *environment, const struct pairs *tags,
                    struct rundir *dir, struct err *err) {
  struct memory_text ini;
  FILE *file = memory_text_begin(&ini);
  fputs("; Shards of a gpubench run, put together. As a suite it repeats the run: gpubench --suite run.ini\n\n", file);
  run_ini_write_pairs(file, "environment", environment);
  run_ini_write_pairs(file, "tags", tags);
  const struct shard_case **cases = sort_cases(runs);
  for (size_t i = 0; i < runs->items[0].whole; i++) {
    const struct shard_case *c = cases[i];
    size_t length = c->length;
    while (length > 0 && strchr("\r\n", c->text[length - 1]) != NULL)
      length--;
    fprintf(file, "%.*s\n\n", (int)length, c->text);
  }
  free(cases);
  char *text = memory_text_end(&ini);
  const int rc = rundir_put(dir, "run.ini", text, ini.size, err);
  free(text);
  return rc;
}
