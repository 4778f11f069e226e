/* Molecular dynamics on the CPU. The neighbours of an atom are processed as fp32 vectors, and the atoms are divided
 * among threads. Atoms are sorted by cell at the beginning of each iteration, unless the method computes all pairs. */
#include "cpu.h"

#include <math.h>
#include <string.h>

#define HOT_AVX "fma"
#include "../shared/hot.h"

enum {
  /* the largest number of runs of consecutive sorted atoms near an atom: there are 25 rows of cells, and a face of the
   * box may cut each row in two */
  RUNS = 50,
  GATHERED = 1024, /* number of atoms that are collected before the forces from them are added */
  LANES = 16,      /* lists are padded with the atom itself to a multiple of this */
};

/* Coordinates of all atoms, in separate arrays. */
struct vectors {
  float *x, *y, *z;
};

struct space {
  struct vectors r[2], v, kept; /* kept: the positions at which the cells were made */
  int32_t *atom;                /* number of each sorted atom */
  int32_t *cell, *slot, *start; /* as in struct md_workspace (kernels.h) */
  int32_t *neighbours, *list;
  int32_t across;
  float inverse_box, width, reach;
};

struct sums {
  float x, y, z, potential, virial;
};

struct run {
  int32_t first, last;
  float x, y, z; /* the image of the atom that is nearest to the atoms of the run */
};

/* ---- Layout of the workspace ------------------------------------------------------------------------------------ */

static void *take_bytes(uintptr_t *end, uint64_t bytes) {
  const uintptr_t at = *end;
  *end = at + (bytes + 255) / 256 * 256;
  return (void *)at;
}

static void take_vectors(uintptr_t *end, struct vectors *v, int64_t n) {
  v->x = take_bytes(end, (uint64_t)n * sizeof *v->x);
  v->y = take_bytes(end, (uint64_t)n * sizeof *v->y);
  v->z = take_bytes(end, (uint64_t)n * sizeof *v->z);
}

static struct space lay_out_space(const struct md_call *call, enum md_method method, uintptr_t *end) {
  struct space s = {.inverse_box = 1 / call->box, .reach = call->cutoff + call->skin};
  s.across = (int32_t)(2 * call->box / s.reach);
  s.width = call->box / (float)s.across;
  const uint64_t n = (uint64_t)call->n, cells = (uint64_t)s.across * (uint64_t)s.across * (uint64_t)s.across;
  take_vectors(end, &s.r[0], call->n);
  take_vectors(end, &s.r[1], call->n);
  take_vectors(end, &s.v, call->n);
  s.atom = take_bytes(end, n * sizeof *s.atom);
  if (method == MD_ALL_PAIRS) return s;
  s.cell = take_bytes(end, n * sizeof *s.cell);
  s.slot = take_bytes(end, n * sizeof *s.slot);
  s.start = take_bytes(end, (cells + 1) * sizeof *s.start);
  if (method == MD_CELLS) take_vectors(end, &s.kept, call->n);
  if (method != MD_LIST) return s;
  s.neighbours = take_bytes(end, n * sizeof *s.neighbours);
  s.list = take_bytes(end, n * MD_WIDTH * sizeof *s.list);
  return s;
}

uint64_t md_cpu_bytes(const struct md_call *call, enum md_method method) {
  uintptr_t end = 0;
  lay_out_space(call, method, &end);
  return end;
}

/* ---- Forces ---- */

/* Returns x / box, rounded to the nearest integer. */
INLINE float images(float x, float inverse_box) {
  /* adding this number rounds to an integer, because the sum has no bits for a fraction */
  const float whole = 12582912.0f;
  return (x * inverse_box + whole) - whole;
}

INLINE float nearest(float d, float box, float inverse_box) {
  return d - box * images(d, inverse_box);
}

/* Which atoms sum_over() adds: all, or those of a list. With _BY_IMAGE it uses the nearest periodic image of each
 * atom. */
enum partners { ALL_BY_IMAGE, LISTED, LISTED_BY_IMAGE };

/* Returns force, energy and virial of an atom at `at` due to `count` other atoms: the first ones of `r`, or those of
 * `list`. All values are copied to local variables, because gcc does not vectorise this loop if it accesses members of
 * structs. */
