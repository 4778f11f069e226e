/* Contests as the host holds them at its defaults: rounds until its rule stops, and the word for what came of it. */
#ifndef TEST_STATS_CONTEST_H
#define TEST_STATS_CONTEST_H

#include "models.h"

/* Rounds of a machine that noise_start() has started, as process `epoch`, until all variants are known well enough
 * beside variant 0; returns how many. */
uint32_t contest_run(struct machine *machine, uint32_t epoch, uint32_t rounds_most, uint64_t seed);

/* The same beside the faster one of variants 0 and 1, which the first third of the rounds chooses. */
uint32_t contest_run_list(struct machine *machine, uint32_t epoch, uint32_t rounds_most, uint64_t seed);

bool contest_is_word(enum verdict word); /* faster or slower */

#endif
