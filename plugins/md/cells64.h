/* Sorts atoms into cells, in float64, so that the atoms within a distance of another atom are found without searching
 * all. */
#ifndef MD_CELLS64_H
#define MD_CELLS64_H

#include <math.h>
#include <stdint.h>

struct md_cells {
  int64_t n, across; /* across: number of cells in each direction, either 1 or at least 3 */
  double box;
  int64_t *start; /* [across^3 + 1] index of each cell's first atom in `atom` and `r` */
  int64_t *atom;  /* [n] number of each sorted atom */
  double *r;      /* [n, 3] positions of the sorted atoms, wrapped into the box */
};

/* Makes cells that are at least `reach` wide. Returns 0, or -1 without memory. The caller must call md_cells_free() in
 * both cases. */
int md_cells_make(struct md_cells *cells, int64_t n, double box, double reach, const double *r);
void md_cells_free(struct md_cells *cells);

/* Returns true if a cell has more atoms than any liquid would, which can happen if the tested implementation computes
 * wrong forces. The computation of the expected results then stops, because a search through all pairs of such cells
 * would take hours. */
int md_cells_crowded(const struct md_cells *cells);

/* Finds the atoms of the cell that lies `offset` cells (-1, 0 or 1 in each direction) from the cell of position `at`.
 * They are numbers [*first, *last) of the sorted atoms. Returns 0 if other offsets lead to the same cell, so that it is
 * searched only once. */
int md_cells_range(const struct md_cells *cells, const double *at, const int *offset, int64_t *first, int64_t *last);

/* Computes the vector d from the nearest periodic image of b to a. Returns the square of its length. */
static inline double md_distance(double box, const double *a, const double *b, double *d) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    d[k] = a[k] - b[k];
    if (d[k] > box / 2 || d[k] < -box / 2) d[k] -= box * rint(d[k] / box);
    sum += d[k] * d[k];
  }
  return sum;
}

#endif
