/* The simulated system: Lennard-Jones atoms in reduced units, in a periodic cube centred at 0. This file does not use
 * the plugin interface. */
#ifndef MD_SYSTEM_H
#define MD_SYSTEM_H

#include <stdint.h>

#define MD_DENSITY 0.8442 /* this value and the next three are those of LAMMPS's bench/in.lj */
#define MD_CUTOFF 2.5
#define MD_TIMESTEP 0.005
#define MD_TEMPERATURE 1.44
#define MD_SKIN 0.4 /* how far neighbour lists reach beyond the cutoff, which is enough for 20 steps */
/* with fewer atoms, the box would hold fewer than the five cells per direction that bins.cuh needs */
#define MD_LEAST_ATOMS 500
#define MD_MOST_ATOMS (INT64_C(1) << 22)

/* The pair potential. A pair at a distance r within the cutoff has the energy 4 (r^-12 - r^-6) + energy + force * r.
 * Its force is 24 (2 r^-12 - r^-6) / r - force. The members `force` and `energy` are 0 for the plain cutoff, as in
 * LAMMPS. For `shifted-force` they make energy and force 0 at the cutoff. */
struct md_potential {
  double cutoff, force, energy;
};

struct md_potential md_potential_cut(void);
struct md_potential md_potential_shifted_force(void);

/* Returns k, the number of FCC cells in each direction of the smallest lattice that holds n atoms. The lattice has 4
 * k^3 sites. */
int64_t md_lattice_cells(int64_t n);

/* Returns the edge of the box, rounded to fp32, so that all variants use the same box. */
double md_box(int64_t n);

/* Computes the position of lattice site i, which is below 4 k^3, with x varying fastest. Some sites lie on faces of the
 * box, so that the atoms there cross a face in the first steps. */
void md_lattice_site(int64_t n, int64_t i, double *r);

#endif
