/* The simulated system: Lennard-Jones atoms in reduced units, in a periodic cube centred at 0. Independent of the
 * plugin ABI. */
#ifndef MD_SYSTEM_H
#define MD_SYSTEM_H

#include <stdint.h>

#define MD_DENSITY 0.8442 /* this and the next three values are those of LAMMPS's bench/in.lj */
#define MD_CUTOFF 2.5
#define MD_TIMESTEP 0.005
#define MD_TEMPERATURE 1.44
#define MD_SKIN 0.4        /* distance beyond the cutoff that a list covers, for 20 steps */
#define MD_LEAST_ATOMS 500 /* with fewer, the box would hold fewer than the five cells that bins.cuh needs */
#define MD_MOST_ATOMS (INT64_C(1) << 22)

/* The pair potential. Within the cutoff a pair has the energy 4 (r^-12 - r^-6) + energy + force * r; its force is 24 (2
 * r^-12 - r^-6) / r - force. Both corrections are 0 for the plain cutoff, as in LAMMPS; for `shifted-force` they make
 * energy and force 0 at the cutoff. */
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

/* Computes the position of site i of the lattice, i below 4 k^3, with x varying fastest. Some sites lie on faces of the
 * box, so that their atoms cross a face at once. */
void md_lattice_site(int64_t n, int64_t i, double *r);

#endif
