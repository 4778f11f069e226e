/* Converts the files of a nightly run to the rows that the index of the history stores. */
#include "history/night.h"

#include <math.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "history/copy.h"
#include "history/decided.h"
#include "model/proof/unproven.h"
#include "model/row_status.h"

/* ---- Series ---- */

/* Returns the properties of a device that influence times as one text, such as "NVIDIA H200, 150 GB, 700 W". */
char *night_device_kind(const struct pairs *environment, const struct record *record) {
  const char *memory = pairs_get(environment, "memory_bytes"), *watts = pairs_get(environment, "power_limit_w");
  const char *mig = pairs_get(environment, "mig");
  char bytes[32] = "";
  if (memory != NULL) text_bytes(bytes, sizeof bytes, strtod(memory, NULL));
  const bool slice = mig != NULL && strcmp(mig, "off") != 0 && strcmp(mig, "on") != 0;
  return memory_print("%.200s%s%s%s%.16s%s%s", record->device_name != NULL ? record->device_name : "unknown device",
                      bytes[0] ? ", " : "", bytes, watts != NULL ? ", " : "", text_or_empty(watts),
                      watts != NULL ? " W" : "", slice ? ", MIG" : "");
}

static int64_t series_id(const struct night_series *series) {
  const char *const parts[] = {series->device,   series->uuid,    series->plugin, series->bench,
                               series->case_key, series->variant, series->mode};
  uint8_t digest[SHA256_DIGEST_LENGTH];
  uint64_t id = 0;
  SHA2_CTX context;
  SHA256Init(&context);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    SHA256Update(&context, (const uint8_t *)parts[i], strlen(parts[i]) + 1);
  SHA256Final(digest, &context);
  for (size_t i = 0; i < 8; i++)
    id = id << 8 | digest[i];
  return (int64_t)(id >> 1);
}

static int check_text_size(const char *what, const char *text, size_t most, struct err *err) {
  if (strlen(text) < most) return 0;
  return err_set(err, EXIT_FAILED, "a %s of %zu bytes: at most %zu are indexed", what, strlen(text), most - 1);
}

static int check_series(const struct night_series *series, struct err *err) {
  if (check_text_size("bench", series->bench, TEXT_SIZE, err) != 0) return -1;
  if (check_text_size("case_key", series->case_key, KEY_SIZE, err) != 0) return -1;
  if (check_text_size("variant", series->variant, TEXT_SIZE, err) != 0) return -1;
  if (check_text_size("plugin", series->plugin, TEXT_SIZE, err) != 0) return -1;
  if (check_text_size("mode", series->mode, ID_SIZE, err) != 0) return -1;
  return check_text_size("list of devices", series->uuid, KEY_SIZE, err);
}

static void free_night_series(struct night_series *series) {
  char *texts[] = {series->device,   series->uuid,    series->plugin, series->bench,
                   series->case_key, series->variant, series->mode};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    free(texts[i]);
}

static char *copy_clean(const char *text) {
  char *copy = xstrdup(text_or_empty(text));
  text_sanitize(copy);
  return copy;
}

/* ---- Rows ---- */

/* Converts a time to whole picoseconds, -1 if it is not known. Picoseconds are precise enough, and whole numbers take
 * little space in the index. */
static int64_t picoseconds(double ns) {
  return isnan(ns) || ns <= 0 || ns > 1e15 ? -1 : (int64_t)(ns * 1000 + 0.5);
}

static int64_t to_ppm(double share) {
  return isnan(share) || share < 0 || share > 1e6 ? -1 : (int64_t)(share * 1e6 + 0.5);
}

/* Returns true if the decision applies to the row. */
static bool decides(const struct decided_row *decision, const struct record *record) {
  return text_same(decision->case_key, record->case_key) && text_same(decision->variant, record->variant) &&
         text_same(decision->mode, record->mode) &&
         (decision->devices[0] == '\0' || text_same(decision->devices, record->devices));
}

