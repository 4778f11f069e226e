/* The words of a bench together: of many some are false by chance, so they share an error (STATS_FAMILY_ERROR) by
 * Holm's rule. A family is what is compared in one bench, mode and place, over all cases; means are not in it, which
 * take the whole of their rows' intervals. Each word needs its own 99% besides. */
#ifndef SUMMARY_WORDS_H
#define SUMMARY_WORDS_H

#include "record/run_data.h"
#include "summary/bench.h"

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

#endif
