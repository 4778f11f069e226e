/* Molecular dynamics of Lennard-Jones atoms by velocity Verlet, in which each call continues from the state that the
 * last one left. The bench itself fills the positions (on a lattice) and the list of neighbours, because gpubench's
 * random distributions cannot produce them. A variant that uses such a list must rebuild it when atoms have moved too
 * far. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpubench/sugar.h>

enum {
  NEAR = 192,
  RECOMPUTED = 64
}; /* NEAR: the most neighbours that an atom can have; RECOMPUTED: the most steps that `verify` repeats */

static const double cutoff = 2.5, skin = 0.3, dt = 0.002, density = 0.8, jitter = 0.02;

static gb_sdk gb;

/* ---- The physics ---- */

struct atoms {
  int64_t n;
  double box;
};

static struct atoms atoms_of(gb_case *c) {
  const int64_t n = gb.point->i64(c, "atoms");
  return (struct atoms){n, cbrt((double)n / density)};
}

/* Computes the vector from the nearest periodic image of b to a. Returns its squared length. */
static double squared_distance(const struct atoms *s, const double *a, const double *b, double *d) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    d[k] = a[k] - b[k];
    d[k] -= s->box * rint(d[k] / s->box);
    sum += d[k] * d[k];
  }
  return sum;
}

/* Adds the force of atom j on atom i to `force`. Returns the energy of the pair, shifted so that it is 0 at the cutoff.
 * The force is not shifted, so that the total energy drifts a little. */
static double pair(const struct atoms *s, const double *r, int64_t i, int64_t j, double *force) {
  double d[3];
  const double r2 = squared_distance(s, r + 3 * i, r + 3 * j, d), c6 = pow(cutoff, -6);
  if (r2 >= cutoff * cutoff) return 0;
  const double s6 = 1 / (r2 * r2 * r2), strength = 24 * (2 * s6 * s6 - s6) / r2;
  for (int k = 0; k < 3; k++)
    force[k] += strength * d[k];
  return 4 * (s6 * s6 - s6) - 4 * (c6 * c6 - c6);
}

/* Adds up the forces on atom i, and returns twice its potential energy. If `list` is NULL, the forces are those of all
 * other atoms, otherwise those of the atoms in the list. */
static double forces_on(const struct atoms *s, const double *r, const int32_t *list, int64_t i, double *force) {
  double energy = 0;
  for (int64_t k = 0; list != NULL && k < NEAR && list[i * NEAR + k] >= 0; k++)
    energy += pair(s, r, i, list[i * NEAR + k], force);
  for (int64_t j = 0; list == NULL && j < s->n; j++)
    if (j != i) energy += pair(s, r, i, j, force);
  return energy;
}

static void kick(const struct atoms *s, const double *r, const int32_t *list, double *v) {
  for (int64_t i = 0; i < s->n; i++) {
    double force[3] = {0};
    forces_on(s, r, list, i, force);
    for (int k = 0; k < 3; k++)
      v[3 * i + k] += dt / 2 * force[k];
  }
}

static void move(const struct atoms *s, double *r, const double *v) {
  for (int64_t i = 0; i < 3 * s->n; i++)
    r[i] += dt * v[i];
}

static double energy_of(const struct atoms *s, const double *r, const double *v) {
  double energy = 0;
  for (int64_t i = 0; i < s->n; i++) {
    double force[3] = {0};
    energy += forces_on(s, r, NULL, i, force) / 2;
    for (int k = 0; k < 3; k++)
      energy += v[3 * i + k] * v[3 * i + k] / 2;
  }
  return energy;
}

/* Lists, for each atom, the atoms that may come within the cutoff before the list is rebuilt. -1 ends a row. */
static void list_neighbours(const struct atoms *s, const double *r, int32_t *list) {
  for (int64_t i = 0; i < s->n; i++) {
    int64_t count = 0;
    double d[3];
    for (int64_t j = 0; j < s->n && count < NEAR - 1; j++)
      if (j != i && squared_distance(s, r + 3 * i, r + 3 * j, d) < (cutoff + skin) * (cutoff + skin))
        list[i * NEAR + count++] = (int32_t)j;
    list[i * NEAR + count] = -1;
  }
}

/* ---- The bench ---- */

static gb_status md_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  const int64_t n = gb.point->i64(c, "atoms"), k = (int64_t)rint(cbrt((double)n));
  if (k * k * k != n || n < 125 || n > 4096) return gb_failf(&gb, c, GB_SKIP, "atoms is no cube from 125 to 4096");
  return GB_OK;
}

