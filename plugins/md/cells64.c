#include "cells64.h"

#include <stdlib.h>

static int64_t cell_coordinate(const struct md_cells *cells, double x) {
  const double at = (x / cells->box + 0.5) * (double)cells->across;
  return !(at > 0) ? 0 : at >= (double)cells->across ? cells->across - 1 : (int64_t)at; /* 0 for NaN, too */
}

static int64_t cell_of(const struct md_cells *cells, const double *r) {
  return (cell_coordinate(cells, r[2]) * cells->across + cell_coordinate(cells, r[1])) * cells->across +
         cell_coordinate(cells, r[0]);
}

static void wrap_into_box(double box, const double *r, double *to) {
  for (int k = 0; k < 3; k++)
    to[k] = r[k] - box * rint(r[k] / box);
}

int md_cells_make(struct md_cells *cells, int64_t n, double box, double reach, const double *r) {
  int64_t across = (int64_t)(box / reach);
  while (across > 3 && across * across * across > 4 * n) /* at most four cells per atom */
    across--;
  if (across < 3) across = 1;
  const int64_t all = across * across * across;
  *cells = (struct md_cells){.n = n, .across = across, .box = box};
  cells->start = calloc((size_t)all + 2, sizeof *cells->start);
  cells->atom = malloc((size_t)n * sizeof *cells->atom);
  cells->r = malloc((size_t)n * 3 * sizeof *cells->r);
  if (cells->start == NULL || cells->atom == NULL || cells->r == NULL) return -1;
  /* next[k]: the next free place in cell k; in the end this is the start of cell k + 1 */
  int64_t *next = cells->start + 1;
  double at[3];
  for (int64_t i = 0; i < n; i++) {
    wrap_into_box(box, r + 3 * i, at);
    next[cell_of(cells, at) + 1]++;
  }
  for (int64_t c = 0; c < all; c++)
    next[c + 1] += next[c];
  for (int64_t i = 0; i < n; i++) {
    wrap_into_box(box, r + 3 * i, at);
    const int64_t to = next[cell_of(cells, at)]++;
    cells->atom[to] = i;
    for (int k = 0; k < 3; k++)
      cells->r[3 * to + k] = at[k];
  }
  return 0;
}

void md_cells_free(struct md_cells *cells) {
  free(cells->start);
  free(cells->atom);
  free(cells->r);
}

int md_cells_range(const struct md_cells *cells, const double *at, const int *offset, int64_t *first, int64_t *last) {
  const int64_t across = cells->across;
  if (across == 1 && (offset[0] != 0 || offset[1] != 0 || offset[2] != 0)) return 0;
  int64_t cell = 0;
  for (int k = 2; k >= 0; k--)
    cell = cell * across + (cell_coordinate(cells, at[k]) + offset[k] + across) % across;
  *first = cells->start[cell];
  *last = cells->start[cell + 1];
  return 1;
}

int md_cells_crowded(const struct md_cells *cells) {
  const int64_t all = cells->across * cells->across * cells->across, most = 64 + 8 * cells->n / all;
  for (int64_t c = 0; c < all && cells->across > 1; c++)
    if (cells->start[c + 1] - cells->start[c] > most) return 1;
  return 0;
}
