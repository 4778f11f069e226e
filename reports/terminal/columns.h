/* Columns that several tables of the terminal have. Headings are in the grid's first row. */
#ifndef TERMINAL_COLUMNS_H
#define TERMINAL_COLUMNS_H

#include "base/grid.h"

size_t columns_add(struct grid *grid, enum grid_align align, int drop, const char *head);

/* A ratio, its interval and the word on it. `drop` is the interval's. */
struct columns_ratio {
  size_t ratio, interval, word;
};
struct columns_ratio columns_add_ratio(struct grid *grid, const char *head, int drop);
/* Callers set the word. */
void columns_set_ratio(struct grid *grid, const struct columns_ratio *at, enum grid_style style, double ratio,
                       double lo, double hi);

#endif