static gb_status md_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t n = gb.point->i64(c, "atoms"), vectors[] = {n, 3}, rows[] = {n, NEAR};
  const gb_tensor tensors[] = {
      {GB_SIZE(gb_tensor), .role = GB_INOUT, .dtype = GB_DTYPE_F64, .rank = 2, .name = "r", .shape = vectors,
       .fill = GB_FILL_BENCH, .tolerance = 1e-10},
      {GB_SIZE(gb_tensor), .role = GB_INOUT, .dtype = GB_DTYPE_F64, .rank = 2, .name = "v", .shape = vectors,
       .fill = GB_FILL_NORMAL, .fill_b = 1, .tolerance = 1e-10},
      {GB_SIZE(gb_tensor), .role = GB_IN, .dtype = GB_DTYPE_I32, .rank = 2, .name = "neighbours", .shape = rows,
       .fill = GB_FILL_BENCH},
      {GB_SIZE(gb_tensor), .role = GB_SCRATCH, .dtype = GB_DTYPE_I32, .rank = 2, .name = "list", .shape = rows},
      {GB_SIZE(gb_tensor), .role = GB_SCRATCH, .dtype = GB_DTYPE_F64, .rank = 2, .name = "listed-at", .shape = vectors},
  };
  gb_status status = GB_OK;
  for (size_t i = 0; i < sizeof tensors / sizeof tensors[0] && status == GB_OK; i++)
    status = gb.tensor->declare(c, &tensors[i]);
  if (status == GB_OK)
    status = gb_metric_declare(&gb, c, "energy-drift", "1", GB_BETTER_LESS, GB_AGGREGATE_MAX, "per atom");
  if (status == GB_OK)
    status = gb_metric_declare(&gb, c, "from-memory", NULL, GB_BETTER_NEITHER, GB_AGGREGATE_SUM, "steps not taken");
  const gb_work work = {GB_SIZE(gb_work), .items = (uint64_t)n, .item_unit = "atom steps"};
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

/* Allocates `each` doubles for each atom: for copies of the state, or for the list of neighbours, which is passed to
 * gpubench in float64. */
static double *claim(gb_case *c, const struct atoms *s, size_t each) {
  double *memory = malloc((size_t)s->n * each * sizeof *memory);
  if (memory == NULL) gb_failf(&gb, c, GB_ENOMEM, "no host memory for %lld atoms", (long long)s->n);
  return memory;
}

static void place(const struct atoms *s, uint64_t seed, double *r) {
  const int64_t k = (int64_t)rint(cbrt((double)s->n));
  const double step = s->box / (double)k;
  for (int64_t i = 0; i < 3 * s->n; i++) {
    const int64_t site = i % 3 == 0 ? i / 3 % k : i % 3 == 1 ? i / 3 / k % k : i / 3 / k / k;
    const double off = (double)gb.rng->below(seed, 1, (uint64_t)i, 1 << 20) / (1 << 20) - 0.5;
    r[i] = ((double)site + 2 * jitter * off) * step;
  }
}

static gb_status md_fill(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const struct atoms s = atoms_of(c);
  double *r = claim(c, &s, 3 + NEAR);
  int32_t *list = malloc((size_t)s.n * NEAR * sizeof *list);
  if (r == NULL || list == NULL) return free(r), free(list), gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  double *rows = r + 3 * s.n;
  place(&s, gb.point->seed(c), r);
  memset(list, 0xFF, (size_t)s.n * NEAR * sizeof *list);
  list_neighbours(&s, r, list);
  for (int64_t i = 0; i < s.n * NEAR; i++)
    rows[i] = list[i];
  gb_status status = gb.input->write(c, "r", 0, 3 * (uint64_t)s.n, r);
  if (status == GB_OK) status = gb.input->write(c, "neighbours", 0, (uint64_t)s.n * NEAR, rows);
  free(r);
  free(list);
  return status;
}

/* Computes the state after `steps` steps, with positions in `r` and velocities directly behind them. */
static gb_status go_along(gb_case *c, const struct atoms *s, uint64_t steps, double *r) {
  const uint64_t count = 3 * (uint64_t)s->n;
  double *v = r + count;
  gb_status status = gb.tensor->input(c, "r", 0, count, r);
  if (status == GB_OK) status = gb.tensor->input(c, "v", 0, count, v);
  for (uint64_t i = 0; i < steps && status == GB_OK; i++) {
    kick(s, r, NULL, v);
    move(s, r, v);
    kick(s, r, NULL, v);
  }
  return status;
}

