/* Values that variants reported besides their times, by case, variant and mode: metrics (metrics.csv), and spans, that
 * is intervals on a timeline (spans.csv). */
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
  uint32_t epoch, lane; /* lane: index into `lanes` of the series */
  char *label;          /* text of the span; NULL: the name of its lane */
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

/* Returns the entry for the metrics and spans of a variant, case and mode in a run; adds it if there is none. The
 * pointer is valid until the next call. */
struct extras_series *extras_add(struct extras *extras, size_t run, const char *case_key, const char *variant,
                                 const char *mode);
/* Returns the metrics and spans that belong to this row of the run, or NULL. */
const struct extras_series *extras_find(const struct extras *extras, size_t run, const struct record *record);
/* Moves the entries of `from` to the end of `into`. Adds `runs` to their run numbers, because that is how many runs
 * `into` already has. */
void extras_merge(struct extras *into, struct extras *from, size_t runs);
void extras_free(struct extras *extras);
