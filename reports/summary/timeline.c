/* Lanes of a timeline: busy times as unions of spans. */
#include "summary/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "model/timeline.h"

static int by_lane_and_begin(const void *a, const void *b) {
  const struct extras_span *x = ((const struct lane_bar *)a)->span, *y = ((const struct lane_bar *)b)->span;
  if (x->lane != y->lane) return x->lane < y->lane ? -1 : 1;
  if (x->begin_ns != y->begin_ns) return x->begin_ns < y->begin_ns ? -1 : 1;
  if (x->end_ns != y->end_ns) return x->end_ns < y->end_ns ? -1 : 1;
  return x < y ? -1 : x > y;
}

/* The lowest level that is free again; the last one where none is. */
static size_t level_for(int64_t free_ns[LANE_LEVELS], const struct extras_span *span) {
  size_t level = 0;
  while (level + 1 < LANE_LEVELS && free_ns[level] > span->begin_ns)
    level++;
  if (span->end_ns > free_ns[level]) free_ns[level] = span->end_ns;
  return level;
}

/* The bars of one lane, in order of time. */
static void measure_lane(struct lane *lane, struct lane_bar *bars, size_t count) {
  int64_t free_ns[LANE_LEVELS], covered_ns = bars[0].span->begin_ns;
  for (size_t i = 0; i < LANE_LEVELS; i++)
    free_ns[i] = INT64_MIN;
  lane->first_ns = bars[0].span->begin_ns;
  lane->last_ns = bars[0].span->end_ns;
  lane->spans = count;
  for (size_t i = 0; i < count; i++) {
    const struct extras_span *span = bars[i].span;
    int64_t from = span->begin_ns > covered_ns ? span->begin_ns : covered_ns;
    if (span->end_ns > from) lane->busy_ns += span->end_ns - from;
    if (span->end_ns > covered_ns) covered_ns = span->end_ns;
    if (span->end_ns > lane->last_ns) lane->last_ns = span->end_ns;
    bars[i].level = level_for(free_ns, span);
    if (bars[i].level + 1 > lane->levels) lane->levels = bars[i].level + 1;
  }
}

static void add_lane(struct timeline_lanes *lanes, const struct extras_series *series, struct lane_bar *bars,
                     size_t count) {
  struct lane *lane = &lanes->items[lanes->count];
  *lane = (struct lane){.name = series->lanes.items[bars[0].span->lane]};
  measure_lane(lane, bars, count);
  if (lane->first_ns < lanes->begin_ns) lanes->begin_ns = lane->first_ns;
  if (lanes->count == 0 || lane->last_ns > lanes->end_ns) lanes->end_ns = lane->last_ns;
  if (lane->busy_ns > lanes->items[lanes->longest].busy_ns) lanes->longest = lanes->count;
  lanes->count++;
}

bool timeline_is_power(const struct extras_series *series, const struct extras_span *span) {
  return strcmp(series->lanes.items[span->lane], TIMELINE_POWER) == 0;
}

bool timeline_build(const struct extras_series *series, const struct record *record, struct timeline_lanes *lanes) {
  *lanes = (struct timeline_lanes){0};
  if (series == NULL || series->span_count == 0) return false;
  lanes->bars = xcalloc(series->span_count, sizeof *lanes->bars);
  for (size_t i = 0; i < series->span_count; i++)
    if (record_has_epoch(record, series->spans[i].epoch) && !timeline_is_power(series, &series->spans[i]))
      lanes->bars[lanes->bar_count++].span = &series->spans[i];
  qsort(lanes->bars, lanes->bar_count, sizeof *lanes->bars, by_lane_and_begin);
  for (size_t first = 0; first < lanes->bar_count && lanes->count < LANES_MAX;) {
    size_t end = first;
    while (end < lanes->bar_count && lanes->bars[end].span->lane == lanes->bars[first].span->lane)
      end++;
    add_lane(lanes, series, &lanes->bars[first], end - first);
    first = end;
  }
  if (lanes->count == 0) timeline_lanes_free(lanes);
  return lanes->count > 0;
}

void timeline_lanes_free(struct timeline_lanes *lanes) {
  free(lanes->bars);
  *lanes = (struct timeline_lanes){0};
}

static double whole_ns(const struct timeline_lanes *lanes) {
  return (double)lanes->end_ns - (double)lanes->begin_ns;
}

double timeline_share(const struct timeline_lanes *lanes, const struct lane *lane) {
  return whole_ns(lanes) > 0 ? (double)lane->busy_ns / whole_ns(lanes) : 0;
}

double timeline_overlap(const struct timeline_lanes *lanes) {
  double busy = 0;
  for (size_t i = 0; i < lanes->count; i++)
    busy += (double)lanes->items[i].busy_ns;
  return whole_ns(lanes) > 0 ? busy / whole_ns(lanes) : 0;
}

void timeline_sentence(const struct timeline_lanes *lanes, char *to, size_t size) {
  const struct lane *lane = &lanes->items[lanes->longest];
  snprintf(to, size, "bottleneck: %s, busy %s%% of %s; overlap %s (sum of busy times / whole)", lane->name,
           number_percent(timeline_share(lanes, lane)).text, number_time(whole_ns(lanes)).text,
           number_significant(timeline_overlap(lanes), 3).text);
}
