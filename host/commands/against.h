/* --against: compares runs with a baseline run. */
#pragma once

#include "base/err.h"
#include "compare/compare.h"
#include "options/options.h"
#include "record/find.h"
#include "record/run_data.h"

/* The counts that --fail-on decides by, over all runs that were compared with a baseline run. */
struct gate {
  size_t runs;
  size_t untimed_runs; /* number of runs of which no row is timed both in the run and in its baseline run */
  /* number of runs without any row that is ok in the baseline run and either ok or failed in the run; the correctness
   * of such a run cannot be compared */
  size_t unchecked_runs;
  size_t slower, lost; /* numbers of rows that have become slower (`slower`) or incorrect (`lost`) */
  /* for each reason, the number of rows that are timed in the baseline run but not judged for that reason */
  size_t gaps[GAPS];
  size_t unchecked; /* number of rows that are ok in the baseline run but neither ok nor failed in the run */
  double threshold;
  char apart[TEXT_SIZE]; /* names of two runs without a common row, or empty */
};

void gate_add(struct gate *gate, const struct compare *compare);
/* Counts a run that has no baseline run to compare with. */
void gate_add_alone(struct gate *gate);

/* Returns the exit code that --fail-on demands. 1: something is slower or no longer correct. 5: something that
 * --fail-on concerns could not be judged (unless --allow-unjudged is given), or there was nothing to judge. Without
 * --fail-on the code is 0, or 2 if a run has no row in common with its baseline run. */
int gate_judge(const struct gate *gate, const struct options *options, struct err *err);

/* Compares the runs of `data`, which were read from `path`, with the baseline run. Stores the results in `data` and
 * also, if a run has a directory, in its against.csv. Adds the results to the counts of `gate`. */
int against_add(struct run_data *data, const char *path, const struct base_run *base, const struct options *options,
                struct gate *gate, struct err *err);

/* Returns the comparison options that --threshold, --force and --allow-unjudged set. */
struct compare_options compare_options_of(const struct options *options);
