/* Molecular dynamics in float64, by which all variants are judged: no list that may be too old, no shortcut. Its work
 * is done on all processors. Nothing of the plugin ABI. */
#ifndef MD_FLOAT64_H
#define MD_FLOAT64_H

#include "system.h"

/* What an instant of the trajectory is measured by: sums over all atoms. */
struct md_measures {
  double potential, kinetic, virial; /* virial: of F * r over pairs */
  double momentum[3];
  double fastest; /* the largest speed */
};

/* Of positions r[n, 3] in a periodic cube of edge `box`, and of velocities v[n, 3] half a step before them: what they
 * are at the time of r. Returns 0, or -1 without memory. */
int md_measure(const struct md_potential *pair, int64_t n, double box, const double *r, const double *v,
               struct md_measures *found);

/* `steps` steps of the leapfrog: v += dt F(r); r += dt v. Returns 0, or -1 without memory. */
int md_leapfrog(const struct md_potential *pair, int64_t n, double box, int64_t steps, double *r, double *v);

/* For each atom of `centres` what `steps` steps make of it, from those atoms alone that are within `reach` of it: to[6
 * c] its position and its velocity. Returns 0, or -1 without memory. */
int md_leapfrog_around(const struct md_potential *pair, int64_t n, double box, int64_t steps, const double *r,
                       const double *v, double reach, int64_t count, const int64_t *centres, double *to);

/* Pressure as LAMMPS gives it, and the temperature: momentum takes three degrees of freedom. */
double md_temperature(int64_t n, const struct md_measures *m);
double md_pressure(double box, const struct md_measures *m);

#endif
