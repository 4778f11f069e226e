/* The order of variants within a round. The functions do no I/O and use no global state. */
#pragma once

#include <stdint.h>

/* Writes a permutation of 0 .. count-1. Over each block of `count` rounds (2 x count for an odd count) every variant
 * follows every other equally often (Williams' design). The labels are shuffled for each block from the seed. */
void order_round(uint32_t count, uint32_t round, uint64_t seed, uint32_t *order);
