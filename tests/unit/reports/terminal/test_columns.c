#include "terminal/lines.h"

#include <math.h>

#include "capture.h"
#include "unit.h"

static char *printed(struct grid *grid, size_t width) {
  struct capture capture;
  grid_print(grid, capture_open(&capture), width, false, true);
  return capture_close(&capture);
}

static struct grid with_ratio(double ratio, double lo, double hi) {
  struct grid grid = {0};
  grid_row(&grid);
  size_t name = columns_add(&grid, GRID_LEFT, 0, "case");
  struct columns_ratio at = columns_add_ratio(&grid, "speedup", 2);
  grid_row(&grid);
  grid_set(&grid, name, GRID_PLAIN, "small");
  grid_set(&grid, 0, GRID_PLAIN, "not a column of this table");
  columns_set_ratio(&grid, &at, GRID_PLAIN, ratio, lo, hi);
  grid_set(&grid, at.word, GRID_PLAIN, "= same");
  return grid;
}

static void expect(double ratio, double lo, double hi, size_t width, const char *expected) {
  struct grid grid = with_ratio(ratio, lo, hi);
  char *text = printed(&grid, width);
  ASSERT_EQ_STR(text, expected);
  free(text);
}

static void a_ratio_has_three_columns(void) {
  expect(1.0123, 1.0011, 1.0234, 80,
         "case   speedup  [95%]\n"
         "small   1.012x  [1.001, 1.023]  = same\n");
}

static void the_interval_goes_first(void) {
  expect(1.0123, 1.0011, 1.0234, 30,
         "case  speedup\n"
         "small  1.012x = same\n");
}

static void nothing_stands_for_what_is_unknown(void) {
  expect(1.0123, NAN, 1.0234, 80,
         "case   speedup  [95%]\n"
         "small   1.012x         = same\n");
  expect(NAN, NAN, NAN, 80,
         "case   speedup  [95%]\n"
         "small                  = same\n");
}

UNIT_MAIN("columns", UNIT_TEST(a_ratio_has_three_columns), UNIT_TEST(the_interval_goes_first),
          UNIT_TEST(nothing_stands_for_what_is_unknown))
