/* The order in which the variants are measured in a round. The functions do no I/O and use no global state. */
#pragma once

#include <stdint.h>

/* Writes the order of the variants 0 to count - 1 in a round. Over each block of `count` rounds (2 x count for an odd
 * count) every variant follows every other equally often (Williams' design). In each block the variants are assigned at
 * random, from the seed, to the places of that design. */
void order_round(uint32_t count, uint32_t round, uint64_t seed, uint32_t *order);
