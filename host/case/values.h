/* Selects which values of metrics and which spans (named intervals of a timeline) are kept, of those that a variant
 * reports while it is measured. */
#pragma once

#include "case/case.h"

/* The logs of one variant. */
struct values {
  /* logs of the values from `prepare`, from `run` and from verification, one per metric of the case; NULL: there are
   * no metrics */
  struct metric_log *prepared, *run, *verified;
  bool wants_timeline; /* the variant has asked for an iteration whose spans are kept */
};

/* Select the logs that values go to. Call one of these functions before the variant's `prepare`, before one of its
 * slots (series of samples), or before its outputs are judged, and values_end() afterwards. `kept`: the iterations
 * whose values are kept. */
void values_of_prepare(struct values *values, struct gb_case *c);
void values_of_run(struct values *values, struct gb_case *c, struct kept kept, struct timeline *timeline);
void values_of_verify(struct values *values, struct gb_case *c);
void values_end(struct values *values, struct gb_case *c);

/* Writes the result of each metric, at most METRICS_MAX; returns how many have values. */
uint32_t values_results(struct values *values, const struct gb_case *c, struct metric_result *results);

void values_free(struct values *values);
