/* Variants that this plugin adds to the bench md/lj. Each has an error that has been made in practice in molecular
 * dynamics, and the bench must find it. There is also a correct variant, which was written only from what
 * plugins/md/README.md says about the bench: plain loops over all pairs of atoms, in double. */
#include <gpubench/sugar.h>
#include <math.h>
#include <stdlib.h>

static gb_sdk gb;

enum slip {
  NONE,
  HALF_LIST,     /* visits each pair of atoms once, but applies the force to only one of the two */
  IMAGE_MISSING, /* ignores periodic images in the z direction */
  OLD_LIST,      /* uses only the pairs of atoms that were within the cutoff at the start of the iteration */
  HALF_STEPS,    /* omits every second time step, which energy and momentum do not show */
  STRONGER,      /* forces times 1.001 */
  SHORTER,       /* a cutoff that is too short: 2.4 */
  UNSHIFTED,     /* the force is not shifted to 0 at the cutoff */
  LAZY,          /* moves no atom in every second iteration, which the outputs clock and thermo do not show */
  FROM_MEMORY,   /* the output thermo is always that of the first iteration */
  WRAPPED,       /* wraps the positions of atoms into the box */
  SLOW_CLOCK,    /* the clock counts iterations */
  ONE_LESS,      /* the last atom does not move */
  COARSE,        /* forces rounded to bf16 */
  TIMESTEP,      /* a time step of 0.00501 */
  NO_TIMESTEP,   /* does nothing at all */
};

struct run {
  enum slip slip;
  int64_t n, leg;
  double box, cutoff, edge_force, edge_energy;
  float *r, *v;
  int32_t *clock;
  double *thermo;
  double *at, *force, *listed_at; /* [n, 3] */
};

static gb_status prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct run *s = calloc(1, sizeof *s);
  if (s == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  *vstate = s;
  s->slip = *(const enum slip *)self->user;
  s->n = gb.point->i64(c, "atoms");
  s->leg = gb.point->i64(c, "leg");
  s->r = gb.tensor->data(c, "r");
  s->v = gb.tensor->data(c, "v");
  s->clock = gb.tensor->data(c, "clock");
  s->thermo = gb.tensor->data(c, "thermo");
  s->box = (double)(float)(ceil(cbrt((double)s->n / 4) - 1e-9) * cbrt(4 / 0.8442));
  s->cutoff = s->slip == SHORTER ? 2.4 : 2.5;
  if (gb_axis_is(&gb, c, "potential", "shifted-force") && s->slip != UNSHIFTED) {
    s->edge_force = 24 * (2 * pow(s->cutoff, -13) - pow(s->cutoff, -7));
    s->edge_energy = -4 * (pow(s->cutoff, -12) - pow(s->cutoff, -6)) - s->edge_force * s->cutoff;
  }
  s->at = gb.mem->alloc(c, GB_MEM_HOST, 9 * (uint64_t)s->n * sizeof *s->at);
  if (s->at == NULL) return free(s), GB_ENOMEM;
  s->force = s->at + 3 * s->n;
  s->listed_at = s->force + 3 * s->n;
  return GB_OK;
}

static double distance2(const struct run *s, const double *r, int64_t i, int64_t j, double *d) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    d[k] = r[3 * i + k] - r[3 * j + k];
    if (s->slip != IMAGE_MISSING || k < 2) d[k] -= s->box * rint(d[k] / s->box);
    sum += d[k] * d[k];
  }
  return sum;
}

/* Computes the forces on all atoms, and adds energies and virial to a row of the tensor `thermo`. */
static void add_forces(const struct run *s, double *row) {
  for (int64_t i = 0; i < 3 * s->n; i++)
    s->force[i] = 0;
  for (int64_t i = 0; i < s->n; i++)
    for (int64_t j = i + 1; j < s->n; j++) {
      double d[3];
      if (s->slip == OLD_LIST && distance2(s, s->listed_at, i, j, d) >= s->cutoff * s->cutoff) continue;
      const double r2 = distance2(s, s->at, i, j, d), r = sqrt(r2), s6 = 1 / (r2 * r2 * r2);
      if (r2 >= s->cutoff * s->cutoff) continue;
      const double force = 24 * (2 * s6 * s6 - s6) / r - s->edge_force;
      row[1] += 4 * (s6 * s6 - s6) + s->edge_energy + s->edge_force * r;
      row[3] += force * r;
      for (int k = 0; k < 3; k++) {
        s->force[3 * i + k] += force / r * d[k];
        if (s->slip != HALF_LIST) s->force[3 * j + k] -= force / r * d[k];
      }
    }
}

