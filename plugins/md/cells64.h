/* Atoms sorted into cells, in float64: who may be within a distance of whom. */
#ifndef MD_CELLS64_H
#define MD_CELLS64_H

#include <math.h>
#include <stdint.h>

struct md_cells {
  int64_t n, across; /* cells in each direction: 1, or at least 3 */
  double box;
  int64_t *start; /* [across^3 + 1] first atom of each cell in what follows */
  int64_t *atom;  /* [n] whose it is */
  double *r;      /* [n, 3] positions, brought into the box */
};

/* Cells at least `reach` wide. Returns 0, or -1 without memory; `md_cells_free` either way. */
int md_cells_make(struct md_cells *cells, int64_t n, double box, double reach, const double *r);
void md_cells_free(struct md_cells *cells);

/* Whether a cell holds more atoms than any liquid has there: what looks through all pairs would take hours. */
int md_cells_crowded(const struct md_cells *cells);

/* The first and behind the last atom of the cell that lies (x, y, z) cells from that of position `at`; each of -1,
 * 0, 1. Returns 0 where that is no other cell. */
int md_cells_range(const struct md_cells *cells, const double *at, const int *offset, int64_t *first, int64_t *last);

/* From b to a, by the nearest image of b: d; returns its square. */
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
