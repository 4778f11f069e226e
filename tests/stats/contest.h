/* Simulated contests. In a contest, variants are measured in rounds until gpubench's rule for stopping holds. A round
 * has one slot, that is a series of samples, of each variant. */
#ifndef TEST_STATS_CONTEST_H
#define TEST_STATS_CONTEST_H

#include "models.h"

/* Measures rounds on the simulated machine, which noise_start() prepared, as process number `epoch`. Stops when the
 * median of each variant, and its ratio to variant 0, are precise enough. Returns the number of rounds. */
uint32_t contest_run(struct machine *machine, uint32_t epoch, uint32_t rounds_most, uint64_t seed);

/* Does the same as contest_run(), but with ratios to the faster of variants 0 and 1. The first third of the rounds
 * decides which one that is. */
uint32_t contest_run_list(struct machine *machine, uint32_t epoch, uint32_t rounds_most, uint64_t seed);

bool contest_is_word(enum verdict word); /* true for faster and slower */

#endif
