/* Functions of struct run_data, which holds the results of stored runs in memory. They look up rows and samples, find
 * the devices of a run, and merge runs. run_load.c reads the runs. */
#include "record/run_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/row_status.h"
#include "record/against.h"

const char *run_data_get(const struct run_data *data, const char *name) {
  return pairs_get(&data->environment, name);
}

const struct pairs *run_data_environment(const struct run_data *data, const struct record *record) {
  const struct run_info *info = data->run_count > 0 ? &data->runs[run_data_run_of(data, record)] : NULL;
  for (size_t i = 0; info != NULL && record->devices != NULL && i < info->device_count; i++)
    if (strcmp(info->devices[i].id, record->devices) == 0) return &info->devices[i].environment;
  return data->run_count > 1 ? &data->runs[run_data_run_of(data, record)].environment : &data->environment;
}

struct text run_data_run_name(const struct run_data *data, size_t run) {
  struct text result;
  const struct run_info *info = run < data->run_count ? &data->runs[run] : NULL;
  const char *id = info != NULL ? pairs_get(&info->environment, "run_id") : run_data_get(data, "run_id");
  size_t first = info != NULL ? info->first : 0, count = info != NULL ? info->count : data->count;
  if (id == NULL && count != 0) id = data->records[first].run_id;
  if (id != NULL && id[0] != '\0')
    text_copy(result.text, sizeof result.text, id);
  else
    snprintf(result.text, sizeof result.text, "run %zu", run + 1);
  return result;
}

/* ---- Samples ---- */

/* Number of texts that identify a series of samples: run, device (may be empty), case, variant and mode. A map from
 * these texts to series is kept, because the series is looked up for every line of samples.csv. */
enum { SERIES_PARTS = 5 };

static void series_parts(const struct run_samples *names, char number[24], const char *parts[SERIES_PARTS]) {
  snprintf(number, 24, "%zu", names->run);
  parts[0] = number, parts[1] = text_or_empty(names->devices);
  parts[2] = names->case_key, parts[3] = names->variant, parts[4] = names->mode;
}

/* Returns the index of the series with the run, device and names of `names`; other members are not read. */
static size_t find_series(const struct run_data *data, const struct run_samples *names) {
  char number[24];
  const char *parts[SERIES_PARTS];
  series_parts(names, number, parts);
  return map_get(&data->series, parts, SERIES_PARTS);
}

static size_t index_series(struct run_data *data, const struct run_samples *names, size_t index) {
  char number[24];
  const char *parts[SERIES_PARTS];
  series_parts(names, number, parts);
  return map_put(&data->series, parts, SERIES_PARTS, index);
}

static struct run_samples names_of(size_t run, const char *devices, const char *case_key, const char *variant,
                                   const char *mode) {
  return (struct run_samples){.run = run,
                              .devices = (char *)(uintptr_t)devices,
                              .case_key = (char *)(uintptr_t)case_key,
                              .variant = (char *)(uintptr_t)variant,
                              .mode = (char *)(uintptr_t)mode};
}

const struct run_samples *run_data_samples(const struct run_data *data, const char *case_key, const char *variant,
                                           const char *mode) {
  size_t at = MAP_NONE;
  for (size_t run = 0; at == MAP_NONE && (run == 0 || run < data->run_count); run++) {
    const struct run_samples names = names_of(run, NULL, case_key, variant, mode);
    at = find_series(data, &names);
  }
  return at != MAP_NONE ? &data->samples[at] : NULL;
}

const struct run_samples *run_data_samples_of(const struct run_data *data, const struct record *record) {
  size_t run = run_data_run_of(data, record), at = MAP_NONE;
  struct run_samples names = names_of(run, text_or_empty(record->devices), text_or_empty(record->case_key),
                                      text_or_empty(record->variant), text_or_empty(record->mode));
  if (run < data->run_count && data->runs[run].device_count > 0) at = find_series(data, &names);
  names.devices = NULL;
  if (at == MAP_NONE) at = find_series(data, &names);
  return at != MAP_NONE ? &data->samples[at] : NULL;
}

static struct run_samples *new_samples(struct run_data *data, const struct run_samples *names) {
  size_t at = data->sample_count;
  data->samples = xgrow(data->samples, at, sizeof *data->samples);
  data->samples[data->sample_count++] =
      (struct run_samples){.run = names->run,
                           .devices = names->devices != NULL ? xstrdup(names->devices) : NULL,
                           .case_key = xstrdup(names->case_key),
                           .variant = xstrdup(names->variant),
                           .mode = xstrdup(names->mode)};
  return &data->samples[at];
}