static double as_bf16(double x) {
  int exponent;
  const double fraction = frexp(x, &exponent);
  return ldexp(rint(fraction * 256) / 256, exponent);
}

static void step(const struct run *s, double *row) {
  const double dt = s->slip == TIMESTEP ? 0.00501 : 0.005;
  const int64_t moved = s->slip == ONE_LESS ? 3 * s->n - 3 : 3 * s->n;
  add_forces(s, row);
  for (int64_t i = 0; i < moved; i++) {
    const double force = s->slip == STRONGER ? 1.001 * s->force[i]
                         : s->slip == COARSE ? as_bf16(s->force[i])
                                             : s->force[i];
    const double v = s->v[i], middle = v + dt / 2 * force;
    row[2] += middle * middle / 2;
    s->v[i] = (float)(v + dt * force);
    s->at[i] += dt * (v + dt * force);
  }
}

static void take_steps(const struct run *s, double *row) {
  double none[4] = {0};
  for (int64_t i = 0; i < 3 * s->n; i++)
    s->at[i] = s->listed_at[i] = s->r[i];
  const int64_t steps = s->slip == HALF_STEPS ? (s->leg + 1) / 2 : s->leg;
  for (int64_t i = 0; i < steps; i++)
    step(s, i == 0 ? row : none);
  for (int64_t i = 0; i < 3 * s->n; i++)
    s->r[i] = (float)(s->slip == WRAPPED ? s->at[i] - s->box * rint(s->at[i] / s->box) : s->at[i]);
}

/* Adds the energies of the present state to a row of the tensor `thermo`, without taking a step. */
static void take_measures(const struct run *s, double *row) {
  for (int64_t i = 0; i < 3 * s->n; i++)
    s->at[i] = s->r[i];
  add_forces(s, row);
  for (int64_t i = 0; i < 3 * s->n; i++) {
    const double middle = s->v[i] + 0.0025 * s->force[i];
    row[2] += middle * middle / 2;
  }
}

static gb_status run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)c;
  const struct run *s = vstate;
  const int64_t iteration = *s->clock / s->leg;
  double *row = s->thermo + 4 * (iteration % 1024), values[4] = {(double)*s->clock, 0, 0, 0};
  if (s->slip == LAZY && iteration % 2 == 1) {
    take_measures(s, values);
  } else if (s->slip != NO_TIMESTEP) {
    take_steps(s, values);
  }
  if (s->slip == FROM_MEMORY && iteration > 0)
    for (int k = 1; k < 4; k++)
      values[k] = s->thermo[k];
  for (int k = 0; k < 4; k++)
    row[k] = values[k];
  *s->clock += s->slip == SLOW_CLOCK ? 1 : (int32_t)s->leg;
  return GB_OK;
}

static void release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)c;
  free(vstate);
}

#define SLIP(id, label, which)        \
  static enum slip id##_slip = which; \
  static const gb_variant id =        \
      GB_VARIANT(label, "cpu", "fp32", .prepare = prepare, .run = run, .release = release, .user = &id##_slip)

SLIP(right, "right", NONE);
SLIP(half_list, "half-list", HALF_LIST);
SLIP(image_missing, "image-missing", IMAGE_MISSING);
SLIP(old_list, "old-list", OLD_LIST);
SLIP(half_steps, "half-steps", HALF_STEPS);
SLIP(stronger, "stronger", STRONGER);
SLIP(shorter, "shorter", SHORTER);
SLIP(unshifted, "unshifted", UNSHIFTED);
SLIP(lazy, "lazy", LAZY);
SLIP(from_memory, "from-memory", FROM_MEMORY);
SLIP(wrapped, "wrapped", WRAPPED);
SLIP(slow_clock, "slow-clock", SLOW_CLOCK);
SLIP(one_less, "one-less", ONE_LESS);
SLIP(coarse, "coarse", COARSE);
SLIP(timestep, "timestep", TIMESTEP);
SLIP(no_timestep, "no-timestep", NO_TIMESTEP);

static gb_status slips_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  const gb_variant *const all[] = {&right,    &half_list, &image_missing, &old_list,    &half_steps, &stronger,
                                   &shorter,  &unshifted, &lazy,          &from_memory, &wrapped,    &slow_clock,
                                   &one_less, &coarse,    &timestep,      &no_timestep};
  gb_status status = gb_sdk_open(&gb, host);
  for (size_t i = 0; i < sizeof all / sizeof all[0] && status == GB_OK; i++)
    status = host->attach(host, registry, "gpubench.org/md/lj/1", all[i]);
  return status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "md_slips", .version = "0.1.0", .open = slips_open};
