/* Contests as the host runs them by default: rounds until its stopping rule holds, and the verdict that follows. */
#ifndef TEST_STATS_CONTEST_H
#define TEST_STATS_CONTEST_H

#include "models.h"

/* Measures rounds on a machine prepared by noise_start(), as process `epoch`, until all variants are known well
 * enough relative to variant 0. Returns the number of rounds. */
uint32_t contest_run(struct machine *machine, uint32_t epoch, uint32_t rounds_most, uint64_t seed);

/* Does the same relative to the faster of variants 0 and 1, which the first third of the rounds selects. */
uint32_t contest_run_list(struct machine *machine, uint32_t epoch, uint32_t rounds_most, uint64_t seed);

bool contest_is_word(enum verdict word); /* true for faster and slower */

#endif
