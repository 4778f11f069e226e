/* What variants stated beside their times, by case, variant and mode: metrics (metrics.csv) and spans (spans.csv). */
#ifndef SUMMARY_METRICS_H
#define SUMMARY_METRICS_H

#include <stdint.h>

#include "base/map.h"
#include "base/text.h"
#include "model/metric.h"
#include "record/record.h"

struct extras_metric {
  uint32_t epoch;
  struct metric_result result;
};

struct extras_span {
  uint32_t epoch, lane; /* lane: index into the series' lanes */
  char *label;          /* NULL: as the lane */
  int64_t begin_ns, end_ns;
};

struct extras_series {
  size_t run;
  char *case_key, *variant, *mode;
  struct extras_metric *metrics;
  size_t metric_count;
  struct strings lanes;
  struct extras_span *spans;
  size_t span_count;
};

struct extras {
  struct extras_series *items;
  size_t count;
  struct map places;
};

struct run_data;

/* Made where there is none yet. Valid until the next call. */
struct extras_series *extras_add(struct extras *extras, size_t run, const char *case_key, const char *variant,
                                 const char *mode);
/* Of one of `data->records`, or NULL. */
const struct extras_series *extras_of(const struct run_data *data, const struct record *record);
/* Moves those of `from` behind, their runs counted on by `runs`. */
void extras_merge(struct extras *into, struct extras *from, size_t runs);
void extras_free(struct extras *extras);

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
