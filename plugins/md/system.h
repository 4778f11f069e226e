/* What the benches of md simulate: Lennard-Jones atoms in reduced units, in a periodic cube centred at 0. Nothing of
 * the plugin ABI. */
#ifndef MD_SYSTEM_H
#define MD_SYSTEM_H

#include <stdint.h>

#define MD_DENSITY 0.8442 /* these four are those of LAMMPS's bench/in.lj */
#define MD_CUTOFF 2.5
#define MD_TIMESTEP 0.005
#define MD_TEMPERATURE 1.44
#define MD_SKIN 0.4        /* how far beyond the cutoff a list reaches that serves 20 steps */
#define MD_LEAST_ATOMS 500 /* the box holds five cells of half a list's reach, see bins.cuh */
#define MD_MOST_ATOMS (INT64_C(1) << 22)

/* The pair potential. Within the cutoff a pair has the energy 4 (r^-12 - r^-6) + energy + force * r, and its force is
 * 24 (2 r^-12 - r^-6) / r - force: both corrections are 0 for the plain cutoff, as LAMMPS has it; for `shifted-force`
 * they bring energy and force to 0 at the cutoff. */
struct md_potential {
  double cutoff, force, energy;
};

struct md_potential md_potential_cut(void);
struct md_potential md_potential_shifted_force(void);

/* Cells of FCC in each direction: the smallest lattice that has a site for each of n atoms, 4 k^3. */
int64_t md_lattice_cells(int64_t n);

/* Edge of the box, rounded to fp32, so that all variants mean the same box. */
double md_box(int64_t n);

/* Site i of the lattice, i below 4 k^3: x fastest. Some lie on the box's faces, which atoms so cross at once. */
void md_lattice_site(int64_t n, int64_t i, double *r);

#endif
