/* --fail-on: turns comparisons into an exit code (the gate). A gate that compared nothing does not pass. */
#pragma once

#include "base/err.h"
#include "compare/compare.h"
#include "options/options.h"

/* Counts over all compared runs. */
struct gate {
  size_t runs;
  size_t untimed_runs;   /* runs of which no row is timed in both the run and its baseline run */
  size_t unchecked_runs; /* runs without a row that is ok in the baseline run, and ok or failed now */
  size_t slower, lost;   /* number of rows that are slower, and of rows that are no longer correct */
  size_t gaps[GAPS];     /* rows that are timed in the baseline run but not judged, by the reason */
  size_t unchecked;      /* rows that are ok in the baseline run, and neither ok nor failed now */
  double threshold;
  char apart[TEXT_SIZE]; /* names of two runs without a common row, or empty */
};

void gate_add(struct gate *gate, const struct compare *compare);
/* Counts a run that has no baseline run to compare with. */
void gate_add_alone(struct gate *gate);

/* Returns the exit code: 1 if something is slower or no longer correct; 5 if something that --fail-on is about could
 * not be judged (unless --allow-unjudged is given) or if there was nothing to judge. Without --fail-on everything
 * passes, except that a run which has nothing in common with its baseline run leads to 2. */
int gate_judge(const struct gate *gate, const struct options *options, struct err *err);
