/* Orders the variants of a round by Williams' Latin squares, in which every variant comes right after every other one
 * equally often (E. J. Williams, Experimental designs balanced for the estimation of residual effects of treatments,
 * 1949).
 *
 * Positions are balanced as well, because every other slot of a device may take slightly longer (0.13% on an H200).
 * With an even number of variants, each one takes each position once in a block of rounds. With an odd number, every
 * second round has the order of the round before in reverse. */
#include "stats/round_order.h"

#include <stdbool.h>

#include "base/rng.h"

/* Returns entry `place` of the square's first row, 0, 1, n-1, 2, n-2, ... For an even n all differences between
 * neighbours in this row are distinct. */
static uint32_t williams(uint32_t count, uint32_t place) {
  return place % 2 == 1 ? (place + 1) / 2 : (count - place / 2) % count;
}

static void shuffle_items(uint32_t *items, uint32_t count, uint64_t key) {
  for (uint32_t i = count; i > 1; i--) {
    uint32_t j = (uint32_t)(rng_bits(key, i) % i), swapped = items[j];
    items[j] = items[i - 1];
    items[i - 1] = swapped;
  }
}

void order_round(uint32_t count, uint32_t round, uint64_t seed, uint32_t *order) {
  enum { MOST = 256 };
  uint32_t labels[MOST], rows[MOST], length = count % 2 ? 2 * count : count, block = round / length;
  uint64_t key = rng_key(seed, 2 * (uint64_t)block + 1);
  for (uint32_t i = 0; i < count; i++)
    labels[i] = rows[i] = i;
  shuffle_items(labels, count, rng_key(seed, 2 * (uint64_t)block));
  shuffle_items(rows, count, key);
  uint32_t at = round % length, row = rows[count % 2 ? at / 2 : at];
  /* It is random which of the two comes first, the row or its mirror image. The index of the random number begins at
   * MOST, because shuffle_items() uses the random numbers with smaller indices. */
  bool mirrored = count % 2 && (at % 2 == 1) != (rng_bits(key, MOST + at / 2) % 2 == 1);
  for (uint32_t place = 0; place < count; place++) {
    uint32_t from = mirrored ? count - 1 - place : place;
    order[place] = labels[(williams(count, from) + row) % count];
  }
}