/* Passes the expected result of one step to gpubench, computed over all pairs of atoms, without a list of
 * neighbours. */
static gb_status md_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const struct atoms s = atoms_of(c);
  double *r = claim(c, &s, 6);
  if (r == NULL) return GB_ENOMEM;
  gb_status status = go_along(c, &s, 1, r);
  if (status == GB_OK) status = gb.tensor->expect(c, "r", 0, 3 * (uint64_t)s.n, r);
  if (status == GB_OK) status = gb.tensor->expect(c, "v", 0, 3 * (uint64_t)s.n, r + 3 * s.n);
  free(r);
  return status;
}

static double farthest_off(const double *a, const double *b, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++)
    most = fmax(most, isfinite(a[i]) ? fabs(a[i] - b[i]) : INFINITY);
  return most;
}

/* Checks that energy and momentum are conserved, and that atoms have moved. `now` is the state that the variant left,
 * `then` the state that the bench filled. */
static gb_status check_conserved(gb_case *c, const struct atoms *s, const double *now, const double *then) {
  const double before = energy_of(s, then, then + 3 * s->n), energy = energy_of(s, now, now + 3 * s->n);
  gb.metric->add(c, "energy-drift", fabs(energy - before) / (double)s->n);
  if (!(fabs(energy - before) <= 2e-3 * (double)s->n))
    return gb_failf(&gb, c, GB_EFAIL, "energy was %.9g and is %.9g", before, energy);
  double momentum[3] = {0};
  for (int64_t i = 0; i < 3 * s->n; i++)
    momentum[i % 3] += now[3 * s->n + i] - then[3 * s->n + i];
  for (int k = 0; k < 3; k++)
    if (!(fabs(momentum[k]) <= 1e-8)) return gb_failf(&gb, c, GB_EFAIL, "momentum grew by %.3g", momentum[k]);
  return farthest_off(now, then, 3 * s->n) > 0 ? GB_OK : gb_failf(&gb, c, GB_EFAIL, "nothing has moved");
}

/* Checks what is conserved, and repeats the steps in float64 if there were at most RECOMPUTED. */
static gb_status judge(gb_case *c, const struct atoms *s, const double *now, double *then) {
  const uint64_t steps = gb.tensor->steps(c);
  gb_status status = go_along(c, s, 0, then);
  if (status == GB_OK) status = check_conserved(c, s, now, then);
  /* `steps` is 0 if the number of steps is not known */
  if (status != GB_OK || steps == 0 || steps > RECOMPUTED) return status;
  status = go_along(c, s, steps, then);
  const double off = farthest_off(now, then, 6 * s->n);
  if (status != GB_OK || off <= 1e-7) return status;
  return gb_failf(&gb, c, GB_EFAIL, "off by %.3g after %d steps", off, (int)steps);
}

static gb_status md_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const struct atoms s = atoms_of(c);
  double *now = claim(c, &s, 12);
  if (now == NULL) return GB_ENOMEM;
  gb_status status = gb.tensor->output(c, "r", 0, 3 * (uint64_t)s.n, now);
  if (status == GB_OK) status = gb.tensor->output(c, "v", 0, 3 * (uint64_t)s.n, now + 3 * s.n);
  if (status == GB_OK) status = judge(c, &s, now, now + 6 * s.n);
  free(now);
  return status;
}

/* ---- Variants ---- */

static gb_status all_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  const struct atoms s = atoms_of(c);
  double *r = gb.tensor->data(c, "r"), *v = gb.tensor->data(c, "v");
  kick(&s, r, NULL, v);
  move(&s, r, v);
  kick(&s, r, NULL, v);
  return GB_OK;
}

/* Copies the list of neighbours that the bench has filled, and the positions for which it was made. */
static gb_status listed_refresh(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  const struct atoms s = atoms_of(c);
  memcpy(gb.tensor->data(c, "list"), gb.tensor->data(c, "neighbours"), (size_t)s.n * NEAR * sizeof(int32_t));
  memcpy(gb.tensor->data(c, "listed-at"), gb.tensor->data(c, "r"), (size_t)s.n * 3 * sizeof(double));
  return GB_OK;
}

static gb_status listed_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  return listed_refresh(self, c, *vstate);
}