INLINE struct sums sum_over(const struct md_call *call, const struct vectors *r, const int32_t *list, int32_t count,
                            const float *at, enum partners kind, int measured) {
  const float box = call->box, inverse_box = 1 / call->box, cutoff2 = call->cutoff * call->cutoff;
  const float edge_force = call->edge_force, edge_energy = call->edge_energy;
  const float x = at[0], y = at[1], z = at[2], *const rx = r->x, *const ry = r->y, *const rz = r->z;
  float fx = 0, fy = 0, fz = 0, potential = 0, virial = 0;
#pragma omp simd reduction(+ : fx, fy, fz, potential, virial)
  for (int32_t k = 0; k < count; k++) {
    const int32_t j = kind == ALL_BY_IMAGE ? k : list[k];
    const float far_x = x - rx[j], far_y = y - ry[j], far_z = z - rz[j];
    const float dx = kind == LISTED ? far_x : nearest(far_x, box, inverse_box);
    const float dy = kind == LISTED ? far_y : nearest(far_y, box, inverse_box);
    const float dz = kind == LISTED ? far_z : nearest(far_z, box, inverse_box);
    const float r2 = dx * dx + dy * dy + dz * dz, inverse = 1 / sqrtf(r2), inverse2 = inverse * inverse;
    const float s6 = inverse2 * inverse2 * inverse2;
    const float reach2 = r2 > 0 ? cutoff2 : 0; /* excludes the atom itself */
    const float force = s6 * (48 * s6 - 24) * inverse2 - edge_force * inverse;
    const float over_r = r2 < reach2 ? force : 0;
    fx += over_r * dx;
    fy += over_r * dy;
    fz += over_r * dz;
    if (measured) {
      const float energy = 4 * s6 * (s6 - 1) + edge_force * r2 * inverse + edge_energy;
      potential += r2 < reach2 ? energy : 0;
      virial += over_r * r2;
    }
  }
  return (struct sums){fx, fy, fz, potential, virial};
}

typedef void (*summing)(const struct md_call *call, const struct vectors *r, const int32_t *list, int32_t count,
                        const float *at, struct sums *to);

/* Defines a function NAME, which is sum_over() for one kind of neighbours. HOT compiles it once for each instruction
 * set. */
#define COPY(NAME, KIND, MEASURED)                                                                              \
  HOT static void NAME(const struct md_call *call, const struct vectors *r, const int32_t *list, int32_t count, \
                       const float *at, struct sums *to) {                                                      \
    *to = sum_over(call, r, list, count, at, KIND, MEASURED);                                                   \
  }

COPY(all_by_image, ALL_BY_IMAGE, 0)
COPY(all_by_image_measured, ALL_BY_IMAGE, 1)
COPY(listed, LISTED, 0)
COPY(listed_measured, LISTED, 1)
COPY(listed_by_image, LISTED_BY_IMAGE, 0)
COPY(listed_by_image_measured, LISTED_BY_IMAGE, 1)

/* The functions that COPY() defined, indexed by enum partners, and by 1 if energy and virial are added up, too, else by
 * 0. */
static const summing summers[3][2] = {
    {all_by_image, all_by_image_measured}, {listed, listed_measured}, {listed_by_image, listed_by_image_measured}};

/* Returns true if pairs of the atom may cross a face of the box during the iteration. An atom moves by less than 1 in
 * an iteration. */
static int near_face(const struct md_call *call, const struct space *s, const float *at) {
  const float most = call->box / 2 - s->reach - 1;
  return !(fabsf(at[0]) < most && fabsf(at[1]) < most && fabsf(at[2]) < most);
}

/* ---- Cells ---- */

static int32_t cell_along(const struct space *s, float x) {
  const float at = (x * s->inverse_box + 0.5f) * (float)s->across;
  return !(at > 0) ? 0 : at >= (float)s->across ? s->across - 1 : (int32_t)at;
}

static float coordinate_in_box(const struct md_call *call, const struct space *s, int64_t i, int k) {
  return nearest(call->r[3 * i + k], call->box, s->inverse_box);
}

/* Counts the atoms in each cell, and computes where each cell begins. */
static void bin_atoms(const struct md_call *call, const struct space *s) {
  const int32_t cells = s->across * s->across * s->across;
  memset(s->start, 0, ((size_t)cells + 1) * sizeof *s->start);
  for (int64_t i = 0; i < call->n; i++) {
    const int32_t x = cell_along(s, coordinate_in_box(call, s, i, 0)),
                  y = cell_along(s, coordinate_in_box(call, s, i, 1));
    const int32_t z = cell_along(s, coordinate_in_box(call, s, i, 2));
    s->cell[i] = (z * s->across + y) * s->across + x;
    s->slot[i] = s->start[s->cell[i] + 1]++;
  }
  for (int32_t c = 0; c < cells; c++)
    s->start[c + 1] += s->start[c];
}

/* Copies positions and velocities of the atoms in the order of the cells, or in their own order if the method uses no
 * cells. */
