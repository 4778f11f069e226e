/* Metrics: collects the values that a plugin reports for a figure, and reduces them to one number with its spread. */
#include "model/services/metric.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/stats.h"

/* ---- Values ---- */

/* Drops every second kept value, so that the others remain evenly spaced among all values. */
static void thin_values(struct metric_log *log) {
  for (uint32_t i = 0; i < METRIC_KEPT / 2; i++)
    log->kept[i] = log->kept[2 * i];
  log->kept_count = METRIC_KEPT / 2;
  log->stride *= 2;
}

void metric_log_reserve(struct metric_log *log) {
  if (log->kept != NULL) return;
  log->kept = xcalloc(METRIC_KEPT, sizeof *log->kept);
  memset(log->kept, 1, METRIC_KEPT * sizeof *log->kept);
}

static void keep_value(struct metric_log *log, double value) {
  metric_log_reserve(log);
  if (log->stride == 0) log->stride = 1;
  if (log->n % log->stride != 0) return;
  if (log->kept_count == METRIC_KEPT) thin_values(log);
  if (log->n % log->stride == 0) log->kept[log->kept_count++] = value;
}

void metric_log_add(struct metric_log *log, double value) {
  if (!isfinite(value)) {
    log->dropped++;
    return;
  }
  keep_value(log, value);
  if (log->n == 0 || value < log->min) log->min = value;
  if (log->n == 0 || value > log->max) log->max = value;
  const double n = (double)++log->n, before = value - log->mean;
  log->mean += value / n - log->mean / n; /* divides before subtracting, because the difference could overflow */
  log->root = hypot(log->root, before * sqrt((n - 1) / n));
  log->sum += value;
  log->last = value;
}

bool metric_log_any(const struct metric_log *log) {
  return log->n > 0 || log->dropped > 0;
}

void metric_log_clear(struct metric_log *log) {
  *log = (struct metric_log){.kept = log->kept};
}

void metric_log_free(struct metric_log *log) {
  free(log->kept);
  *log = (struct metric_log){0};
}

static double aggregate(struct metric_log *log, uint32_t how) {
  switch ((enum metric_aggregate)how) {
    case AGGREGATE_MEAN:
      return log->mean;
    case AGGREGATE_SUM:
      return log->sum;
    case AGGREGATE_MIN:
      return log->min;
    case AGGREGATE_MAX:
      return log->max;
    case AGGREGATE_LAST:
      return log->last;
    default:
      return stats_median(log->kept, log->kept_count); /* sorts the kept values */
  }
}

bool metric_log_result(struct metric_log *log, const struct metric_desc *desc, struct metric_result *result) {
  *result = (struct metric_result){.desc = *desc, .n = log->n, .dropped = log->dropped};
  result->value = log->n > 0 ? aggregate(log, desc->aggregate) : (double)NAN;
  result->sd = log->n > 1 ? fmin(log->root / sqrt((double)log->n - 1), DBL_MAX) : 0;
  result->min = log->min;
  result->max = log->max;
  return metric_log_any(log);
}

bool metric_lost(const struct metric_result *result) {
  return result->dropped > 0 || !isfinite(result->value);
}

/* ---- Descriptions ---- */

int metric_find(const struct metric_set *set, const char *name) {
  for (uint32_t i = 0; i < set->count; i++)
    if (strcmp(set->metrics[i].name, name) == 0) return (int)i;
  return -1;
}

bool metric_check(struct metric_result *result) {
  struct metric_desc *desc = &result->desc;
  desc->name[ID_SIZE - 1] = desc->unit[ID_SIZE - 1] = desc->summary[TEXT_SIZE - 1] = '\0';
  text_sanitize(desc->unit);
  text_sanitize(desc->summary);
  bool numbers = isfinite(result->value) && isfinite(result->min) && isfinite(result->max) && isfinite(result->sd);
  return numbers && result->n > 0 && result->n <= INT64_MAX && result->sd >= 0 && result->min <= result->max &&
         desc->better < BETTER_COUNT && desc->aggregate < AGGREGATE_COUNT && text_is_id(desc->name);
}

static const char *const betters[BETTER_COUNT] = {"neither", "more", "less"};
static const char *const aggregates[AGGREGATE_COUNT] = {"median", "mean", "sum", "min", "max", "last"};

const char *metric_better_name(uint32_t better) {
  return better < BETTER_COUNT ? betters[better] : "?";
}

const char *metric_aggregate_name(uint32_t how) {
  return how < AGGREGATE_COUNT ? aggregates[how] : "?";
}

uint32_t metric_better_parse(const char *name) {
  uint32_t i = 0;
  while (i < BETTER_COUNT && strcmp(betters[i], name) != 0)
    i++;
  return i;
}

uint32_t metric_aggregate_parse(const char *name) {
  uint32_t i = 0;
  while (i < AGGREGATE_COUNT && strcmp(aggregates[i], name) != 0)
    i++;
  return i;
}
