/* Verifies the results of "lj". After the first iteration, atoms are compared with the float64 reference. Later,
 * positions in fp32 and float64 have diverged, because the motion is chaotic, so that conserved quantities such as the
 * energy are checked instead. As long as few steps were taken, atoms are also compared with the result of as many steps
 * in float64. */
#include <math.h>
#include <stdlib.h>

#include "float64.h"
#include "kernels.h"
#include "lj.h"

#define gb md_gb

enum {
  ALL_COMPARED = 32768, /* with more atoms than this, only a sample is compared */
  SAMPLES = 64,
  RETRACED = 60,          /* `verify` repeats at most this many steps in float64 */
  RETRACED_WORK = 240000, /* `verify` repeats steps only if steps times atoms are at most this */
};

/* Radius of the ball of atoms that is simulated around a sampled atom. The atoms outside the ball would displace the
 * sampled atom by only 1e-8 in 20 steps (LAB.md). */
static const double reach = 7;
static const double momentum_most = 5e-7, fastest_most = 10, retraced_most = 0.01;

/* Returns the allowed change of the energy per atom. It is three times the change that leapfrog itself causes in
 * float64, which is largest while the initial lattice melts, plus twice what fp32 loses in each step. README.md has the
 * measurements. */
static double energy_most(const struct lj *s, double steps) {
  const double most = !s->shifted_force ? 0.037 : steps < 60 ? 4e-3 : 1e-3;
  return most + 2e-9 * steps;
}

static gb_status lj_no_memory(gb_case *c, const struct lj *s) {
  return gb_failf(&gb, c, GB_ENOMEM, "no host memory for %lld atoms in float64", (long long)s->n);
}

/* Returns the initial positions, followed by the velocities, or NULL after an error. The caller frees them. */
static double *beginning(gb_case *c, const struct lj *s) {
  const uint64_t count = 3 * (uint64_t)s->n;
  double *r = malloc(2 * count * sizeof *r);
  if (r == NULL) {
    lj_no_memory(c, s);
  } else if (gb.tensor->input(c, "r", 0, count, r) != GB_OK || gb.tensor->input(c, "v", 0, count, r + count) != GB_OK) {
    free(r);
    r = NULL;
  }
  return r;
}

/* ---- After one iteration --------------------------------------------------------------------------------------- */

static gb_status expect_leg(gb_case *c, const struct lj *s, double *r) {
  const uint64_t count = 3 * (uint64_t)s->n;
  if (md_leapfrog(&s->pair, s->n, s->box, s->leg, r, r + count) != 0) return lj_no_memory(c, s);
  gb_status status = gb.tensor->expect(c, "r", 0, count, r);
  return status == GB_OK ? gb.tensor->expect(c, "v", 0, count, r + count) : status;
}

static gb_status expect_some(gb_case *c, const struct lj *s, const double *r) {
  int64_t centres[SAMPLES];
  double to[6 * SAMPLES];
  for (int64_t i = 0; i < SAMPLES; i++)
    centres[i] = gb_sampled(&gb, c, 4, i, SAMPLES, s->n);
  const double *v = r + 3 * s->n;
  if (md_leapfrog_around(&s->pair, s->n, s->box, s->leg, r, v, reach, SAMPLES, centres, to) != 0)
    return lj_no_memory(c, s);
  gb_status status = GB_OK;
  for (int i = 0; i < SAMPLES && status == GB_OK; i++) {
    status = gb.tensor->expect(c, "r", 3 * (uint64_t)centres[i], 3, to + 6 * i);
    if (status == GB_OK) status = gb.tensor->expect(c, "v", 3 * (uint64_t)centres[i], 3, to + 6 * i + 3);
  }
  return status;
}

static gb_status expect_thermo(gb_case *c, const struct lj *s, const double *r) {
  static const double none[4 * (MD_RING - 1)];
  struct md_measures m;
  if (md_measure(&s->pair, s->n, s->box, r, r + 3 * s->n, &m) != 0) return lj_no_memory(c, s);
  const double first[4] = {0, m.potential, m.kinetic, m.virial}, clock = (double)s->leg;
  gb_status status = gb.tensor->expect(c, "thermo", 0, 4, first);
  if (status == GB_OK) status = gb.tensor->expect(c, "thermo", 4, sizeof none / sizeof none[0], none);
  return status == GB_OK ? gb.tensor->expect(c, "clock", 0, 1, &clock) : status;
}