static void place_atoms(const struct md_call *call, const struct space *s) {
#pragma omp parallel for num_threads(call->threads) schedule(static)
  for (int32_t i = 0; i < call->n; i++) {
    const int32_t to = s->start == NULL ? i : s->start[s->cell[i]] + s->slot[i];
    s->atom[to] = i;
    s->r[0].x[to] = coordinate_in_box(call, s, i, 0);
    s->r[0].y[to] = coordinate_in_box(call, s, i, 1);
    s->r[0].z[to] = coordinate_in_box(call, s, i, 2);
    s->v.x[to] = call->v[3 * (int64_t)i];
    s->v.y[to] = call->v[3 * (int64_t)i + 1];
    s->v.z[to] = call->v[3 * (int64_t)i + 2];
    if (s->kept.x == NULL) continue;
    s->kept.x[to] = s->r[0].x[to];
    s->kept.y[to] = s->r[0].y[to];
    s->kept.z[to] = s->r[0].z[to];
  }
}

/* Wraps a cell number along one axis into the box, and moves the coordinate `at` of an atom by the same distance. */
static int32_t wrap_cell(const struct md_call *call, const struct space *s, int32_t cell, float *at) {
  if (cell < 0) return *at += call->box, cell + s->across;
  if (cell >= s->across) return *at -= call->box, cell - s->across;
  return cell;
}

/* Returns the distance along one axis from coordinate `at` to the cells with number `cell` on that axis, or 0 if `at`
 * is in these cells. */
static float distance_to(const struct space *s, int32_t cell, float at) {
  const float low = ((float)cell - 0.5f * (float)s->across) * s->width;
  return at < low ? low - at : at > low + s->width ? at - low - s->width : 0;
}

/* Finds the runs of consecutive sorted atoms that may be within reach of (x, y, z). Returns the number of runs. */
static int runs_around(const struct md_call *call, const struct space *s, float x, float y, float z, struct run *runs) {
  const int32_t across = s->across, cx = cell_along(s, x), cy = cell_along(s, y), cz = cell_along(s, z);
  int count = 0;
  for (int32_t row = 0; row < 25; row++) {
    float at_y = y, at_z = z;
    const int32_t ry = wrap_cell(call, s, cy + row % 5 - 2, &at_y), rz = wrap_cell(call, s, cz + row / 5 - 2, &at_z);
    const float off_y = distance_to(s, ry, at_y), off_z = distance_to(s, rz, at_z);
    if (off_y * off_y + off_z * off_z > 1.0001f * s->reach * s->reach) continue;
    const int32_t *start = s->start + (rz * across + ry) * across;
    const int32_t low = cx - 2, high = cx + 2;
    for (int32_t image = low < 0 ? -1 : 0; image <= (high >= across ? 1 : 0); image++) {
      const int32_t first = low - image * across, last = high - image * across;
      runs[count++] = (struct run){start[first < 0 ? 0 : first], start[(last >= across ? across - 1 : last) + 1],
                                   x - (float)image * call->box, at_y, at_z};
    }
  }
  return count;
}

/* ---- Lists ---- */

/* Pads a list with the atom itself, `self`, to a multiple of LANES. Returns the new length. */
static int32_t fill_up(int32_t *list, int32_t count, int32_t self) {
  while (count % LANES != 0)
    list[count++] = self;
  return count;
}

static void list_atom(const struct md_call *call, const struct space *s, int32_t p, int32_t *fault) {
  const struct vectors *r = &s->r[0];
  struct run runs[RUNS];
  const int count = runs_around(call, s, r->x[p], r->y[p], r->z[p], runs);
  int32_t *row = s->list + (int64_t)p * MD_WIDTH, found = 0;
  for (int i = 0; i < count; i++)
    for (int32_t q = runs[i].first; q < runs[i].last; q++) {
      const float dx = runs[i].x - r->x[q], dy = runs[i].y - r->y[q], dz = runs[i].z - r->z[q];
      const int within = (dx * dx + dy * dy + dz * dz < s->reach * s->reach) & (q != p);
      if (found < MD_WIDTH) row[found] = q;
      found += within;
    }
  if (found > MD_WIDTH) {
#pragma omp atomic write
    *fault = 1;
    found = MD_WIDTH;
  }
  s->neighbours[p] = fill_up(row, found, p);
}

static int32_t list_atoms(const struct md_call *call, const struct space *s) {
  int32_t fault = 0;
#pragma omp parallel for num_threads(call->threads) schedule(static)
  for (int32_t p = 0; p < call->n; p++)
    list_atom(call, s, p, &fault);
  return fault;
}

/* ---- Steps ---- */

static void add_force_sums(struct sums *to, const struct sums *part) {
  to->x += part->x;
  to->y += part->y;
  to->z += part->z;
  to->potential += part->potential;
  to->virial += part->virial;
}

