#include "float64.h"

#include <stdlib.h>
#include <string.h>

#define HOT_AVX "fma"
#include "../shared/hot.h"
#include "../shared/processors.h"
#include "cells64.h"

enum { PIECE = 256, WIDTH = 224 }; /* atoms in one work item, and the largest number of neighbours of an atom */

/* Neighbour lists reach this far beyond the cutoff. They are renewed as soon as an atom has moved by half of it. */
static const double skin = 0.5;

struct sums {
  double force[3], potential, virial;
};

/* Adds to `sums` the force, energy and virial of an atom at `here` due to `count` atoms: the first ones of `r`, or
 * those of `list`. The atom itself may be among them. All values are copied to local variables, because gcc does not
 * vectorise this loop if it accesses members of structs. */
INLINE void add_all(const struct md_potential *pair, double box, const double *here, const double *r,
                    const int32_t *list, int64_t count, struct sums *sums) {
  const double whole = 6755399441055744.0, inverse_box = 1 / box; /* adding `whole` rounds to an integer */
  const double cutoff2 = pair->cutoff * pair->cutoff, edge_force = pair->force, edge_energy = pair->energy;
  const double x = here[0], y = here[1], z = here[2];
  double fx = 0, fy = 0, fz = 0, potential = 0, virial = 0;
#pragma omp simd reduction(+ : fx, fy, fz, potential, virial)
  for (int64_t k = 0; k < count; k++) {
    const int64_t j = list == NULL ? k : list[k];
    const double far_x = x - r[3 * j], far_y = y - r[3 * j + 1], far_z = z - r[3 * j + 2];
    const double dx = far_x - box * ((far_x * inverse_box + whole) - whole);
    const double dy = far_y - box * ((far_y * inverse_box + whole) - whole);
    const double dz = far_z - box * ((far_z * inverse_box + whole) - whole);
    const double r2 = dx * dx + dy * dy + dz * dz, inverse2 = 1 / r2, distance = sqrt(r2);
    const double s6 = inverse2 * inverse2 * inverse2;
    const double reach2 = r2 > 0 ? cutoff2 : 0; /* excludes the atom itself */
    const double force = 24 * (2 * s6 * s6 - s6) * inverse2 - edge_force * distance * inverse2;
    const double energy = 4 * (s6 * s6 - s6) + edge_energy + edge_force * distance;
    const double over_r = r2 < reach2 ? force : 0;
    fx += over_r * dx;
    fy += over_r * dy;
    fz += over_r * dz;
    potential += r2 < reach2 ? energy : 0;
    virial += over_r * r2;
  }
  sums->force[0] += fx;
  sums->force[1] += fy;
  sums->force[2] += fz;
  sums->potential += potential;
  sums->virial += virial;
}

HOT static void add_range(const struct md_potential *pair, double box, const double *here, const double *r,
                          int64_t count, struct sums *sums) {
  add_all(pair, box, here, r, NULL, count, sums);
}

HOT static void add_listed(const struct md_potential *pair, double box, const double *here, const double *r,
                           const int32_t *list, int64_t count, struct sums *sums) {
  add_all(pair, box, here, r, list, count, sums);
}

/* ---- Measures at one instant ------------------------------------------------------------------------------------ */

struct measuring {
  const struct md_potential *pair;
  const struct md_cells *cells;
  const double *v;
  struct md_measures *pieces;
};

static void measure_piece(void *context, int64_t piece) {
  const struct measuring *m = context;
  const struct md_cells *cells = m->cells;
  struct md_measures *sum = &m->pieces[piece];
  const int64_t end = (piece + 1) * PIECE < cells->n ? (piece + 1) * PIECE : cells->n;
  for (int64_t i = piece * PIECE; i < end; i++) {
    struct sums sums = {{0}, 0, 0};
    for (int c = 0; c < 27; c++) {
      const int offset[3] = {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1};
      int64_t first, last;
      if (!md_cells_range(cells, cells->r + 3 * i, offset, &first, &last)) continue;
      add_range(m->pair, cells->box, cells->r + 3 * i, cells->r + 3 * first, last - first, &sums);
    }
    const double *before = m->v + 3 * cells->atom[i], *at = cells->r + 3 * i;
    /* Makes the comparison fail for an atom at NaN, which has no neighbours and would otherwise add no energy. */
    if (!isfinite(at[0] + at[1] + at[2])) sum->potential = INFINITY;
    double squared = 0;
    for (int k = 0; k < 3; k++) {
      const double v = before[k] + MD_TIMESTEP / 2 * sums.force[k];
      squared += v * v;
      sum->momentum[k] += before[k];
    }
    sum->potential += sums.potential / 2;
    sum->virial += sums.virial / 2;
    sum->kinetic += squared / 2;
    sum->fastest = fmax(sum->fastest, sqrt(squared));
  }
}

