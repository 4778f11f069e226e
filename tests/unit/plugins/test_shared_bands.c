/* Tests the order in which tiles are visited, and the fast division that it uses, against the processor's division. */
#include "../../plugins/shared/bands.h"
#include "unit.h"

#define MOST 2147483647u /* largest dividend */

static unsigned next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(*state >> 33);
}

static int wrong_quotients(unsigned by, uint64_t *state) {
  const struct divisor d = divisor_of(by);
  int wrong = 0;
  const unsigned edges[] = {0, 1, by - 1, by, MOST / by * by, MOST / by * by - 1, MOST - 1, MOST};
  for (size_t i = 0; i < sizeof edges / sizeof *edges; ++i)
    wrong += divide(edges[i], d) != edges[i] / by;
  for (int i = 0; i < 20; ++i) {
    const unsigned n = next_random(state);
    wrong += divide(n, d) != n / by;
  }
  return wrong;
}

static void divides(void) {
  uint64_t state = 1;
  int wrong = 0;
  for (unsigned by = 1; by < 5000; ++by)
    wrong += wrong_quotients(by, &state);
  for (int shift = 12; shift < 31; ++shift)
    for (unsigned by = (1u << shift) - 1; by <= (1u << shift) + 1; ++by)
      wrong += wrong_quotients(by, &state);
  for (int i = 0; i < 20000; ++i)
    wrong += wrong_quotients(next_random(&state) | 1u, &state);
  wrong += wrong_quotients(MOST, &state);
  ASSERT_EQ_INT(wrong, 0);
}

/* Checks that each tile is visited once, band after band, down the rows before the next column. */
static void visits_all(unsigned rows, unsigned columns, unsigned height) {
  const struct bands b = bands_of(rows, columns, height);
  unsigned number = 0;
  int wrong = 0;
  for (unsigned band = 0; band < rows; band += height)
    for (unsigned column = 0; column < columns; ++column)
      for (unsigned row = band; row < band + height && row < rows; ++row) {
        const struct bands_place place = bands_at(&b, number++);
        wrong += place.row != row || place.column != column;
      }
  ASSERT_EQ_INT(number, rows * columns);
  ASSERT_EQ_INT(wrong, 0);
}

static void bands_and_a_rest(void) {
  visits_all(16, 7, 4);
  visits_all(18, 7, 4);
  visits_all(19, 1, 8);
}

static void one_band(void) {
  visits_all(5, 9, 8);
  visits_all(8, 9, 8);
  visits_all(1, 1, 1);
}

static void a_row_a_band(void) {
  visits_all(6, 5, 1);
}

UNIT_MAIN("bands", UNIT_TEST(divides), UNIT_TEST(bands_and_a_rest), UNIT_TEST(one_band), UNIT_TEST(a_row_a_band))
