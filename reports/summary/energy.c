/* The Pareto front of a case, and the verdict of energy/selftest. */
#include "summary/energy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "summary/summary.h"

/* Windows of seconds scatter by less than a percent where nothing aliases; a counter that looks a quarter of the time
 * at bursts of a quarter of the time is off by up to a factor of four. */
static const double agree_within = 0.03, alias_from = 0.1;
enum { PHASES_LEAST = 5 };

bool energy_known(const struct record *record) {
  return row_timed(record) && isfinite(record->energy_j) && record->energy_j > 0;
}

bool energy_asked(const struct record *record) {
  return record != NULL &&
         (text_or_empty(record->energy_method)[0] != '\0' || text_or_empty(record->energy_fault)[0] != '\0');
}

static bool beats(const struct energy_point *a, const struct energy_point *b) {
  return a->ns <= b->ns && a->joules <= b->joules && (a->ns < b->ns || a->joules < b->joules);
}

void energy_front(struct energy_point *points, size_t count) {
  for (size_t i = 0; i < count; i++) {
    points[i].front = true;
    for (size_t j = 0; j < count && points[i].front; j++)
      points[i].front = !beats(&points[j], &points[i]);
  }
}

/* ---- The verdict ---- */

bool energy_same_device(const struct run_data *data, const struct record *a, const struct record *b) {
  return text_same(a->devices, b->devices) && run_data_run_of(data, a) == run_data_run_of(data, b);
}

static bool is_phase(const struct run_data *data, const struct record *row, const struct record *of) {
  return row->contract != NULL && strcmp(row->contract, ENERGY_SELFTEST) == 0 && energy_known(row) &&
         energy_same_device(data, row, of);
}

/* "period_ms=100" within a case key; NaN: it is not there. */
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
