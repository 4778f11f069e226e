/* The runs in memory: looking things up. run_load.c reads them, merge.c puts several together. */
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

size_t run_data_run_of(const struct run_data *data, const struct record *record) {
  size_t row = (size_t)(record - data->records), lo = 0, hi = data->run_count;
  while (lo + 1 < hi) { /* the last run that begins at the row or before it */
    size_t middle = lo + (hi - lo) / 2;
    if (data->runs[middle].first <= row)
      lo = middle;
    else
      hi = middle;
  }
  return lo;
}

const struct pairs *run_data_environment(const struct run_data *data, const struct record *record) {
  const struct run_info *info = data->run_count > 0 ? &data->runs[run_data_run_of(data, record)] : NULL;
  for (size_t i = 0; info != NULL && record->devices != NULL && i < info->device_count; i++)
    if (strcmp(info->devices[i].id, record->devices) == 0) return &info->devices[i].environment;
  return data->run_count > 1 ? &data->runs[run_data_run_of(data, record)].environment : &data->environment;
}

void run_data_run_name(const struct run_data *data, size_t run, char *to, size_t size) {
  const struct run_info *info = run < data->run_count ? &data->runs[run] : NULL;
  const char *id = info != NULL ? pairs_get(&info->environment, "run_id") : run_data_get(data, "run_id");
  size_t first = info != NULL ? info->first : 0, count = info != NULL ? info->count : data->count;
  if (id == NULL && count != 0) id = data->records[first].run_id;
  if (id != NULL && id[0] != '\0')
    text_copy(to, size, id);
  else
    snprintf(to, size, "run %zu", run + 1);
}

/* ---- Samples ---- */

/* A series by its run, perhaps a device of it, and its names. Asked for with every line of samples.csv. */
struct series_key {
  char number[24], *whose; /* whose: owned, where there is a device */
};

static void series_parts(struct series_key *key, const struct run_samples *samples, const char *parts[4]) {
  snprintf(key->number, sizeof key->number, "%zu", samples->run);
  key->whose = NULL;
  if (samples->devices != NULL) {
    size_t size = sizeof key->number + 1 + strlen(samples->devices);
    key->whose = xcalloc(size, 1);
    snprintf(key->whose, size, "%s %s", key->number, samples->devices);
  }
  parts[0] = key->whose != NULL ? key->whose : key->number;
  parts[1] = samples->case_key, parts[2] = samples->variant, parts[3] = samples->mode;
}

/* `names`: its names alone. */
static size_t find_series(const struct run_data *data, const struct run_samples *names) {
  struct series_key key;
  const char *parts[4];
  series_parts(&key, names, parts);
  size_t at = map_get(&data->series, parts, 4);
  free(key.whose);
  return at;
}

static size_t index_series(struct run_data *data, const struct run_samples *names, size_t index) {
  struct series_key key;
  const char *parts[4];
  series_parts(&key, names, parts);
  size_t at = map_put(&data->series, parts, 4, index);
  free(key.whose);
  return at;
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

struct run_samples *run_data_part_samples(struct run_data *data, size_t whole, const char *devices) {
  struct run_samples names = data->samples[whole];
  names.devices = (char *)(uintptr_t)devices;
  index_series(data, &names, data->sample_count);
  return new_samples(data, &names);
}

void run_data_take_samples(struct run_data *into, struct run_data *from) {
  into->samples = xrealloc(into->samples, 2 * (into->sample_count + from->sample_count), sizeof *into->samples);
  for (size_t i = 0; i < from->sample_count; i++) {
    struct run_samples *samples = &from->samples[i];
    samples->run += into->run_count;
    index_series(into, samples, into->sample_count);
    into->samples[into->sample_count++] = *samples;
  }
  from->sample_count = 0;
}

/* ---- What belongs to a row ---- */

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

/* ---- The end ---- */

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

/* ---- Rows by what they are called ---- */

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

/* ---- What --require asks for ---- */

/* As a run's filters do: by the whole name, or that without the label of a build. */
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
