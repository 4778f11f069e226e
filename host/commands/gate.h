/* --fail-on: turns comparisons into an exit code. A gate that compared nothing does not pass. */
#pragma once

#include "base/err.h"
#include "compare/compare.h"
#include "options/options.h"

/* Counts over all compared runs. */
struct gate {
  size_t runs;
  size_t untimed_runs;   /* runs without a row that is timed in both */
  size_t unchecked_runs; /* runs without a row that is ok in the baseline run, and ok or broken now */
  size_t slower, lost;   /* rows */
  size_t gaps[GAPS];     /* rows that are timed in the baseline run but not judged */
  size_t unchecked;      /* rows that are ok in the baseline run, and neither ok nor broken now */
  double threshold;
  char apart[TEXT_SIZE]; /* names of two runs without a common row, or empty */
};

void gate_add(struct gate *gate, const struct compare *compare);
/* Counts a run that has no baseline run. */
void gate_add_alone(struct gate *gate);

/* Returns exit 1 if something is slower or no longer correct; 5 if something that --fail-on asks about could not be
 * judged, unless --allow-unjudged, or if there was nothing to judge. Without --fail-on everything passes, except exit 2
 * if a run has nothing in common with its baseline run. */
int gate_judge(const struct gate *gate, const struct options *options, struct err *err);
