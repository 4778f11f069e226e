/* Molecular dynamics in float64, with which all variants are compared. It renews its neighbour list before the list can
 * lack a pair, and makes no other approximation. It runs on all processors and does not use the plugin interface. */
#ifndef MD_FLOAT64_H
#define MD_FLOAT64_H

#include "system.h"

/* Quantities at one instant of the simulation, as sums over all atoms. */
struct md_measures {
  double potential, kinetic, virial; /* virial: sum of F * r over pairs */
  double momentum[3];
  double fastest; /* the greatest speed */
};

/* Measures the state with positions r[n, 3] in a periodic cube of edge `box`. The velocities v[n, 3] are those of half
 * a time step earlier; the results are for the time of r. Returns 0, or -1 without memory. */
int md_measure(const struct md_potential *pair, int64_t n, double box, const double *r, const double *v,
               struct md_measures *found);

/* Takes `steps` leapfrog steps: v += dt F(r), then r += dt v. Returns 0, or -1 without memory. */
int md_leapfrog(const struct md_potential *pair, int64_t n, double box, int64_t steps, double *r, double *v);

/* Computes where `steps` steps take each of the `count` atoms in `centres`. For each of them, only the atoms within
 * `reach` of it are simulated. Position and velocity of atom centres[c] go to to[6 c] .. to[6 c + 5]. Returns 0, or -1
 * without memory. */
int md_leapfrog_around(const struct md_potential *pair, int64_t n, double box, int64_t steps, const double *r,
                       const double *v, double reach, int64_t count, const int64_t *centres, double *to);

/* Return the temperature, and the pressure, as LAMMPS defines them. Because the total momentum is conserved, n atoms
 * have only 3 n - 3 degrees of freedom. */
double md_temperature(int64_t n, const struct md_measures *m);
double md_pressure(double box, const struct md_measures *m);

#endif