struct run_samples *run_data_add_samples(struct run_data *data, size_t run, const char *case_key, const char *variant,
                                         const char *mode) {
  const struct run_samples names = names_of(run, NULL, case_key, variant, mode);
  size_t at = index_series(data, &names, data->sample_count);
  return at < data->sample_count ? &data->samples[at] : new_samples(data, &names);
}

/* Adds an empty series for the samples of one device, with the names of series `whole`, which has the samples of
 * several devices. The caller fills in the rest. */
static struct run_samples *run_data_part_samples(struct run_data *data, size_t whole, const char *devices) {
  struct run_samples names = data->samples[whole];
  names.devices = (char *)(uintptr_t)devices;
  index_series(data, &names, data->sample_count);
  return new_samples(data, &names);
}

/* Moves the samples of `from` to the end of `into`. Renumbers their runs, because the runs of `from` will follow those
 * of `into`. */
static void run_data_take_samples(struct run_data *into, struct run_data *from) {
  into->samples = xrealloc(into->samples, 2 * (into->sample_count + from->sample_count), sizeof *into->samples);
  for (size_t i = 0; i < from->sample_count; i++) {
    struct run_samples *samples = &from->samples[i];
    samples->run += into->run_count;
    index_series(into, samples, into->sample_count);
    into->samples[into->sample_count++] = *samples;
  }
  from->sample_count = 0;
}

/* ---- Data that belongs to a row ---- */

const struct against *against_of(const struct run_data *data, const struct record *record) {
  return data->run_count != 0 ? data->runs[run_data_run_of(data, record)].against : NULL;
}

const struct against_row *against_row_of(const struct run_data *data, const struct record *record) {
  return against_find(against_of(data, record), record);
}

bool against_any(const struct run_data *data) {
  for (size_t i = 0; i < data->run_count; i++)
    if (data->runs[i].against != NULL) return true;
  return false;
}

const struct extras_series *extras_of(const struct run_data *data, const struct record *record) {
  return extras_find(&data->extras, run_data_run_of(data, record), record);
}

/* ---- Freeing ---- */

void run_data_forget_dirs(struct run_data *data) {
  for (size_t i = 0; i < data->run_count; i++) {
    free(data->runs[i].dir);
    data->runs[i].dir = NULL;
    strings_free(&data->runs[i].files);
  }
  free(data->dir);
  data->dir = NULL;
}

static void free_samples(struct run_samples *samples) {
  free(samples->case_key);
  free(samples->variant);
  free(samples->slots);
  free(samples->mode);
  free(samples->devices);
  free(samples->ns);
}

static void free_graph(struct run_graph *graph) {
  free(graph->case_key);
  free(graph->variant);
  free(graph->nodes);
  free(graph->edges);
}

static void free_info(struct run_info *info) {
  free(info->dir);
  free(info->ini);
  pairs_free(&info->environment);
  pairs_free(&info->tags);
  strings_free(&info->notes);
  strings_free(&info->files);
  for (size_t i = 0; i < info->device_count; i++) {
    free(info->devices[i].id);
    pairs_free(&info->devices[i].environment);
  }
  free(info->devices);
  against_free(info->against);
}

void run_data_free(struct run_data *data) {
  for (size_t i = 0; i < data->count; i++)
    record_free(&data->records[i]);
  for (size_t i = 0; i < data->sample_count; i++)
    free_samples(&data->samples[i]);
  for (size_t i = 0; i < data->run_count; i++)
    free_info(&data->runs[i]);
  for (size_t i = 0; i < data->graph_count; i++)
    free_graph(&data->graphs[i]);
  free(data->graphs);
  extras_free(&data->extras);
  foreign_free(&data->foreign);
  free(data->dir);
  free(data->records);
  free(data->samples);
  free(data->runs);
  map_free(&data->series);
  pairs_free(&data->environment);
  pairs_free(&data->tags);
  strings_free(&data->notes);
  *data = (struct run_data){0};
}

/* ---- Rows by name ---- */

size_t run_data_row(const struct map *rows, const char *device, const char *case_key, const char *mode,
                    const char *variant) {
  const char *key[] = {device, case_key, mode, variant};
  return map_get(rows, key, 4);
}

size_t run_data_index(const struct run_data *data, size_t count, bool by_device, struct map *rows) {
  for (size_t i = 0; i < count; i++) {
    const struct record *row = &data->records[i];
    const char *key[] = {by_device ? text_or_empty(row->devices) : "", text_or_empty(row->case_key),
                         text_or_empty(row->mode), text_or_empty(row->variant)};
    if (map_put(rows, key, 4, i) != i) return i;
  }
  return MAP_NONE;
}