/* Takes a step. Rebuilds the list of neighbours when two atoms may have come nearer by the thickness of the skin. */
static gb_status listed_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  const struct atoms s = atoms_of(c);
  double *r = gb.tensor->data(c, "r"), *v = gb.tensor->data(c, "v"), *at = gb.tensor->data(c, "listed-at");
  int32_t *list = gb.tensor->data(c, "list");
  kick(&s, r, list, v);
  move(&s, r, v);
  if (farthest_off(r, at, 3 * s.n) > skin / 2 / sqrt(3)) {
    list_neighbours(&s, r, list);
    memcpy(at, r, (size_t)s.n * 3 * sizeof *at);
  }
  kick(&s, r, list, v);
  return GB_OK;
}

/* A wrong variant that omits every second step. Energy and momentum are conserved all the same. */
static gb_status lazy_run(const gb_variant *self, gb_case *c, void *vstate) {
  static _Thread_local int turn;
  return turn++ % 2 == 0 ? all_run(self, c, vstate) : GB_OK;
}

/* A cheat that keeps every state that it has reached. If it comes to a kept state again, it takes the next state from
 * memory instead of computing it. The variant "cautious" always computes the first step after the inputs were
 * filled. */
static gb_status replay_run(const gb_variant *self, gb_case *c, void *vstate) {
  static struct {
    double key;
    double *next;
  } known[4096];
  static size_t count;
  const size_t half = 3 * (size_t)gb.point->i64(c, "atoms"), bytes = half * sizeof(double);
  double *r = gb.tensor->data(c, "r"), *v = gb.tensor->data(c, "v");
  static double last;
  const double key = r[0];
  const int begins = memcmp(&last, &key, sizeof key) != 0;
  for (size_t i = 0; i < count; i++) {
    if (memcmp(&known[i].key, &key, sizeof key) != 0 || (self->user != NULL && begins)) continue;
    memcpy(r, known[i].next, bytes);
    memcpy(v, known[i].next + half, bytes);
    last = r[0];
    return gb.metric->add(c, "from-memory", 1);
  }
  const gb_status status = all_run(self, c, vstate);
  last = r[0];
  gb.metric->add(c, "from-memory", 0);
  double *next = count < sizeof known / sizeof known[0] ? malloc(2 * bytes) : NULL;
  if (status != GB_OK || next == NULL) return status;
  memcpy(next, r, bytes);
  memcpy(next + half, v, bytes);
  known[count].key = key;
  known[count++].next = next;
  return GB_OK;
}

static const gb_variant all = {GB_SIZE(gb_variant), .flags = GB_VARIANT_BASELINE,
                               .name = "all",       .summary = "every pair",
                               .backend = "cpu",    .math = "fp64",
                               .run = all_run};
static const gb_variant listed = {GB_SIZE(gb_variant),
                                  .flags = GB_VARIANT_DERIVED,
                                  .name = "list",
                                  .summary = "neighbours",
                                  .backend = "cpu",
                                  .math = "fp64",
                                  .prepare = listed_prepare,
                                  .refresh = listed_refresh,
                                  .run = listed_run};
static const gb_variant lazy = {GB_SIZE(gb_variant), .flags = GB_VARIANT_BY_NAME,
                                .name = "lazy",      .summary = "every second step",
                                .backend = "cpu",    .math = "fp64",
                                .run = lazy_run};
static const gb_variant replay = {GB_SIZE(gb_variant), .flags = GB_VARIANT_BY_NAME,
                                  .name = "replay",    .summary = "from memory",
                                  .backend = "cpu",    .math = "fp64",
                                  .run = replay_run};
static const gb_variant cautious = {GB_SIZE(gb_variant), .flags = GB_VARIANT_BY_NAME,
                                    .name = "cautious",  .summary = "from memory, but the first step",
                                    .backend = "cpu",    .math = "fp64",
                                    .user = &cutoff,     .run = replay_run};
static const gb_axis axis_atoms = {GB_SIZE(gb_axis), .type = GB_I64, .name = "atoms", .values = "125"};
static const gb_bench bench = {GB_SIZE(gb_bench),
                               .flags = GB_BENCH_STATEFUL,
                               .name = "lj",
                               .contract = "gpubench.org/test/md/lj/1",
                               .summary = "a step of velocity Verlet",
                               .axes = (const gb_axis *const[]){&axis_atoms, NULL},
                               .variants = (const gb_variant *const[]){&all, &listed, &lazy, &replay, &cautious, NULL},
                               .supports = md_supports,
                               .setup = md_setup,
                               .fill = md_fill,
                               .reference = md_reference,
                               .verify = md_verify};

static gb_status md_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "md", .version = "1.0.0", .open = md_open};