static void apply_decision(struct night_row *row, const struct decided *decided, const struct record *record) {
  row->confirmed = "";
  row->step = NAN;
  row->again_ps = -1;
  for (size_t i = 0; i < decided->count; i++) {
    const struct decided_row *decision = &decided->rows[i];
    if (!decides(decision, record)) continue;
    row->confirmed = decision->verdict;
    row->step = decision->step;
    row->again_ps = picoseconds(decision->again_ns);
    if (decision->accepted) row->flags |= NIGHT_ACCEPTED;
  }
}

static void take_times(struct night_row *row, const struct record *record) {
  const enum row_status status = row_status_parse(record->status);
  const double median = status == ROW_OK ? record->median_raw_ns : NAN;
  row->status = row_status_name(status == ROW_UNKNOWN ? ROW_ERROR : status);
  row->median_ps = picoseconds(median);
  row->below_ppm = to_ppm(1 - record->ci95_lo_ns / median);
  row->above_ppm = to_ppm(record->ci95_hi_ns / median - 1);
  row->sd_ppm = to_ppm(record->restart_sd);
  row->restarts = record->restarts;
  row->flags = (record->yardstick == 1 ? NIGHT_YARDSTICK : 0) | (record->contended == 1 ? NIGHT_CONTENDED : 0) |
               (record->quick == 1 ? NIGHT_QUICK : 0) |
               (int64_t)unproven_parse(record->unproven) << NIGHT_UNPROVEN_SHIFT;
  row->bound = "";
  static const char *const bounds[] = {"memory", "compute", "latency"};
  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
    if (text_same(record->bound, bounds[i])) row->bound = bounds[i];
}

static void add_night_row(struct night_entry *night, const struct record *record, const struct pairs *environment) {
  struct night_row *row = &night->rows[night->row_count++];
  *row = (struct night_row){.series = {.device = night_device_kind(environment, record),
                                       .uuid = copy_clean(record->devices),
                                       .plugin = copy_clean(record->provider),
                                       .bench = copy_clean(record->bench),
                                       .case_key = copy_clean(record->case_key),
                                       .variant = copy_clean(record->variant),
                                       .mode = copy_clean(record->mode)}};
  text_sanitize(row->series.device);
  row->series.id = series_id(&row->series);
  take_times(row, record);
  apply_decision(row, night->decided, record);
  if (row->median_ps >= 0 && (row->flags & NIGHT_YARDSTICK) == 0) night->timed++;
}

/* ---- Devices of a night ---- */

static void add_night_device(struct night_entry *night, const struct night_row *row, const struct record *record,
                             const struct pairs *environment) {
  for (size_t i = 0; i < night->device_count; i++)
    if (strcmp(night->devices[i].uuid, row->series.uuid) == 0) return;
  const char *clock = pairs_get(environment, "application_clock_mhz");
  night->devices = xgrow(night->devices, night->device_count, sizeof *night->devices);
  night->devices[night->device_count++] = (struct night_device){.uuid = xstrdup(row->series.uuid),
                                                                .device = xstrdup(row->series.device),
                                                                .driver = copy_clean(record->driver),
                                                                .clock = copy_clean(clock),
                                                                .host = copy_clean(record->host)};
}

static void add_build(struct night_entry *night, const struct record *record) {
  char *plugin = copy_clean(record->provider);
  for (size_t i = 0; i < night->build_count; i++)
    if (strcmp(night->builds[i].plugin, plugin) == 0) {
      free(plugin);
      return;
    }
  night->builds = xgrow(night->builds, night->build_count, sizeof *night->builds);
  night->builds[night->build_count++] = (struct night_build){
      .plugin = plugin, .version = copy_clean(record->plugin_version), .sha256 = copy_clean(record->plugin_sha256)};
}

/* ---- Whether a night is complete ---- */

/* Returns a row that was skipped or not run although --require demands it, or NULL. */
static const struct record *missing_of(const struct run_data *data) {
  for (size_t i = 0; i < data->count; i++)
    if (record_required(data, &data->records[i])) return &data->records[i];
  return NULL;
}

