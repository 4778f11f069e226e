/* The summary in one sentence, and the run's outcome. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "record/run_data.h"
#include "summary/bench.h"

enum run_outcome {
  RUN_PASSED,
  RUN_LEFT_OUT /* rows are missing, only for lack of time */,
  RUN_INCOMPLETE /* rows not run, devices or plugins lost */,
  RUN_FAILED,
  RUN_NOTHING
};

/* Writes "10 of 12 reached 0.5%, 2 stopped at the clock's step"; empty if the requested precision is not known. */
void sentence_reached(const struct run_summary *summary, char *to, size_t size);

/* Writes when the timed rows were verified: "before timing and in random timed slots"; empty if nothing was timed. */
void sentence_when(const struct run_summary *summary, char *to, size_t size);

/* Writes "3 of 5 words between providers hold alone, 1 does not, 1 not checked; baseline by softmax"; empty if there is
 * no such verdict. */
void sentence_alone(const struct run_data *data, char *to, size_t size);

/* Writes "All 9 results correct; cudnn is fastest in all 3 cases, at 62% of the measured ceiling." */
enum run_outcome summary_sentence(const struct run_data *data, const struct run_summary *summary, char *to,
                                  size_t size);

/* The verdicts of a bench together. Among many some are false by chance, so they share an error rate
 * (STATS_FAMILY_ERROR) by Holm's rule. A family has all comparisons of one bench, mode and place, over all cases. Means
 * are not part of it, because they use the whole of their rows' intervals. In addition each verdict needs its own
 * 99%. */

/* Takes from the rows the verdicts that fail the correction, and the mark "fastest" if it rests on one, so that all
 * outputs agree. results.csv has each row's own verdict. Applying it again changes nothing. */
void words_settle(struct run_data *data);

/* Counts in rows that words_settle() has handled. */
struct word_counts {
  size_t compared, lost; /* rows that may have had a verdict, and those undecided for their number */
};
struct word_counts words_count(const struct run_bench *bench);

/* Writes "20 comparisons share an error of 5% (Holm's rule): 2 are undecided for it"; empty if they are too few to lose
 * one. */
void words_sentence(const struct run_bench *bench, char *to, size_t size);

/* Faults of a run as a whole, apart from those that its rows state. Pure. */

#define CONDITIONS_QUICK "quick run: a look at 5%, not a measurement"

/* Returns true if any of the data is from a quick run. */
bool conditions_quick(const struct run_data *data);

/* Writes how an isolated run was measured, with the protections that held; empty for other runs. */
void conditions_isolated(const struct run_data *data, char *to, size_t size);
/* Writes "throttled in 2 of 26 results, there in up to 12% of the rounds"; "" if none was. */
void conditions_throttled(const struct run_summary *summary, char *to, size_t size);