gb_status lj_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  const struct lj *s = state;
  double *r = beginning(c, s);
  if (r == NULL) return GB_EFAIL;
  gb_status status = expect_thermo(c, s, r);
  if (status == GB_OK) status = s->n <= ALL_COMPARED ? expect_leg(c, s, r) : expect_some(c, s, r);
  free(r);
  return status;
}

/* ---- After any number of iterations ---------------------------------------------------------------------------- */

/* Returns how many iterations the variant has run, computed from the tensor `clock`, which the variant advances. If the
 * clock is wrong, reports a failure to gpubench and returns a number less than 1. */
static int64_t count_iterations(gb_case *c, const struct lj *s) {
  const uint64_t known = gb.tensor->steps(c);
  double clock = 0;
  if (gb.tensor->output(c, "clock", 0, 1, &clock) != GB_OK) return 0;
  const int64_t steps = (int64_t)clock, found = steps / s->leg;
  if (steps == MD_OVERFLOWN) {
    gb_failf(&gb, c, GB_EFAIL, "the clock is %d: an atom had more neighbours than the list has room for", MD_OVERFLOWN);
  } else if (steps < 1 || steps % s->leg != 0) {
    gb_failf(&gb, c, GB_EFAIL, "the clock is %lld: must be a multiple of the leg, %lld", (long long)steps,
             (long long)s->leg);
  } else if (known != 0 && (uint64_t)found != known) {
    gb_failf(&gb, c, GB_EFAIL, "the clock is %lld after %llu iterations of %lld steps", (long long)steps,
             (unsigned long long)known, (long long)s->leg);
  } else {
    return found;
  }
  return 0;
}

static double energy_per_atom(const struct lj *s, const struct md_measures *m) {
  return (m->potential + m->kinetic) / (double)s->n;
}

/* Checks that the energy and the total momentum of the current state are conserved, and that no atom is too fast. */
static gb_status check_conserved(gb_case *c, const struct lj *s, int64_t steps, double began,
                                 const struct md_measures *now) {
  const double drift = fabs(energy_per_atom(s, now) - began), most = energy_most(s, (double)steps);
  const double scale = sqrt((double)s->n * (double)steps);
  double momentum = 0;
  for (int k = 0; k < 3; k++)
    momentum = fmax(momentum, isfinite(now->momentum[k]) ? fabs(now->momentum[k]) / scale : INFINITY);
  gb.metric->add(c, "energy-drift", drift);
  gb.metric->add(c, "momentum", momentum);
  if (!(drift <= most))
    return gb_failf(&gb, c, GB_EFAIL, "an atom's energy was %.7g and is %.7g after %lld steps: may differ by %.2g",
                    began, energy_per_atom(s, now), (long long)steps, most);
  if (!(momentum <= momentum_most))
    return gb_failf(&gb, c, GB_EFAIL,
                    "momentum is %.3g times the root of atoms and steps after %lld steps: at most %.2g", momentum,
                    (long long)steps, momentum_most);
  if (!(now->fastest <= fastest_most))
    return gb_failf(&gb, c, GB_EFAIL, "an atom is as fast as %.3g after %lld steps", now->fastest, (long long)steps);
  return GB_OK;
}

/* Checks the number of steps and the total energy in each row of the tensor `thermo` that has been written. */
static gb_status check_thermo(gb_case *c, const struct lj *s, int64_t count, double began) {
  double rows[MD_RING][4];
  gb_status status = gb.tensor->output(c, "thermo", 0, 4 * MD_RING, rows[0]);
  for (int64_t i = count > MD_RING ? count - MD_RING : 0; i < count && status == GB_OK; i++) {
    const double *row = rows[i % MD_RING], energy = (row[1] + row[2]) / (double)s->n;
    if (row[0] < (double)(i * s->leg) || row[0] > (double)(i * s->leg))
      status = gb_failf(&gb, c, GB_EFAIL, "row %lld of thermo is of step %g: must be %lld", (long long)(i % MD_RING),
                        row[0], (long long)(i * s->leg));
    else if (!(fabs(energy - began) <= energy_most(s, row[0])))
      status =
          gb_failf(&gb, c, GB_EFAIL, "thermo has an atom's energy at step %g as %.7g: was %.7g", row[0], energy, began);
  }
  return status;
}

