/* The order of variants within a round. Pure. */
#ifndef STATS_ROUND_ORDER_H
#define STATS_ROUND_ORDER_H

#include <stdint.h>

/* Writes a permutation of 0 .. count-1. Over each block of `count` rounds (2 x count where count is odd) every variant
 * follows every other equally often (Williams' design), with labels shuffled afresh per block from the seed. */
void order_round(uint32_t count, uint32_t round, uint64_t seed, uint32_t *order);

#endif
