/* The summary in one sentence, and what it means for the run. Pure. */
#ifndef SUMMARY_SENTENCE_H
#define SUMMARY_SENTENCE_H

#include "summary/summary.h"

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

#endif