/* ---- Rows that --require demands ---- */

/* Returns true if the glob matches the variant of the row: its whole name, or its name without the label of a build.
 * The filters of a run match in the same way. */
static bool is_required(const char *glob, const struct record *record) {
  char bare[TEXT_SIZE];
  const char *variant = text_or_empty(record->variant);
  text_copy(bare, sizeof bare, variant);
  const size_t length = strlen(variant) - strlen(record_label(record));
  if (length < sizeof bare) bare[length] = '\0';
  return text_glob(glob, variant) || text_glob(glob, bare);
}

bool record_required(const struct run_data *data, const struct record *record) {
  const enum row_status status = row_status_parse(record->status);
  if (status != ROW_SKIPPED && status != ROW_NOT_RUN) return false;
  const struct pairs *environment = run_data_environment(data, record);
  for (size_t i = 0; i < environment->count; i++) {
    const struct pair *pair = &environment->items[i];
    if (strcmp(pair->name, "require") == 0 && is_required(pair->value, record)) return true;
  }
  return false;
}

/* ---- Devices of a run, from the pairs "device.N.NAME" of run.ini ---- */

enum { NUMBER_MOST = 1024 };

/* Parses the name of a pair of run.ini: for "device.3.driver", returns 3 and points `name` to "driver". Returns 0 if
 * the pair is not about one device. */
static size_t number_of(const char *pair, const char **name) {
  static const char begin[] = "device.";
  char *end = NULL;
  if (strncmp(pair, begin, sizeof begin - 1) != 0) return 0;
  const char *digits = pair + sizeof begin - 1;
  if (digits[0] < '1' || digits[0] > '9') return 0;
  unsigned long number = strtoul(digits, &end, 10);
  if (*end != '.' || number > NUMBER_MOST) return 0;
  *name = end + 1;
  return number;
}

/* Fills in the environment of a device: first its own values, then those that all devices share. A lookup returns the
 * first value of a name, so the device's own values take precedence. */
static void fill_device(const struct run_info *info, size_t wanted, struct run_device_info *device) {
  const char *name;
  for (size_t i = 0; i < info->environment.count; i++)
    if (number_of(info->environment.items[i].name, &name) == wanted)
      pairs_add_text(&device->environment, name, info->environment.items[i].value);
  const char *id = pairs_get(&device->environment, "id");
  device->id = xstrdup(id != NULL ? id : "");
  for (size_t i = 0; i < info->environment.count; i++)
    if (number_of(info->environment.items[i].name, &name) == 0)
      pairs_add_text(&device->environment, info->environment.items[i].name, info->environment.items[i].value);
}

static void note_unmeasured(struct run_info *info, struct run_device_info *device) {
  const char *lost = pairs_get(&device->environment, "lost"), *spec = pairs_get(&device->environment, "device");
  bool begun = device->id[0] != '\0';
  device->unmeasured = lost != NULL || !begun;
  if (!device->unmeasured) return;
  strings_print(&info->notes, "%.200s was not measured%s: %.600s", text_or_empty(spec), begun ? " to the end" : "",
                lost != NULL ? lost : "the run ended before its turn");
}

static void take_devices(struct run_info *info) {
  const char *name;
  size_t most = 0;
  for (size_t i = 0; i < info->environment.count; i++) {
    size_t number = number_of(info->environment.items[i].name, &name);
    if (number > most) most = number;
  }
  if (most == 0) return;
  info->devices = xcalloc(most, sizeof *info->devices);
  info->device_count = most;
  for (size_t i = 0; i < most; i++) {
    fill_device(info, i + 1, &info->devices[i]);
    note_unmeasured(info, &info->devices[i]);
  }
}

static void part_samples(struct run_data *data, const struct record *record) {
  const struct run_samples *whole = run_data_samples_of(data, record);
  size_t own = 0, at = 0;
  if (whole == NULL || whole->devices != NULL || record->devices == NULL) return;
  for (size_t i = 0; i < whole->count; i++)
    own += record_has_epoch(record, whole->slots[i].epoch);
  if (own == whole->count) return;
  size_t index = (size_t)(whole - data->samples);
  struct run_samples *part = run_data_part_samples(data, index, record->devices);
  whole = &data->samples[index];
  for (size_t i = 0; i < whole->count; i++)
    if (record_has_epoch(record, whole->slots[i].epoch)) part->ns_count += whole->slots[i].count;
  part->slots = xcalloc(own + 1, sizeof *part->slots);
  part->ns = xcalloc(part->ns_count + 1, sizeof *part->ns);
  for (size_t i = 0; i < whole->count; i++) {
    const struct slot *slot = &whole->slots[i];
    if (!record_has_epoch(record, slot->epoch)) continue;
    part->slots[part->count] = *slot;
    part->slots[part->count++].ns = part->ns + at;
    memcpy(part->ns + at, slot->ns, slot->count * sizeof *slot->ns);
    at += slot->count;
  }
  part->capacity = part->count, part->ns_capacity = part->ns_count;
}

