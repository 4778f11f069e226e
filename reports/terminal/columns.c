/* Columns and typed cells. */
#include "terminal/columns.h"

#include "base/number.h"

size_t columns_add(struct grid *grid, enum grid_align align, int drop, const char *head) {
  size_t column = grid_column(grid, align, drop);
  grid_set(grid, column, GRID_FAINT, "%s", head);
  return column;
}

struct columns_ratio columns_add_ratio(struct grid *grid, const char *head, int drop) {
  struct columns_ratio at;
  at.ratio = columns_add(grid, GRID_POINT, 0, head);
  at.interval = columns_add(grid, GRID_LEFT, drop, "[95%]");
  at.word = columns_add(grid, GRID_SENTENCE, 0, "");
  return at;
}

void columns_set_ratio(struct grid *grid, const struct columns_ratio *at, enum grid_style style, double ratio,
                       double lo, double hi) {
  const struct number text = number_ratio(ratio, ratio);
  if (text.text[0] != '\0') grid_set(grid, at->ratio, style, "%sx", text.text);
  grid_set(grid, at->interval, GRID_PLAIN, "%s", number_interval(lo, hi, ratio).text);
}
