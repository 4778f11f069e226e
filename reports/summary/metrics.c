/* Series of metrics and spans, and figures over processes. */
#include "summary/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "record/run_data.h"
#include "stats/math.h"

enum { KEY_PARTS = 4 };

static size_t place(struct extras *extras, size_t run, const char *case_key, const char *variant, const char *mode,
                    size_t index) {
  char number[24];
  const char *const key[KEY_PARTS] = {number, case_key, variant, mode};
  snprintf(number, sizeof number, "%zu", run);
  return map_put(&extras->places, key, KEY_PARTS, index);
}

static struct extras_series *append(struct extras *extras) {
  size_t at = extras->count++;
  extras->items = xgrow(extras->items, at, sizeof *extras->items);
  return &extras->items[at];
}

struct extras_series *extras_add(struct extras *extras, size_t run, const char *case_key, const char *variant,
                                 const char *mode) {
  size_t at = place(extras, run, case_key, variant, mode, extras->count);
  if (at < extras->count) return &extras->items[at];
  struct extras_series *series = append(extras);
  *series = (struct extras_series){
      .run = run, .case_key = xstrdup(case_key), .variant = xstrdup(variant), .mode = xstrdup(mode)};
  return series;
}

const struct extras_series *extras_of(const struct run_data *data, const struct record *record) {
  char number[24];
  const char *const key[KEY_PARTS] = {number, text_or_empty(record->case_key), text_or_empty(record->variant),
                                      text_or_empty(record->mode)};
  if (data->extras.count == 0) return NULL;
  snprintf(number, sizeof number, "%zu", run_data_run_of(data, record));
  size_t at = map_get(&data->extras.places, key, KEY_PARTS);
  return at != MAP_NONE ? &data->extras.items[at] : NULL;
}

void extras_merge(struct extras *into, struct extras *from, size_t runs) {
  for (size_t i = 0; i < from->count; i++) {
    struct extras_series *series = &from->items[i];
    series->run += runs;
    place(into, series->run, series->case_key, series->variant, series->mode, into->count);
    *append(into) = *series;
  }
  from->count = 0;
}

static void free_series(struct extras_series *series) {
  for (size_t i = 0; i < series->span_count; i++)
    free(series->spans[i].label);
  free(series->spans);
  free(series->metrics);
  strings_free(&series->lanes);
  free(series->case_key);
  free(series->variant);
  free(series->mode);
}

void extras_free(struct extras *extras) {
  for (size_t i = 0; i < extras->count; i++)
    free_series(&extras->items[i]);
  free(extras->items);
  map_free(&extras->places);
  *extras = (struct extras){0};
}

/* ---- Over processes ---- */

const char *metrics_unit(const struct metric_desc *desc) {
  return strcmp(desc->unit, "1") == 0 ? "" : desc->unit;
}

static bool is_first(const struct extras_series *series, const struct record *record, size_t index) {
  for (size_t i = 0; i < index; i++)
    if (record_has_epoch(record, series->metrics[i].epoch) &&
        strcmp(series->metrics[i].result.desc.name, series->metrics[index].result.desc.name) == 0)
      return false;
  return true;
}

static void gather(const struct extras_series *series, const struct record *record, size_t first,
                   struct metrics_figure *figure) {
  enum { EPOCHS_MOST = 128 };
  double values[EPOCHS_MOST];
  const struct metric_result *result = &series->metrics[first].result;
  *figure = (struct metrics_figure){.desc = &result->desc, .sd = result->sd, .lo = result->min, .hi = result->max};
  for (size_t i = first; i < series->metric_count && figure->epochs < EPOCHS_MOST; i++) {
    const struct extras_metric *metric = &series->metrics[i];
    if (!record_has_epoch(record, metric->epoch) || strcmp(metric->result.desc.name, result->desc.name) != 0) continue;
    values[figure->epochs++] = metric->result.value;
    figure->n += metric->result.n;
  }
  figure->value = stats_median(values, figure->epochs); /* sorts them */
  if (figure->epochs < 2) return;
  figure->sd = NAN;
  figure->lo = values[0];
  figure->hi = values[figure->epochs - 1];
}

bool metrics_next(const struct run_data *data, const struct record *record, size_t *at, struct metrics_figure *figure) {
  const struct extras_series *series = extras_of(data, record);
  for (; series != NULL && *at < series->metric_count; ++*at) {
    if (!record_has_epoch(record, series->metrics[*at].epoch) || !is_first(series, record, *at)) continue;
    gather(series, record, (*at)++, figure);
    return true;
  }
  return false;
}

bool metrics_find(const struct run_data *data, const struct record *record, const char *name,
                  struct metrics_figure *figure) {
  for (size_t at = 0; metrics_next(data, record, &at, figure);)
    if (strcmp(figure->desc->name, name) == 0) return true;
  return false;
}