void devices_take(struct run_data *data) {
  for (size_t run = 0; run < data->run_count; run++) {
    struct run_info *info = &data->runs[run];
    take_devices(info);
    for (size_t i = 0; i < info->count && info->device_count > 0; i++)
      part_samples(data, &data->records[info->first + i]);
  }
}

static const char *spec_of(const struct run_data *data, const struct record *record) {
  return text_or_empty(pairs_get(run_data_environment(data, record), "device"));
}

void devices_label(const struct run_data *data, const struct record *record, char *to, size_t size) {
  bool model = record->device_name != NULL, spec = spec_of(data, record)[0] != '\0';
  for (size_t i = 0; i < data->count; i++) {
    const struct record *other = &data->records[i];
    if (text_same(other->devices, record->devices)) continue;
    if (text_same(other->device_name, record->device_name)) model = false;
    if (strcmp(spec_of(data, other), spec_of(data, record)) == 0) spec = false;
  }
  text_copy(to, size, model ? record->device_name : spec ? spec_of(data, record) : text_or_empty(record->devices));
}

/* ---- Several runs as one ---- */

static bool has_pair(const struct pairs *pairs, const struct pair *pair) {
  for (size_t i = 0; i < pairs->count; i++)
    if (strcmp(pairs->items[i].name, pair->name) == 0 && strcmp(pairs->items[i].value, pair->value) == 0) return true;
  return false;
}

static void share_pairs(struct pairs *common, const struct run_info *runs, size_t count, bool tags) {
  pairs_free(common);
  const struct pairs *first = tags ? &runs[0].tags : &runs[0].environment;
  for (size_t i = 0; i < first->count; i++) {
    bool everywhere = true;
    for (size_t run = 1; run < count; run++)
      everywhere = everywhere && has_pair(tags ? &runs[run].tags : &runs[run].environment, &first->items[i]);
    if (everywhere) pairs_add_text(common, first->items[i].name, first->items[i].value);
  }
}

static void share_notes(struct run_data *data) {
  const bool several = data->run_count > 1;
  strings_free(&data->notes);
  for (size_t run = 0; run < data->run_count; run++)
    for (size_t i = 0; i < data->runs[run].notes.count; i++)
      strings_print(&data->notes, "%s%s%s", several ? run_data_run_name(data, run).text : "", several ? ": " : "",
                    data->runs[run].notes.items[i]);
}

void run_data_share(struct run_data *data) {
  share_pairs(&data->environment, data->runs, data->run_count, false);
  share_pairs(&data->tags, data->runs, data->run_count, true);
  share_notes(data);
  foreign_match(data);
  free(data->dir);
  data->dir = data->run_count == 1 && data->runs[0].dir != NULL ? xstrdup(data->runs[0].dir) : NULL;
}

static void take_graphs(struct run_data *into, struct run_data *from) {
  into->graphs = xrealloc(into->graphs, into->graph_count + from->graph_count, sizeof *into->graphs);
  for (size_t i = 0; i < from->graph_count; i++) {
    from->graphs[i].run += into->run_count;
    into->graphs[into->graph_count++] = from->graphs[i];
  }
  from->graph_count = 0;
}

void run_data_merge(struct run_data *into, struct run_data *from) {
  into->records = xrealloc(into->records, into->count + from->count, sizeof *into->records);
  if (from->count != 0) memcpy(into->records + into->count, from->records, from->count * sizeof *from->records);
  run_data_take_samples(into, from);
  take_graphs(into, from);
  extras_merge(&into->extras, &from->extras, into->run_count);
  foreign_merge_runs(&into->foreign, &from->foreign, into->run_count);
  into->runs = xrealloc(into->runs, into->run_count + from->run_count, sizeof *into->runs);
  for (size_t i = 0; i < from->run_count; i++) {
    from->runs[i].first += into->count;
    into->runs[into->run_count++] = from->runs[i];
  }
  into->count += from->count;
  from->count = from->run_count = 0;
  run_data_free(from);
  run_data_share(into);
}
