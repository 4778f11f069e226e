/* Williams' Latin squares: balanced for the immediate predecessor.
 * (E. J. Williams, Experimental designs balanced for the estimation of residual effects of treatments, 1949.) */
#include "order.h"

#include "rng.h"

/* The first row: 0, 1, n-1, 2, n-2, ... whose neighbours' differences are all distinct when n is even. */
static uint32_t williams(uint32_t count, uint32_t place) {
  return place % 2 == 1 ? (place + 1) / 2 : (count - place / 2) % count;
}

static void shuffle(uint32_t *items, uint32_t count, uint64_t key) {
  for (uint32_t i = count; i > 1; i--) {
    uint32_t j = (uint32_t)(rng_bits(key, i) % i), swapped = items[j];
    items[j] = items[i - 1];
    items[i - 1] = swapped;
  }
}

void order_round(uint32_t count, uint32_t round, uint64_t seed, uint32_t *order) {
  enum { MOST = 256 };
  uint32_t labels[MOST], rows[2 * MOST], length = count % 2 ? 2 * count : count, block = round / length;
  for (uint32_t i = 0; i < count; i++)
    labels[i] = i;
  for (uint32_t i = 0; i < length; i++)
    rows[i] = i;
  shuffle(labels, count, rng_key(seed, 2 * (uint64_t)block));
  shuffle(rows, length, rng_key(seed, 2 * (uint64_t)block + 1));
  uint32_t row = rows[round % length];
  for (uint32_t place = 0; place < count; place++) {
    uint32_t from = row < count ? place : count - 1 - place; /* odd counts: the mirrored square as well */
    order[place] = labels[(williams(count, from) + row) % count];
  }
}
