/* Values that variants reported besides their times, by case, variant and mode: metrics (metrics.csv) and spans
 * (spans.csv). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/text.h"
#include "model/services/metric.h"
#include "record/record.h"

struct extras_metric {
  uint32_t epoch;
  struct metric_result result;
};

struct extras_span {
  uint32_t epoch, lane; /* index into the series' lanes */
  char *label;          /* NULL: the same as the lane */
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

/* Returns the series, which is made on first use. Valid until the next call. */
struct extras_series *extras_add(struct extras *extras, size_t run, const char *case_key, const char *variant,
                                 const char *mode);
/* Returns the series of the row in this run, or NULL. */
const struct extras_series *extras_find(const struct extras *extras, size_t run, const struct record *record);
/* Moves the series of `from` to the end; adds `runs` to the numbers of their runs. */
void extras_merge(struct extras *into, struct extras *from, size_t runs);
void extras_free(struct extras *extras);
