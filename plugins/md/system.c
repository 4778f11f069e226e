#include "system.h"

#include <math.h>

struct md_potential md_potential_cut(void) {
  return (struct md_potential){MD_CUTOFF, 0, 0};
}

struct md_potential md_potential_shifted_force(void) {
  const double s6 = pow(MD_CUTOFF, -6), force = 24 * (2 * s6 * s6 - s6) / MD_CUTOFF;
  return (struct md_potential){MD_CUTOFF, force, -4 * (s6 * s6 - s6) - force * MD_CUTOFF};
}

int64_t md_lattice_cells(int64_t n) {
  int64_t k = (int64_t)cbrt((double)n / 4);
  while (4 * k * k * k < n)
    k++;
  return k;
}

static double lattice_constant(void) {
  return cbrt(4 / MD_DENSITY);
}

double md_box(int64_t n) {
  return (double)(float)((double)md_lattice_cells(n) * lattice_constant());
}

void md_lattice_site(int64_t n, int64_t i, double *r) {
  static const double basis[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  const int64_t k = md_lattice_cells(n), cell = i / 4;
  const int64_t at[3] = {cell % k, cell / k % k, cell / k / k};
  for (int d = 0; d < 3; d++)
    r[d] = ((double)at[d] + basis[i % 4][d] - (double)k / 2) * lattice_constant();
}
