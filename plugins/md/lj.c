/* The benchmark "lj" (Lennard-Jones atoms) without the implementations that it compares: supported parameters, tensors,
 * and the initial state. Results are verified in lj_check.c. */
#include "lj.h"

#include <math.h>
#include <stdlib.h>

#include "../shared/processors.h"
#include "kernels.h"

#define gb md_gb

/* MOST_STEPS: the largest number of steps for which a neighbour list with MD_SKIN holds all pairs within the cutoff. */
enum { MOST_STEPS = 20, PIECE = 4096 };

gb_status lj_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  gb_status status = gb_axis_within(&gb, c, "atoms", MD_LEAST_ATOMS, MD_MOST_ATOMS);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "leg", 1, MOST_STEPS);
  if (status != GB_OK) return status;
  const double jitter = gb.point->f64(c, "jitter");
  if (jitter >= 0 && jitter <= 0.1) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "jitter is %g: must be 0 to 0.1", jitter);
}

static gb_status declare_lj(gb_case *c, const struct lj *s) {
  const int64_t vectors[] = {s->n, 3}, one[] = {1}, rows[] = {MD_RING, 4};
  const double spread = s->box / sqrt(12); /* root mean square of a coordinate */
  const gb_tensor tensors[] = {
      {GB_SIZE(gb_tensor), .role = GB_INOUT, .dtype = GB_DTYPE_F32, .rank = 2, .name = "r", .shape = vectors,
       .fill = GB_FILL_BENCH, .tolerance = 3e-5 / spread},
      {GB_SIZE(gb_tensor), .role = GB_INOUT, .dtype = GB_DTYPE_F32, .rank = 2, .name = "v", .shape = vectors,
       .fill = GB_FILL_BENCH,
       .tolerance = s->leg == 1        ? 1e-5
                    : s->shifted_force ? 1e-4
                                       : 3e-4},
      {GB_SIZE(gb_tensor), .role = GB_INOUT, .dtype = GB_DTYPE_I32, .rank = 1, .name = "clock", .shape = one,
       .fill = GB_FILL_BENCH},
      {GB_SIZE(gb_tensor), .role = GB_INOUT, .dtype = GB_DTYPE_F64, .rank = 2, .name = "thermo", .shape = rows,
       .fill = GB_FILL_BENCH, .tolerance = 1e-5},
  };
  gb_status status = GB_OK;
  for (size_t i = 0; i < sizeof tensors / sizeof tensors[0] && status == GB_OK; i++)
    status = gb.tensor->declare(c, &tensors[i]);
  return status;
}

gb_status lj_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  struct lj *s = calloc(1, sizeof *s);
  if (s == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  s->n = gb.point->i64(c, "atoms");
  s->leg = gb.point->i64(c, "leg");
  s->box = md_box(s->n);
  s->shifted_force = gb_axis_is(&gb, c, "potential", "shifted-force");
  s->pair = s->shifted_force ? md_potential_shifted_force() : md_potential_cut();
  s->shuffled = gb_axis_is(&gb, c, "order", "shuffled");
  s->jitter = gb.point->f64(c, "jitter");
  gb_status status = declare_lj(c, s);
  if (status == GB_OK)
    status = gb_metric_declare(&gb, c, "energy-drift", "epsilon", GB_BETTER_LESS, GB_AGGREGATE_MAX,
                               "total energy of an atom, against that of the beginning");
  if (status == GB_OK)
    status = gb_metric_declare(&gb, c, "momentum", "1", GB_BETTER_LESS, GB_AGGREGATE_MAX,
                               "of all atoms, over the square root of atoms times steps");
  const gb_work work = {GB_SIZE(gb_work), .items = (uint64_t)(s->n * s->leg), .item_unit = "atom steps"};
  if (status == GB_OK) status = gb.point->work(c, &work);
  if (status == GB_OK) {
    *state = s;
  } else {
    free(s);
  }
  return status;
}

void lj_teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  free(state);
}

/* ---- The initial state ------------------------------------------------------------------------------------------ */

enum { SITES = 1, VELOCITIES = 2, ORDER = 3 }; /* numbers of the random streams (see gb.rng) */

struct filling {
  const struct lj *s;
  uint64_t seed;
  const int64_t *site; /* the lattice site of each atom; NULL: atom i has site i */
  double *r, *v;
};

static double random_share(uint64_t seed, uint64_t stream, int64_t index) {
  return (double)(gb.rng->bits(seed, stream, (uint64_t)index) >> 11) * 0x1p-53;
}

/* Returns a normally distributed number (Box and Muller). */
static double random_normal(uint64_t seed, int64_t index) {
  const double a = 1 - random_share(seed, VELOCITIES, 2 * index), b = random_share(seed, VELOCITIES, 2 * index + 1);
  return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

static void fill_lattice_piece(void *context, int64_t piece) {
  const struct filling *f = context;
  const int64_t end = (piece + 1) * PIECE < f->s->n ? (piece + 1) * PIECE : f->s->n;
  for (int64_t i = piece * PIECE; i < end; i++) {
    const int64_t site = f->site == NULL ? i : f->site[i];
    md_lattice_site(f->s->n, site, f->r + 3 * i);
    for (int64_t k = 3 * i; k < 3 * i + 3; k++) {
      f->r[k] += f->s->jitter * (2 * random_share(f->seed, SITES, k) - 1);
      f->v[k] = random_normal(f->seed, k);
    }
  }
}

/* Returns a random permutation of 0 to n - 1, which the caller frees, or NULL without memory. */
static int64_t *permute_sites(int64_t n, uint64_t seed) {
  int64_t *site = malloc((size_t)n * sizeof *site);
  for (int64_t i = 0; site != NULL && i < n; i++) {
    const int64_t other = (int64_t)gb.rng->below(seed, ORDER, (uint64_t)i, (uint64_t)i + 1);
    site[i] = site[other];
    site[other] = i;
  }
  return site;
}

/* Makes the total momentum 0, and scales the velocities to the temperature MD_TEMPERATURE. */
static void settle_velocities(const struct lj *s, double *v) {
  double mean[3] = {0}, squares = 0;
  for (int64_t i = 0; i < 3 * s->n; i++)
    mean[i % 3] += v[i] / (double)s->n;
  for (int64_t i = 0; i < 3 * s->n; i++) {
    v[i] -= mean[i % 3];
    squares += v[i] * v[i];
  }
  const double factor = sqrt(MD_TEMPERATURE * (3 * (double)s->n - 3) / squares);
  for (int64_t i = 0; i < 3 * s->n; i++)
    v[i] *= factor;
}

gb_status lj_fill(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  const struct lj *s = state;
  const uint64_t count = 3 * (uint64_t)s->n;
  struct filling f = {
      .s = s, .seed = gb.point->seed(c), .r = malloc(count * sizeof *f.r), .v = malloc(count * sizeof *f.v)};
  int64_t *site = s->shuffled ? permute_sites(s->n, f.seed) : NULL;
  f.site = site;
  gb_status status = GB_OK;
  if (f.r == NULL || f.v == NULL || (s->shuffled && site == NULL))
    status = gb_failf(&gb, c, GB_ENOMEM, "no host memory for %lld atoms", (long long)s->n);
  if (status == GB_OK) {
    processors_each((s->n + PIECE - 1) / PIECE, fill_lattice_piece, &f);
    settle_velocities(s, f.v);
    status = gb.input->write(c, "r", 0, count, f.r);
  }
  if (status == GB_OK) status = gb.input->write(c, "v", 0, count, f.v);
  free(f.r);
  free(f.v);
  free(site);
  return status;
}