/* Returns the root mean square of the differences between two arrays of `count` values. */
static double distance(const double *now, const double *right, int64_t count) {
  double squares = 0;
  for (int64_t i = 0; i < count; i++)
    squares += (now[i] - right[i]) * (now[i] - right[i]);
  return sqrt(squares / (double)count);
}

/* Compares a row of the tensor `thermo` with the float64 result for the same step. */
static gb_status check_thermo_row(gb_case *c, const struct lj *s, int64_t i, const double *row,
                                  const struct md_measures *m) {
  const double right[3] = {m->potential, m->kinetic, m->virial};
  static const char *const names[3] = {"potential energy", "kinetic energy", "virial"};
  for (int k = 0; k < 3; k++)
    if (!(fabs(row[1 + k] - right[k]) <= retraced_most * (double)s->n))
      return gb_failf(&gb, c, GB_EFAIL, "thermo has the %s at step %lld as %.7g: is %.7g", names[k],
                      (long long)(i * s->leg), row[1 + k], right[k]);
  return GB_OK;
}

/* Repeats `count` iterations in float64, and compares the atoms and the rows of the tensor `thermo` with the results.
 * `r` holds the initial state and is overwritten. */
static gb_status check_atoms(gb_case *c, const struct lj *s, int64_t count, double *r, const double *now) {
  const int64_t values = 3 * s->n;
  double rows[RETRACED + 1][4];
  gb_status status = gb.tensor->output(c, "thermo", 0, 4 * (uint64_t)count, rows[0]);
  for (int64_t i = 0; i < count && status == GB_OK; i++) {
    struct md_measures m;
    if (md_measure(&s->pair, s->n, s->box, r, r + values, &m) != 0) return lj_no_memory(c, s);
    status = check_thermo_row(c, s, i, rows[i], &m);
    if (status == GB_OK && md_leapfrog(&s->pair, s->n, s->box, s->leg, r, r + values) != 0) status = lj_no_memory(c, s);
  }
  if (status != GB_OK) return status;
  const double off_r = distance(now, r, values), off_v = distance(now + values, r + values, values);
  if (off_r <= retraced_most && off_v <= retraced_most) return GB_OK;
  return gb_failf(&gb, c, GB_EFAIL, "after %lld steps atoms are off by %.3g, velocities by %.3g: at most %.2g",
                  (long long)(count * s->leg), off_r, off_v, retraced_most);
}

static gb_status judge_trajectory(gb_case *c, const struct lj *s, int64_t count, double *r, const double *now) {
  const int64_t steps = count * s->leg;
  struct md_measures then, m;
  if (md_measure(&s->pair, s->n, s->box, r, r + 3 * s->n, &then) != 0 ||
      md_measure(&s->pair, s->n, s->box, now, now + 3 * s->n, &m) != 0)
    return lj_no_memory(c, s);
  const double began = energy_per_atom(s, &then);
  gb_status status = check_conserved(c, s, steps, began, &m);
  if (status == GB_OK) status = check_thermo(c, s, count, began);
  if (status != GB_OK || count == 1 || steps > RETRACED || s->n * steps > RETRACED_WORK) return status;
  return check_atoms(c, s, count, r, now);
}

gb_status lj_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  const struct lj *s = state;
  const uint64_t values = 3 * (uint64_t)s->n;
  const int64_t count = count_iterations(c, s);
  if (count < 1) return GB_EFAIL;
  double *r = beginning(c, s), *now = malloc(2 * values * sizeof *now);
  gb_status status = r == NULL ? GB_EFAIL : now == NULL ? lj_no_memory(c, s) : GB_OK;
  if (status == GB_OK) status = gb.tensor->output(c, "r", 0, values, now);
  if (status == GB_OK) status = gb.tensor->output(c, "v", 0, values, now + values);
  if (status == GB_OK) status = judge_trajectory(c, s, count, r, now);
  free(r);
  free(now);
  return status;
}
