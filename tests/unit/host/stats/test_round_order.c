/* Tests the order of the variants in each round. Over a block of rounds, each variant has each position equally often
 * and follows each other variant equally often. */
#include "stats/round_order.h"

#include <stdbool.h>

#include "unit.h"

enum { MOST = 256 };

static bool is_permutation(const uint32_t *order, uint32_t count) {
  bool seen[MOST] = {false};
  for (uint32_t i = 0; i < count; i++) {
    if (order[i] >= count || seen[order[i]]) return false;
    seen[order[i]] = true;
  }
  return true;
}

static void every_round_is_a_permutation(void) {
  uint32_t order[MOST];
  static const uint32_t counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 64, 255, 256};
  for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++)
    for (uint32_t round = 0; round<600; round += counts[n]> 9 ? 7 : 1) {
      order_round(counts[n], round, round % 5, order);
      if (!is_permutation(order, counts[n])) UNIT_FAIL("%u variants, round %u", counts[n], round);
    }
  UNIT_PASS();
}

/* Counts how often b follows a, and how often a is at position p, over the rounds of a block. */
static void count_block(uint32_t n, uint32_t block, uint64_t seed, unsigned follows[9][9], unsigned places[9][9]) {
  uint32_t order[9], length = n % 2 ? 2 * n : n;
  for (uint32_t round = block * length; round < (block + 1) * length; round++) {
    order_round(n, round, seed, order);
    for (uint32_t i = 0; i < n; i++) {
      places[order[i]][i]++;
      if (i > 0) follows[order[i - 1]][order[i]]++;
    }
  }
}

static void a_block_is_balanced(void) {
  for (uint32_t n = 2; n <= 9; n++)
    for (uint32_t block = 0; block < 5; block++) {
      unsigned follows[9][9] = {{0}}, places[9][9] = {{0}}, times = n % 2 ? 2 : 1;
      count_block(n, block, 40 + block, follows, places);
      for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
          if (follows[a][b] != (a == b ? 0 : times) || places[a][b] != times)
            UNIT_FAIL("%u variants, block %u: %u after %u %u times, %u at place %u %u times", n, block, b, a,
                      follows[a][b], a, b, places[a][b]);
    }
  UNIT_PASS();
}

/* If all slots of a case are numbered, each variant has as many even as odd numbers. */
static void turns_are_balanced(void) {
  for (uint32_t n = 2; n <= 9; n++) {
    uint32_t order[9], length = n % 2 ? 2 * n : n;
    int surplus[9] = {0};
    for (uint32_t round = 0; round < 5 * length; round++) {
      order_round(n, round, 3, order);
      for (uint32_t place = 0; place < n; place++)
        surplus[order[place]] += (round * n + place) % 2 ? 1 : -1;
      for (uint32_t v = 0; v < n && round % 2 == 1 && n % 2 == 1; v++)
        if (surplus[v] != 0) UNIT_FAIL("%u variants: after round %u, %u is out of turn by %d", n, round, v, surplus[v]);
    }
    for (uint32_t v = 0; v < n; v++)
      ASSERT_EQ_INT(surplus[v], 0);
  }
}

/* Counts the rounds that differ among 32 rounds (four blocks) of 8 variants. */
static unsigned differences(uint64_t seed, uint64_t other_seed, uint32_t shift) {
  unsigned count = 0;
  uint32_t a[8], b[8];
  for (uint32_t round = 0; round < 32; round++) {
    order_round(8, round, seed, a);
    order_round(8, round + shift, other_seed, b);
    count += memcmp(a, b, sizeof a) != 0;
  }
  return count;
}

static void seeds_and_blocks_differ(void) {
  ASSERT_EQ_INT(differences(1, 1, 0), 0);
  ASSERT_TRUE(differences(1, 2, 0) > 24);
  ASSERT_TRUE(differences(1, 1, 8) > 24);
}

static void one_variant_is_always_first(void) {
  for (uint32_t round = 0; round < 5; round++) {
    uint32_t order[2] = {7, 99};
    order_round(1, round, 3, order);
    ASSERT_EQ_INT(order[0], 0);
    ASSERT_EQ_INT(order[1], 99);
  }
}

UNIT_MAIN("order", UNIT_TEST(every_round_is_a_permutation), UNIT_TEST(a_block_is_balanced),
          UNIT_TEST(turns_are_balanced), UNIT_TEST(seeds_and_blocks_differ), UNIT_TEST(one_variant_is_always_first))
