/* Simulated contests: variants are measured in rounds until gpubench's stopping rule holds. */
#ifndef TEST_STATS_CONTEST_H
#define TEST_STATS_CONTEST_H

#include "models.h"

/* Measures rounds on a machine that noise_start() prepared, as process number `epoch`, until the median of each
 * variant, and its ratio to variant 0, are precise enough. Returns the number of rounds. */
uint32_t contest_run(struct machine *machine, uint32_t epoch, uint32_t rounds_most, uint64_t seed);

/* Like contest_run(), but divides by the faster of variants 0 and 1, which the first third of the rounds selects. */
uint32_t contest_run_list(struct machine *machine, uint32_t epoch, uint32_t rounds_most, uint64_t seed);

bool contest_is_word(enum verdict word); /* true for faster and slower */

#endif
