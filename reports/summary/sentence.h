/* The summary in one sentence, and what it means for the run. Pure. */
#ifndef SUMMARY_SENTENCE_H
#define SUMMARY_SENTENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "record/run_data.h"
#include "summary/bench.h"

enum run_outcome {
  RUN_PASSED,
  RUN_LEFT_OUT /* rows, for want of time alone */,
  RUN_INCOMPLETE /* rows not run, devices or plugins lost */,
  RUN_FAILED,
  RUN_NOTHING
};

/* "10 of 12 reached 0.5%, 2 stopped at the clock's step"; empty: it is not known what was asked for. */
void sentence_reached(const struct run_summary *summary, char *to, size_t size);

/* When what was timed was verified: "before timing and in random timed slots"; empty: nothing was timed. */
void sentence_when(const struct run_summary *summary, char *to, size_t size);

/* "3 of 5 words between providers hold alone, 1 does not, 1 not checked; baseline by softmax"; empty: there is none. */
void sentence_alone(const struct run_data *data, char *to, size_t size);

/* "All 9 results correct; cudnn is fastest in all 3 cases, at 62% of the measured ceiling." */
enum run_outcome summary_sentence(const struct run_data *data, const struct run_summary *summary, char *to,
                                  size_t size);

/* The words of a bench together: of many some are false by chance, so they share an error (STATS_FAMILY_ERROR) by
 * Holm's rule. A family is what is compared in one bench, mode and place, over all cases; means are not in it, which
 * take the whole of their rows' intervals. Each word needs its own 99% besides. */

/* Takes the words that are lost among so many away from the rows, and the star where it hangs on one: then all outputs
 * say the same. results.csv has what each row says by itself. Rows that it was done to come out the same again. */
void words_settle(struct run_data *data);

/* Of rows that are settled. */
struct word_counts {
  size_t compared, lost; /* which may have had a word; of them undecided because they are so many */
};
struct word_counts words_count(const struct run_bench *bench);

/* "20 comparisons share an error of 5% (Holm's rule): 2 are undecided for it"; empty where they are too few to lose
 * one. */
void words_sentence(const struct run_bench *bench, char *to, size_t size);

/* What was wrong with a run as a whole, beside what its rows say by themselves. Pure. */

#define CONDITIONS_QUICK "quick run: a look at 5%, not a measurement"

/* Is any of it a quick run's? */
bool conditions_quick(const struct run_data *data);

/* How an isolated run was measured, with what was kept from plugins; empty where it was not. */
void conditions_isolated(const struct run_data *data, char *to, size_t size);
/* "throttled in 2 of 26 results, there in up to 12% of the rounds"; "" where none was. */
void conditions_throttled(const struct run_summary *summary, char *to, size_t size);

#endif
