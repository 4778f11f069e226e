/* Figures over processes. */
#include "summary/metrics.h"

#include <math.h>
#include <string.h>

#include "stats/math.h"

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
