/* Metrics of variants: figures over the processes of a row. */
#ifndef SUMMARY_METRICS_H
#define SUMMARY_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/metric.h"
#include "record/run_data.h"

/* A metric over the processes that a row counts. */
struct metrics_figure {
  const struct metric_desc *desc;
  double value;  /* median over processes */
  double lo, hi; /* their range; of a single process the range of its values */
  double sd;     /* of a single process's values; NaN where there are several */
  uint64_t n;    /* values of all of them */
  size_t epochs;
};

/* Its unit as it is shown: nothing for "1". */
const char *metrics_unit(const struct metric_desc *desc);

/* The next metric of the row, from `*at` = 0 on; false at the end. */
bool metrics_next(const struct run_data *data, const struct record *record, size_t *at, struct metrics_figure *figure);
/* The one of this name; false: it has none. */
bool metrics_find(const struct run_data *data, const struct record *record, const char *name,
                  struct metrics_figure *figure);

#endif
