/* The summary of a run in one sentence, and the run's outcome. No I/O. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "record/run_data.h"
#include "summary/bench.h"

enum run_outcome {
  RUN_PASSED,
  RUN_LEFT_OUT /* rows are missing, but only for lack of time */,
  RUN_INCOMPLETE /* rows were not run, devices were not measured, or plugins could not be loaded */,
  RUN_FAILED,
  RUN_NOTHING
};

/* Writes how many rows reached the requested precision: "10 of 12 reached 0.5%, 2 stopped at the clock's step"; empty
 * if the requested precision is not known. */
void sentence_reached(const struct run_summary *summary, char *to, size_t size);

/* Writes when the timed rows were verified: "before timing and in random timed slots"; empty if nothing was timed. */
void sentence_when(const struct run_summary *summary, char *to, size_t size);

/* Writes how many verdicts between variants of different plugins were confirmed when each variant was measured alone,
 * in a process without the other's plugin, and which plugin the baseline comes from. Writes an empty text if there is
 * no such verdict. */
void sentence_alone(const struct run_data *data, char *to, size_t size);

/* Writes the summary in one sentence, "All 9 results correct; cudnn is fastest in all 3 cases, at 62% of the measured
 * ceiling.", and returns the run's outcome. */
enum run_outcome summary_sentence(const struct run_data *data, const struct run_summary *summary, char *to,
                                  size_t size);

/* Correction for many verdicts. Among many verdicts some are false by chance, so the verdicts of a bench share an error
 * rate (STATS_FAMILY_ERROR) by Holm's rule. The rule covers all comparisons of one bench in one mode on the same
 * devices, over all cases. Means over cases are not corrected, because their intervals are as wide as those of their
 * rows. In addition, each verdict must hold by the 99% interval of its own ratio. */

/* Removes from the rows the verdicts that fail Holm's rule, and the mark "fastest" if it depends on one of them, so
 * that all outputs agree. (results.csv has each row's own verdict.) Applying it again changes nothing. */
void words_settle(struct run_data *data);

/* The result of words_settle() for a bench. */
struct word_counts {
  size_t compared, lost; /* compared: number of rows that could have a verdict; lost: number of those that Holm's rule
                            made undecided */
};
struct word_counts words_count(const struct run_bench *bench);

/* Writes "20 comparisons share an error of 5% (Holm's rule): 2 are undecided for it"; empty if there are so few
 * comparisons that Holm's rule cannot change a verdict. */
void words_sentence(const struct run_bench *bench, char *to, size_t size);

/* ---- Conditions of a whole run: quick (--quick), isolated (--isolate), throttled ---- */

#define CONDITIONS_QUICK "quick run: a look at 5%, not a measurement"

/* Returns true if any of the rows was measured with --quick. */
bool conditions_quick(const struct run_data *data);

/* Writes, for a run with --isolate, that each plugin had a separate process, and which protections were in effect;
 * empty for other runs. */
void conditions_isolated(const struct run_data *data, char *to, size_t size);
/* Writes how many results were throttled: "throttled in 2 of 26 results, there in up to 12% of the rounds"; "" if none
 * was. */
void conditions_throttled(const struct run_summary *summary, char *to, size_t size);
