/* Writes JSON as google benchmark does, for its tools/compare.py and other readers. Each round of a row is written as
 * one repetition of a benchmark. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "export/export.h"
#include "stats/math.h"

/* If a row has more rounds than this, adjacent rounds are merged into one repetition, because compare.py is slow with
 * many repetitions, and recommends 9 for its test. */
enum { REPETITIONS_MAX = 32 };

static void write_context(struct json *json, const struct run_data *data) {
  static const char *const names[][2] = {{"date", "started_utc"},   {"host_name", "host"},
                                         {"device", "device_name"}, {"driver", "driver"},
                                         {"run_id", "run_id"},      {"gpubench", "gpubench_version"}};
  const char *threads = run_data_get(data, "threads");
  json_object(json, "context");
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (run_data_get(data, names[i][1]) != NULL) json_text(json, names[i][0], run_data_get(data, names[i][1]));
  json_text(json, "executable", "gpubench");
  json_whole(json, "num_cpus", threads != NULL ? strtol(threads, NULL, 10) : 0);
  json_array(json, "caches");
  json_array_end(json);
  json_array(json, "load_avg");
  json_array_end(json);
  json_text(json, "library_build_type", "release");
  json_whole(json, "json_schema_version", 1);
  json_object_end(json);
}

static void begin_row(struct json *json, const struct export_row *row, const char *run_name, const char *suffix) {
  char name[OUT_NAME_SIZE + 16];
  snprintf(name, sizeof name, "%s%s", run_name, suffix);
  json_object(json, NULL);
  json_text(json, "name", name);
  json_whole(json, "family_index", (int64_t)row->bench_index);
  json_whole(json, "per_family_instance_index",
             (int64_t)(row->case_index * row->bench->variant_count + row->variant_index - 1));
  json_text(json, "run_name", run_name);
}

/* Writes the time. Kernels have no separate CPU time, so `cpu_time` gets the same value as `real_time`. */
static void write_times(struct json *json, double ns) {
  json_real(json, "real_time", ns);
  json_real(json, "cpu_time", ns);
  json_text(json, "time_unit", "ns");
}

static void write_rates(struct json *json, const struct record *record, double ns) {
  if (record->bytes > 0) json_real(json, "bytes_per_second", (double)record->bytes / ns * 1e9);
  if (record->items > 0) json_real(json, "items_per_second", (double)record->items / ns * 1e9);
  if (record->flops > 0) json_real(json, "flops_per_second", (double)record->flops / ns * 1e9);
}

static void write_repetition(struct json *json, const struct export_row *row, const char *name, size_t index,
                             size_t repetitions, size_t samples, double ns) {
  begin_row(json, row, name, "");
  json_text(json, "run_type", "iteration");
  json_whole(json, "repetitions", (int64_t)repetitions);
  json_whole(json, "repetition_index", (int64_t)index);
  json_whole(json, "threads", 1);
  json_whole(json, "iterations", (int64_t)samples);
  write_times(json, ns);
  write_rates(json, row->record, ns);
  json_object_end(json);
}

static void write_aggregate(struct json *json, const struct export_row *row, const char *name, const char *aggregate,
                            size_t repetitions, double value) {
  char suffix[16];
  bool share = strcmp(aggregate, "cv") == 0;
  if (!isfinite(value)) return;
  snprintf(suffix, sizeof suffix, "_%s", aggregate);
  begin_row(json, row, name, suffix);
  json_text(json, "run_type", "aggregate");
  json_whole(json, "repetitions", (int64_t)repetitions);
  json_whole(json, "threads", 1);
  json_text(json, "aggregate_name", aggregate);
  json_text(json, "aggregate_unit", share ? "percentage" : "time");
  json_whole(json, "iterations", (int64_t)repetitions);
  write_times(json, value);
  json_object_end(json);
}

/* Computes the median of all samples in the slots (series of samples) `from` to `to` (exclusive). Returns the number of
 * samples. */
static size_t block_median(const struct run_samples *samples, size_t from, size_t to, double *median) {
  size_t count = 0, used = 0;
  for (size_t i = from; i < to; i++)
    count += samples->slots[i].count;
  SCOPED double *ns = xcalloc(count, sizeof *ns);
  for (size_t i = from; i < to; i++)
    for (size_t j = 0; j < samples->slots[i].count; j++)
      ns[used++] = samples->slots[i].ns[j];
  *median = stats_median(ns, count);
  return count;
}

static size_t write_repetitions(struct json *json, const struct export_row *row, const char *name) {
  const struct record *record = row->record;
  const struct run_samples *samples = run_data_samples_of(row->data, record);
  size_t slots = samples != NULL ? samples->count : 0, blocks = slots < REPETITIONS_MAX ? slots : REPETITIONS_MAX;
  for (size_t i = 0; i < blocks; i++) {
    double ns = 0;
    size_t count = block_median(samples, i * slots / blocks, (i + 1) * slots / blocks, &ns);
    write_repetition(json, row, name, i, blocks, count, ns);
  }
  if (blocks == 0)
    write_repetition(json, row, name, 0, 1, record->samples > 0 ? (size_t)record->samples : 1, record->median_raw_ns);
  return blocks != 0 ? blocks : 1;
}

static void write_gbench_rows(struct json *json, const struct export_row *row, const char *name) {
  const struct record *record = row->record;
  size_t repetitions = write_repetitions(json, row, name);
  write_aggregate(json, row, name, "mean", repetitions, record->mean_ns);
  write_aggregate(json, row, name, "median", repetitions, record->median_raw_ns);
  write_aggregate(json, row, name, "stddev", repetitions, record->stddev_ns);
  write_aggregate(json, row, name, "cv", repetitions, record->stddev_ns / record->mean_ns);
}

int export_gbench(const struct run_data *data, FILE *out, struct err *err) {
  struct json json;
  json_begin(&json, out);
  json_object(&json, NULL);
  write_context(&json, data);
  json_rows(&json, "benchmarks");
  export_timed(data, &json, write_gbench_rows); /* compare.py stops at a row without a time */
  json_array_end(&json);
  json_object_end(&json);
  return json_end(&json) == 0 ? 0 : err_set(err, EXIT_FAILED, "cannot write google benchmark's JSON");
}
