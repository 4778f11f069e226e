/* Stores and looks up the metrics and spans of each case, variant and mode. */
#include "record/extras.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

enum { KEY_PARTS = 4 };

static size_t extras_place(struct extras *extras, size_t run, const char *case_key, const char *variant,
                           const char *mode, size_t index) {
  char number[24];
  const char *const key[KEY_PARTS] = {number, case_key, variant, mode};
  snprintf(number, sizeof number, "%zu", run);
  return map_put(&extras->places, key, KEY_PARTS, index);
}

static struct extras_series *append_series(struct extras *extras) {
  size_t at = extras->count++;
  extras->items = xgrow(extras->items, at, sizeof *extras->items);
  return &extras->items[at];
}

struct extras_series *extras_add(struct extras *extras, size_t run, const char *case_key, const char *variant,
                                 const char *mode) {
  size_t at = extras_place(extras, run, case_key, variant, mode, extras->count);
  if (at < extras->count) return &extras->items[at];
  struct extras_series *series = append_series(extras);
  *series = (struct extras_series){
      .run = run, .case_key = xstrdup(case_key), .variant = xstrdup(variant), .mode = xstrdup(mode)};
  return series;
}

const struct extras_series *extras_find(const struct extras *extras, size_t run, const struct record *record) {
  char number[24];
  const char *const key[KEY_PARTS] = {number, text_or_empty(record->case_key), text_or_empty(record->variant),
                                      text_or_empty(record->mode)};
  if (extras->count == 0) return NULL;
  snprintf(number, sizeof number, "%zu", run);
  size_t at = map_get(&extras->places, key, KEY_PARTS);
  return at != MAP_NONE ? &extras->items[at] : NULL;
}

void extras_merge(struct extras *into, struct extras *from, size_t runs) {
  for (size_t i = 0; i < from->count; i++) {
    struct extras_series *series = &from->items[i];
    series->run += runs;
    extras_place(into, series->run, series->case_key, series->variant, series->mode, into->count);
    *append_series(into) = *series;
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