/* Returns force, energy and virial of atom p, added up over all atoms in the cells around it. */
static struct sums force_by_cells(const struct md_call *call, const struct space *s, const struct vectors *r, int32_t p,
                                  summing add) {
  const float at[3] = {r->x[p], r->y[p], r->z[p]};
  struct sums sum = {0, 0, 0, 0, 0}, part;
  struct run runs[RUNS];
  int32_t partners[GATHERED], gathered = 0;
  const int count = runs_around(call, s, s->kept.x[p], s->kept.y[p], s->kept.z[p], runs);
  for (int i = 0; i < count; i++)
    for (int32_t q = runs[i].first; q < runs[i].last; q++) {
      partners[gathered++] = q;
      if (gathered < GATHERED) continue;
      add(call, r, partners, gathered, at, &part);
      add_force_sums(&sum, &part);
      gathered = 0;
    }
  add(call, r, partners, fill_up(partners, gathered, p), at, &part);
  add_force_sums(&sum, &part);
  return sum;
}

static struct sums force_on(const struct md_call *call, const struct space *s, enum md_method method,
                            const struct vectors *r, int32_t p, int measured) {
  const float at[3] = {r->x[p], r->y[p], r->z[p]};
  struct sums sum;
  if (method == MD_ALL_PAIRS) {
    summers[ALL_BY_IMAGE][measured](call, r, NULL, call->n, at, &sum);
    return sum;
  }
  const summing add = summers[near_face(call, s, at) ? LISTED_BY_IMAGE : LISTED][measured];
  if (method == MD_CELLS) return force_by_cells(call, s, r, p, add);
  add(call, r, s->list + (int64_t)p * MD_WIDTH, s->neighbours[p], at, &sum);
  return sum;
}

/* Takes a leapfrog step of an atom: changes its velocity by the force, then its position by the velocity. Returns its
 * kinetic energy halfway through the change of the velocity. */
static double advance_atom(const struct md_call *call, const struct space *s, const struct vectors *from,
                           const struct vectors *to, int32_t p, const struct sums *force) {
  const float dt = call->timestep;
  const double x = (double)s->v.x[p] + 0.5 * (double)(dt * force->x),
               y = (double)s->v.y[p] + 0.5 * (double)(dt * force->y);
  const double z = (double)s->v.z[p] + 0.5 * (double)(dt * force->z);
  s->v.x[p] += dt * force->x;
  s->v.y[p] += dt * force->y;
  s->v.z[p] += dt * force->z;
  to->x[p] = from->x[p] + dt * s->v.x[p];
  to->y[p] = from->y[p] + dt * s->v.y[p];
  to->z[p] = from->z[p] + dt * s->v.z[p];
  return 0.5 * (x * x + y * y + z * z);
}

static void take_step(const struct md_call *call, const struct space *s, enum md_method method, int32_t step) {
  const struct vectors *from = &s->r[step % 2], *to = &s->r[(step + 1) % 2];
  const int measured = step == 0;
  double potential = 0, kinetic = 0, virial = 0;
#pragma omp parallel for num_threads(call->threads) schedule(static) reduction(+ : potential, kinetic, virial)
  for (int32_t p = 0; p < call->n; p++) {
    const struct sums sum = force_on(call, s, method, from, p, measured);
    kinetic += advance_atom(call, s, from, to, p, &sum);
    potential += 0.5 * (double)sum.potential;
    virial += 0.5 * (double)sum.virial;
  }
  if (!measured) return;
  double *row = call->thermo + 4 * (*call->clock / call->leg % MD_RING);
  row[0] = *call->clock;
  row[1] = potential;
  row[2] = kinetic;
  row[3] = virial;
}

/* Writes positions and velocities to the tensors r and v. Positions in r are not wrapped into the box: an atom keeps
 * the number of box lengths by which its former position in r was outside the box. */
static void bring_home(const struct md_call *call, const struct space *s) {
  const struct vectors *r = &s->r[call->leg % 2];
#pragma omp parallel for num_threads(call->threads) schedule(static)
  for (int32_t p = 0; p < call->n; p++) {
    const float now[3] = {r->x[p], r->y[p], r->z[p]}; /* NOLINT: initialised in memory of the case */
    float *at = call->r + 3 * (int64_t)s->atom[p], *v = call->v + 3 * (int64_t)s->atom[p];
    for (int k = 0; k < 3; k++)
      at[k] = now[k] + call->box * images(at[k], s->inverse_box);
    v[0] = s->v.x[p];
    v[1] = s->v.y[p];
    v[2] = s->v.z[p];
  }
}

void md_cpu_run(const struct md_call *call, enum md_method method) {
  uintptr_t end = (uintptr_t)call->cpu;
  const struct space s = lay_out_space(call, method, &end);
  if (method != MD_ALL_PAIRS) bin_atoms(call, &s);
  place_atoms(call, &s);
  const int32_t fault = method == MD_LIST && list_atoms(call, &s);
  for (int32_t step = 0; step < call->leg; step++)
    take_step(call, &s, method, step);
  bring_home(call, &s);
  *call->clock = fault ? MD_OVERFLOWN : *call->clock + call->leg;
}
