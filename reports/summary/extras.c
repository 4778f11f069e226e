/* Data of rows other than their times: energy (joules), metrics, timelines. */
#include "summary/extras.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "model/services/timeline.h"
#include "stats/math.h"
#include "summary/summary.h"

/* ---- Energy: the Pareto front of a case, and whether the counter can be trusted (energy/selftest) ---- */

/* The benchmark energy/selftest measures a load that pulses with the period of the energy counter, started at several
 * phases of that period. If the joules of these phases differ by at most `agree_within`, the counter is trusted; from
 * `alias_from` on, it is not. The joules of a counter that does not alias scatter by less than one percent over
 * seconds. A counter that samples only a quarter of each period is wrong by up to a factor of four if the bursts are as
 * long as that quarter. */
static const double agree_within = 0.03, alias_from = 0.1;
enum { PHASES_LEAST = 5 };

bool energy_known(const struct record *record) {
  return row_timed(record) && isfinite(record->energy_j) && record->energy_j > 0;
}

bool energy_asked(const struct record *record) {
  return record != NULL &&
         (text_or_empty(record->energy_method)[0] != '\0' || text_or_empty(record->energy_fault)[0] != '\0');
}

static bool energy_point_beats(const struct energy_point *a, const struct energy_point *b) {
  return a->ns <= b->ns && a->joules <= b->joules && (a->ns < b->ns || a->joules < b->joules);
}

void energy_front(struct energy_point *points, size_t count) {
  for (size_t i = 0; i < count; i++) {
    points[i].front = true;
    for (size_t j = 0; j < count && points[i].front; j++)
      points[i].front = !energy_point_beats(&points[j], &points[i]);
  }
}

/* ---- Whether the counter can be trusted ---- */

bool energy_same_device(const struct run_data *data, const struct record *a, const struct record *b) {
  return text_same(a->devices, b->devices) && run_data_run_of(data, a) == run_data_run_of(data, b);
}

static bool is_phase(const struct run_data *data, const struct record *row, const struct record *of) {
  return row->contract != NULL && strcmp(row->contract, ENERGY_SELFTEST) == 0 && energy_known(row) &&
         energy_same_device(data, row, of);
}

/* Reads "period_ms=100" from a case key; NaN if it has none. */
static double period_of(const char *key) {
  const char *at = strstr(text_or_empty(key), "period_ms=");
  double period = at != NULL ? strtod(at + strlen("period_ms="), NULL) : (double)NAN;
  return isfinite(period) && period > 0 ? period : (double)NAN;
}

static struct energy_verdict verdict_of_case(const struct run_data *data, const struct record *first) {
  double lo = HUGE_VAL, hi = 0, sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < data->count; i++) {
    const struct record *row = &data->records[i];
    if (!is_phase(data, row, first) || !text_same(row->case_key, first->case_key) || !text_same(row->mode, first->mode))
      continue;
    lo = fmin(lo, row->energy_j);
    hi = fmax(hi, row->energy_j);
    sum += row->energy_j;
    count++;
  }
  const double spread = (hi - lo) / (sum / (double)count);
  const enum energy_trust trust = count < PHASES_LEAST     ? ENERGY_UNTESTED
                                  : spread <= agree_within ? ENERGY_AGREES
                                  : spread < alias_from    ? ENERGY_UNSURE
                                                           : ENERGY_ALIASES;
  return (struct energy_verdict){trust, count, spread, period_of(first->case_key)};
}

struct energy_verdict energy_verdict(const struct run_data *data, const struct record *record) {
  struct energy_verdict worst = {ENERGY_UNTESTED, 0, 0, (double)NAN};
  for (size_t i = 0; i < data->count; i++) {
    if (!is_phase(data, &data->records[i], record)) continue;
    struct energy_verdict one = verdict_of_case(data, &data->records[i]);
    if (worst.phases == 0 || one.trust > worst.trust || (one.trust == worst.trust && one.spread > worst.spread))
      worst = one;
  }
  return worst;
}

void energy_verdict_text(const struct energy_verdict *v, char *to, size_t size) {
  char period[32] = "its step";
  double percent = 100 * v->spread;
  if (isfinite(v->period_ms)) snprintf(period, sizeof period, "%.4g ms", v->period_ms);
  if (v->trust == ENERGY_AGREES)
    snprintf(to, size, "the counter does not alias: %zu phases agree within %.1f%%", v->phases, percent);
  else if (v->trust == ENERGY_UNSURE)
    snprintf(to, size,
             "the counter may alias: %zu phases differ by %.1f%%, loads that pulse near %s are uncertain by that",
             v->phases, percent, period);
  else if (v->trust == ENERGY_ALIASES)
    snprintf(to, size, "the counter aliases: phases differ by %.0f%%, do not trust loads that pulse near %s", percent,
             period);
  else
    snprintf(to, size, "whether the counter aliases was not tested in this run (energy/selftest does)");
}

/* ---- Metrics: the figure of a row, combined over its worker processes ---- */

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

static void gather_metric_epochs(const struct extras_series *series, const struct record *record, size_t first,
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
  figure->value = stats_median(values, figure->epochs); /* stats_median() sorts the values */
  if (figure->epochs < 2) return;
  figure->sd = NAN;
  figure->lo = values[0];
  figure->hi = values[figure->epochs - 1];
}

bool metrics_next(const struct run_data *data, const struct record *record, size_t *at, struct metrics_figure *figure) {
  const struct extras_series *series = extras_of(data, record);
  for (; series != NULL && *at < series->metric_count; ++*at) {
    if (!record_has_epoch(record, series->metrics[*at].epoch) || !is_first(series, record, *at)) continue;
    gather_metric_epochs(series, record, (*at)++, figure);
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

/* ---- Timelines: the lanes, and how long each is busy (spans that overlap count once) ---- */

static int by_lane_and_begin(const void *a, const void *b) {
  const struct extras_span *x = ((const struct lane_bar *)a)->span, *y = ((const struct lane_bar *)b)->span;
  if (x->lane != y->lane) return x->lane < y->lane ? -1 : 1;
  if (x->begin_ns != y->begin_ns) return x->begin_ns < y->begin_ns ? -1 : 1;
  if (x->end_ns != y->end_ns) return x->end_ns < y->end_ns ? -1 : 1;
  return x < y ? -1 : x > y;
}

/* Returns the lowest level (row of bars) of the lane that is free when the span begins; if none is, the last level. */
static size_t level_for(int64_t free_ns[LANE_LEVELS], const struct extras_span *span) {
  size_t level = 0;
  while (level + 1 < LANE_LEVELS && free_ns[level] > span->begin_ns)
    level++;
  if (span->end_ns > free_ns[level]) free_ns[level] = span->end_ns;
  return level;
}

/* Fills in a lane's figures and the level of each of its bars, which must be sorted by time. */
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

void timeline_lanes_free(struct timeline_lanes *lanes) {
  free(lanes->bars);
  *lanes = (struct timeline_lanes){0};
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