int md_measure(const struct md_potential *pair, int64_t n, double box, const double *r, const double *v,
               struct md_measures *found) {
  const int64_t pieces = (n + PIECE - 1) / PIECE;
  struct md_cells cells;
  struct measuring m = {.pair = pair, .cells = &cells, .v = v};
  memset(found, 0, sizeof *found);
  const int made = md_cells_make(&cells, n, box, pair->cutoff, r);
  m.pieces = calloc((size_t)pieces, sizeof *m.pieces);
  const int crowded = made == 0 && md_cells_crowded(&cells);
  if (made == 0 && m.pieces != NULL && !crowded) processors_each(pieces, measure_piece, &m);
  if (crowded) found->potential = INFINITY;
  for (int64_t i = 0; m.pieces != NULL && i < pieces; i++) {
    found->potential += m.pieces[i].potential;
    found->kinetic += m.pieces[i].kinetic;
    found->virial += m.pieces[i].virial;
    found->fastest = fmax(found->fastest, m.pieces[i].fastest);
    for (int k = 0; k < 3; k++)
      found->momentum[k] += m.pieces[i].momentum[k];
  }
  md_cells_free(&cells);
  const int failed = made != 0 || m.pieces == NULL;
  free(m.pieces);
  return failed ? -1 : 0;
}

double md_temperature(int64_t n, const struct md_measures *m) {
  return 2 * m->kinetic / (3 * (double)n - 3);
}

double md_pressure(double box, const struct md_measures *m) {
  return (2 * m->kinetic + m->virial) / (3 * box * box * box);
}

/* ---- Steps ---- */

struct stepping {
  const struct md_potential *pair;
  int64_t n;
  double box;
  double *r, *v, *next;
  const struct md_cells *cells;
  int alone;         /* true: works on the calling thread only */
  double *listed_at; /* [n, 3]: positions of the atoms when the list was made */
  int32_t *count;    /* [n]: number of neighbours of each atom */
  int32_t *list;     /* [n, WIDTH]: the neighbours of each atom */
};

static void list_piece(void *context, int64_t piece) {
  const struct stepping *s = context;
  const struct md_cells *cells = s->cells;
  const double most = (s->pair->cutoff + skin) * (s->pair->cutoff + skin);
  const int64_t end = (piece + 1) * PIECE < s->n ? (piece + 1) * PIECE : s->n;
  for (int64_t i = piece * PIECE; i < end; i++) {
    const int64_t atom = cells->atom[i];
    int32_t found = 0;
    for (int c = 0; c < 27; c++) {
      const int offset[3] = {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1};
      int64_t first, last;
      if (!md_cells_range(cells, cells->r + 3 * i, offset, &first, &last)) continue;
      for (int64_t j = first; j < last; j++) {
        double d[3];
        if (j == i || md_distance(cells->box, cells->r + 3 * i, cells->r + 3 * j, d) >= most) continue;
        if (found < WIDTH) s->list[atom * WIDTH + found] = (int32_t)cells->atom[j];
        found++;
      }
    }
    s->count[atom] = found;
  }
}

static void step_piece(void *context, int64_t piece) {
  const struct stepping *s = context;
  const int64_t end = (piece + 1) * PIECE < s->n ? (piece + 1) * PIECE : s->n;
  for (int64_t i = piece * PIECE; i < end; i++) {
    struct sums sums = {{0}, 0, 0};
    add_listed(s->pair, s->box, s->r + 3 * i, s->r, s->list + i * WIDTH, s->count[i], &sums);
    for (int k = 0; k < 3; k++) {
      s->v[3 * i + k] += MD_TIMESTEP * sums.force[k];
      s->next[3 * i + k] = s->r[3 * i + k] + MD_TIMESTEP * s->v[3 * i + k];
    }
  }
}

static void each_piece(struct stepping *s, void (*work)(void *context, int64_t piece)) {
  const int64_t pieces = (s->n + PIECE - 1) / PIECE;
  if (!s->alone) processors_each(pieces, work, s);
  for (int64_t i = 0; s->alone && i < pieces; i++)
    work(s, i);
}

/* Makes the neighbour list. Returns -1 without memory, or if an atom has more than WIDTH neighbours. */
static int make_neighbour_list(struct stepping *s) {
  struct md_cells cells;
  int status = md_cells_make(&cells, s->n, s->box, s->pair->cutoff + skin, s->r);
  s->cells = &cells;
  if (status == 0) each_piece(s, list_piece);
  for (int64_t i = 0; status == 0 && i < s->n; i++)
    if (s->count[i] > WIDTH) status = -1;
  md_cells_free(&cells);
  s->cells = NULL;
  memcpy(s->listed_at, s->r, (size_t)s->n * 3 * sizeof *s->r);
  return status;
}

/* Returns true if the list must be renewed, because an atom may have come within the cutoff of another atom that is not
 * in its list. */
