/* Atoms sorted into cells, in float64, to find the atoms within a distance of another. */
#ifndef MD_CELLS64_H
#define MD_CELLS64_H

#include <math.h>
#include <stdint.h>

struct md_cells {
  int64_t n, across; /* number of cells in each direction: 1, or at least 3 */
  double box;
  int64_t *start; /* [across^3 + 1] index of each cell's first atom in `atom` and `r` */
  int64_t *atom;  /* [n] number of each sorted atom */
  double *r;      /* [n, 3] positions of the sorted atoms, wrapped into the box */
};

/* Makes cells at least `reach` wide. Returns 0, or -1 without memory; call md_cells_free() in both cases. */
int md_cells_make(struct md_cells *cells, int64_t n, double box, double reach, const double *r);
void md_cells_free(struct md_cells *cells);

/* Returns true if a cell has more atoms than any liquid would, as can happen after a wrong variant. The reference then
 * gives up, because a search through all pairs of such cells would take hours. */
int md_cells_crowded(const struct md_cells *cells);

/* Finds the sorted atoms [first, last) of the cell that lies `offset` cells (-1, 0 or 1 in each direction) from the
 * cell of position `at`. Returns 0 if these offsets lead to a cell that other offsets reach, too. */
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