static char *find_fault(const struct night_entry *night) {
  const struct pairs *environment = &night->data.environment;
  char lost[32];
  const struct record *missing = missing_of(&night->data);
  size_t unrun = 0;
  for (size_t i = 0; i < night->data.count; i++)
    unrun += row_status_parse(night->data.records[i].status) == ROW_NOT_RUN ||
             text_same(night->data.records[i].stop_reason, "interrupted");
  if (night->data.runs[0].ini == NULL) return xstrdup("run.ini is missing");
  for (size_t i = 1; i <= 64; i++) {
    snprintf(lost, sizeof lost, "device.%zu.lost", i);
    if (pairs_get(environment, lost) != NULL) return memory_print("device %zu was lost", i);
  }
  if (pairs_get(environment, "refused") != NULL) return xstrdup("a plugin was refused");
  if (missing != NULL)
    return memory_print("%.200s, which is required, was %s", text_or_empty(missing->variant),
                        row_status_words(row_status_parse(missing->status)));
  if (unrun > 0) return memory_print("%zu of %zu rows not run to their end", unrun, night->data.count);
  if (pairs_get(environment, "wall_s") == NULL) return xstrdup("the run did not come to its end");
  return xstrdup(night->timed == 0 ? "nothing was timed" : "");
}

static void take_names(struct night_entry *night, const char *run_id) {
  const struct pairs *environment = &night->data.environment;
  night->run_id = xstrdup(run_id);
  night->started = copy_clean(history_started(&night->data));
  night->name = copy_clean(pairs_get(environment, "name"));
  night->commit = copy_clean(pairs_get(&night->data.tags, "commit"));
  night->verdict = copy_clean(night->decided->verdict);
  night->text = copy_clean(night->decided->text);
}

static int take_night_rows(struct night_entry *night, struct err *err) {
  if (night->data.count > HISTORY_ROWS_MOST)
    return err_set(err, EXIT_FAILED, "%zu rows: at most %d are indexed", night->data.count, HISTORY_ROWS_MOST);
  night->rows = xcalloc(night->data.count + 1, sizeof *night->rows);
  for (size_t i = 0; i < night->data.count; i++) {
    const struct record *record = &night->data.records[i];
    const struct pairs *environment = run_data_environment(&night->data, record);
    add_night_row(night, record, environment);
    if (check_series(&night->rows[i].series, err) != 0) return -1;
    add_night_device(night, &night->rows[i], record, environment);
    add_build(night, record);
  }
  return 0;
}

int night_read(const struct history *history, const char *run_id, struct night_entry *night, struct err *err) {
  *night = (struct night_entry){0};
  if (history_load(history, run_id, &night->data, err) != 0) return -1;
  SCOPED char *path = history_path(history, run_id, HISTORY_DECIDED_FILE);
  night->decided = xcalloc(1, sizeof *night->decided);
  int rc = decided_read(path, night->decided, err);
  if (rc == 0) take_names(night, run_id);
  if (rc == 0) rc = take_night_rows(night, err);
  if (rc == 0) night->fault = find_fault(night);
  if (rc == 0) return 0;
  err_context(err, "night %s", run_id);
  night_free(night);
  return -1;
}

void night_free(struct night_entry *night) {
  for (size_t i = 0; i < night->row_count; i++)
    free_night_series(&night->rows[i].series);
  for (size_t i = 0; i < night->device_count; i++) {
    char *texts[] = {night->devices[i].uuid, night->devices[i].device, night->devices[i].driver,
                     night->devices[i].clock, night->devices[i].host};
    for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++)
      free(texts[j]);
  }
  for (size_t i = 0; i < night->build_count; i++) {
    free(night->builds[i].plugin);
    free(night->builds[i].version);
    free(night->builds[i].sha256);
  }
  char *texts[] = {night->run_id, night->started, night->name, night->commit,
                   night->fault,  night->verdict, night->text};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    free(texts[i]);
  free(night->rows);
  free(night->devices);
  free(night->builds);
  if (night->decided != NULL) decided_free(night->decided);
  free(night->decided);
  run_data_free(&night->data);
  *night = (struct night_entry){0};
}