static int list_is_old(const struct stepping *s) {
  for (int64_t i = 0; i < s->n; i++) {
    double squared = 0;
    for (int k = 0; k < 3; k++)
      squared += (s->r[3 * i + k] - s->listed_at[3 * i + k]) * (s->r[3 * i + k] - s->listed_at[3 * i + k]);
    if (!(squared < skin * skin / 4)) return 1;
  }
  return 0;
}

static int take_steps(struct stepping *s, int64_t steps) {
  const size_t bytes = (size_t)s->n * 3 * sizeof *s->r;
  for (int64_t i = 0; i < steps; i++) {
    if ((i == 0 || list_is_old(s)) && make_neighbour_list(s) != 0) return -1;
    each_piece(s, step_piece);
    memcpy(s->r, s->next, bytes);
  }
  return 0;
}

/* Takes `steps` steps, with temporary arrays that it allocates. The caller has set the other members of `s`. */
static int run_steps(struct stepping *s, int64_t steps) {
  const size_t n = (size_t)s->n;
  s->next = malloc(n * 3 * sizeof *s->next);
  s->listed_at = malloc(n * 3 * sizeof *s->listed_at);
  s->count = calloc(n, sizeof *s->count);
  s->list = malloc(n * WIDTH * sizeof *s->list);
  const int there = s->next != NULL && s->listed_at != NULL && s->count != NULL && s->list != NULL;
  const int status = there ? take_steps(s, steps) : -1;
  free(s->next);
  free(s->listed_at);
  free(s->count);
  free(s->list);
  return status;
}

int md_leapfrog(const struct md_potential *pair, int64_t n, double box, int64_t steps, double *r, double *v) {
  struct stepping s = {.pair = pair, .n = n, .box = box, .r = r, .v = v};
  return run_steps(&s, steps);
}

/* ---- A sample of atoms ------------------------------------------------------------------------------------------ */

struct around {
  const struct md_potential *pair;
  const struct md_cells *cells;
  const double *r, *v;
  double reach;
  int64_t steps, room; /* room: the largest number of atoms in a ball, that is within `reach` of a sampled atom */
  const int64_t *centres;
  double *to;
  int *status; /* [count]: 0, or -1 if the steps of that ball of atoms failed */
};

/* Copies the atoms within `reach` of atom number `atom` to `r` (positions relative to that atom) and `v` (velocities).
 * The atom itself comes first. Returns the number of atoms copied. */
static int64_t copy_ball(const struct around *a, const double *centre, int64_t atom, double *r, double *v) {
  int64_t found = 1;
  memset(r, 0, 3 * sizeof *r);
  memcpy(v, a->v + 3 * atom, 3 * sizeof *v);
  for (int c = 0; c < 27; c++) {
    const int offset[3] = {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1};
    int64_t first, last;
    if (!md_cells_range(a->cells, centre, offset, &first, &last)) continue;
    for (int64_t j = first; j < last && found < a->room; j++) {
      double d[3];
      const double squared = md_distance(a->cells->box, a->cells->r + 3 * j, centre, d);
      if (a->cells->atom[j] == atom || squared >= a->reach * a->reach) continue;
      memcpy(r + 3 * found, d, sizeof d);
      memcpy(v + 3 * found, a->v + 3 * a->cells->atom[j], sizeof d);
      found++;
    }
  }
  return found;
}

static void run_ball(void *context, int64_t piece) {
  const struct around *a = context;
  const int64_t atom = a->centres[piece];
  const double *at = a->r + 3 * atom, box = a->cells->box;
  const double centre[3] = {at[0] - box * rint(at[0] / box), at[1] - box * rint(at[1] / box),
                            at[2] - box * rint(at[2] / box)};
  double *ball = malloc((size_t)a->room * 6 * sizeof *ball);
  a->status[piece] = -1;
  if (ball == NULL) return;
  struct stepping s = {.pair = a->pair, .box = 4 * a->reach, .r = ball, .v = ball + 3 * a->room, .alone = 1};
  s.n = copy_ball(a, centre, atom, s.r, s.v); /* the box s.box is so large that no periodic image interacts */
  a->status[piece] = run_steps(&s, a->steps);
  for (int k = 0; k < 3; k++) {
    a->to[6 * piece + k] = at[k] + s.r[k];
    a->to[6 * piece + 3 + k] = s.v[k];
  }
  free(ball);
}

int md_leapfrog_around(const struct md_potential *pair, int64_t n, double box, int64_t steps, const double *r,
                       const double *v, double reach, int64_t count, const int64_t *centres, double *to) {
  struct md_cells cells;
  struct around a = {pair, &cells, r, v, reach, steps, (int64_t)(8 * reach * reach * reach), centres, to, NULL};
  int status = md_cells_make(&cells, n, box, reach, r);
  a.status = calloc((size_t)count, sizeof *a.status);
  if (a.status == NULL) status = -1;
  if (status == 0) processors_each(count, run_ball, &a);
  for (int64_t i = 0; status == 0 && i < count; i++)
    status = a.status[i];
  md_cells_free(&cells);
  free(a.status);
  return status;
}
