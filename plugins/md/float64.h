/* Molecular dynamics in float64, with which all variants are compared: it renews a neighbour list before any pair can
 * be missing in it, and makes no other approximation. It runs on all processors. Independent of the plugin ABI. */
#ifndef MD_FLOAT64_H
#define MD_FLOAT64_H

#include "system.h"

/* Measured quantities at one instant of the trajectory: sums over all atoms. */
struct md_measures {
  double potential, kinetic, virial; /* virial: sum of F * r over pairs */
  double momentum[3];
  double fastest; /* the greatest speed */
};

/* Measures positions r[n, 3] in a periodic cube of edge `box`, with velocities v[n, 3] of half a step earlier; the
 * results are at the time of r. Returns 0, or -1 without memory. */
int md_measure(const struct md_potential *pair, int64_t n, double box, const double *r, const double *v,
               struct md_measures *found);

/* Takes `steps` leapfrog steps: v += dt F(r); r += dt v. Returns 0, or -1 without memory. */
int md_leapfrog(const struct md_potential *pair, int64_t n, double box, int64_t steps, double *r, double *v);

/* Computes where `steps` steps take each of the `count` atoms in `centres`, considering only the atoms within `reach`
 * of that atom. Position and velocity of atom centres[c] go to to[6 c] .. to[6 c + 5]. Returns 0, or -1 without
 * memory. */
int md_leapfrog_around(const struct md_potential *pair, int64_t n, double box, int64_t steps, const double *r,
                       const double *v, double reach, int64_t count, const int64_t *centres, double *to);

/* Return the temperature, and the pressure, as LAMMPS defines them. Because the total momentum is conserved, n atoms
 * have only 3 n - 3 degrees of freedom. */
double md_temperature(int64_t n, const struct md_measures *m);
double md_pressure(double box, const struct md_measures *m);

#endif
