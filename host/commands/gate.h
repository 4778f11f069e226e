/* --fail-on: from comparisons to an exit code. A gate that has compared nothing does not pass. */
#ifndef COMMANDS_GATE_H
#define COMMANDS_GATE_H

#include "base/err.h"
#include "compare/compare.h"
#include "options/options.h"

/* What was compared, of all runs. */
struct gate {
  size_t runs;
  size_t untimed_runs;   /* of them, without a row that was timed in both */
  size_t unchecked_runs; /* without one that is ok in the base, and ok or broken now */
  size_t slower, lost;   /* rows */
  size_t gaps[GAPS];     /* rows that the base has timed and that are not judged */
  size_t unchecked;      /* rows that are ok in the base, and neither ok nor broken now */
  double threshold;
  char apart[TEXT_SIZE]; /* what has nothing in common, or empty */
};

void gate_add(struct gate *gate, const struct compare *compare);
/* A run for which there is no base. */
void gate_add_alone(struct gate *gate);

/* Exit 1 where something is slower, or no longer correct; 5 where something could not be judged that --fail-on asks
 * about, unless --allow-unjudged, or where there was nothing. Without --fail-on all passes, but exit 2 where a run has
 * nothing in common with its base. */
int gate_judge(const struct gate *gate, const struct options *options, struct err *err);

#endif
