/* Tests the float64 trajectories that judge md/lj, against LAMMPS's published figures and against themselves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugins/md/float64.h"
#include "unit.h"

static double *space(int64_t n) {
  return malloc((size_t)n * 3 * sizeof(double));
}

/* Makes a lattice with velocities at the benchmark's temperature; atoms are at most `jitter` off their sites. */
static void begin(int64_t n, double jitter, double *r, double *v) {
  double mean[3] = {0}, squares = 0;
  srand48(7);
  for (int64_t i = 0; i < n; i++) {
    md_lattice_site(n, i, r + 3 * i);
    for (int64_t k = 3 * i; k < 3 * i + 3; k++) {
      r[k] += jitter * (2 * drand48() - 1);
      v[k] = drand48() + drand48() + drand48() + drand48() - 2;
      mean[k % 3] += v[k] / (double)n;
    }
  }
  for (int64_t k = 0; k < 3 * n; k++) {
    v[k] -= mean[k % 3];
    squares += v[k] * v[k];
  }
  for (int64_t k = 0; k < 3 * n; k++)
    v[k] *= sqrt(MD_TEMPERATURE * (3 * (double)n - 3) / squares);
}

/* Figures are from bench/log.6Oct16.lj.fixed.icc.1 of LAMMPS, 32000 atoms, step 0: every printed digit must agree. */
static void the_lattice_is_lammps_s(void) {
  enum { N = 32000 };
  const struct md_potential cut = md_potential_cut();
  double *r = space(N), *v = space(N);
  struct md_measures m;
  begin(N, 0, r, v);
  ASSERT_EQ_INT(md_measure(&cut, N, md_box(N), r, v, &m), 0);
  ASSERT_NEAR(m.potential / N, -6.7733681, 1e-6);
  ASSERT_NEAR((m.potential + m.kinetic) / N, -4.6134356, 1e-6);
  ASSERT_NEAR(md_temperature(N, &m), 1.44, 1e-9);
  ASSERT_NEAR(md_pressure(md_box(N), &m), -5.0197073, 1e-6);
  free(r);
  free(v);
}

/* Figures are from step 100 of the same log, which has other velocities and more atoms; they must agree within four
 * standard errors. Over ten draws of 4000 atoms, temperature and energy have standard deviations of 0.0061 and
 * 0.0091: see plugins/md/LAB.md. */
static void the_melt_is_lammps_s(void) {
  enum { N = 4000 };
  const struct md_potential cut = md_potential_cut();
  double *r = space(N), *v = space(N);
  struct md_measures m;
  begin(N, 0, r, v);
  ASSERT_EQ_INT(md_leapfrog(&cut, N, md_box(N), 100, r, v), 0);
  ASSERT_EQ_INT(md_measure(&cut, N, md_box(N), r, v, &m), 0);
  ASSERT_NEAR(md_temperature(N, &m), 0.7574531, 4 * 0.0061);
  ASSERT_NEAR(m.potential / N, -5.7585055, 4 * 0.0091);
  ASSERT_NEAR((m.potential + m.kinetic) / N, -4.6223613, 2e-3);
  free(r);
  free(v);
}

/* The force equals the slope of the energy when an atom is moved by h in both directions. */
static void force_is_the_slope_of_energy(void) {
  enum { N = 500 };
  static const double h = 1e-5;
  const struct md_potential pairs[2] = {md_potential_cut(), md_potential_shifted_force()};
  double *r = space(N), *v = space(N), *r1 = space(N), *v1 = space(N);
  begin(N, 0.05, r, v);
  const double box = md_box(N);
  for (int p = 0; p < 2; p++)
    for (int64_t k = 0; k < 3 * N; k += 217) {
      struct md_measures up, down;
      memcpy(r1, r, 3 * N * sizeof *r);
      memcpy(v1, v, 3 * N * sizeof *v);
      ASSERT_EQ_INT(md_leapfrog(&pairs[p], N, box, 1, r1, v1), 0);
      const double force = (v1[k] - v[k]) / MD_TIMESTEP;
      memcpy(r1, r, 3 * N * sizeof *r);
      r1[k] = r[k] + h;
      ASSERT_EQ_INT(md_measure(&pairs[p], N, box, r1, v, &up), 0);
      r1[k] = r[k] - h;
      ASSERT_EQ_INT(md_measure(&pairs[p], N, box, r1, v, &down), 0);
      ASSERT_NEAR(force, (down.potential - up.potential) / (2 * h), 1e-4 * (1 + fabs(force)));
    }
  free(r);
  free(v);
  free(r1);
  free(v1);
}

/* 60 steps are computed at once, with a neighbour list that is renewed only when needed, and one by one, with a fresh
 * list for each step. The positions must agree. */
static void lists_are_never_too_old(void) {
  enum { N = 1372, STEPS = 60 };
  const struct md_potential pair = md_potential_shifted_force();
  double *r = space(N), *v = space(N), *r1 = space(N), *v1 = space(N), most = 0;
  begin(N, 0.05, r, v);
  memcpy(r1, r, 3 * N * sizeof *r);
  memcpy(v1, v, 3 * N * sizeof *v);
  ASSERT_EQ_INT(md_leapfrog(&pair, N, md_box(N), STEPS, r, v), 0);
  for (int i = 0; i < STEPS; i++)
    ASSERT_EQ_INT(md_leapfrog(&pair, N, md_box(N), 1, r1, v1), 0);
  for (int64_t k = 0; k < 3 * N; k++)
    most = fmax(most, fabs(r[k] - r1[k]));
  ASSERT_TRUE(most < 1e-9);
  free(r);
  free(v);
  free(r1);
  free(v1);
}

/* Atoms further than 7 away do not affect an atom within twenty steps. */
static void a_ball_is_as_good_as_all(void) {
  enum { N = 32000, STEPS = 20, CENTRES = 8 };
  const struct md_potential pair = md_potential_shifted_force();
  const int64_t centres[CENTRES] = {0, 1, 499, 7777, 12345, 20000, 31998, 31999}; /* including corners and faces */
  double *r = space(N), *v = space(N), to[6 * CENTRES], most = 0;
  begin(N, 0.05, r, v);
  ASSERT_EQ_INT(md_leapfrog_around(&pair, N, md_box(N), STEPS, r, v, 7, CENTRES, centres, to), 0);
  ASSERT_EQ_INT(md_leapfrog(&pair, N, md_box(N), STEPS, r, v), 0);
  for (int i = 0; i < CENTRES; i++)
    for (int k = 0; k < 3; k++) {
      most = fmax(most, fabs(to[6 * i + k] - r[3 * centres[i] + k]));
      most = fmax(most, fabs(to[6 * i + 3 + k] - v[3 * centres[i] + k]));
    }
  ASSERT_TRUE(most < 1e-6);
  free(r);
  free(v);
}

/* Overlapping or undefined positions give figures that pass no check, and do not take long. */
static void what_is_no_liquid(void) {
  enum { N = 32000 };
  const struct md_potential pair = md_potential_shifted_force();
  double *r = space(N), *v = space(N);
  struct md_measures m;
  begin(N, 0, r, v);
  r[5] = NAN;
  r[100] = INFINITY;
  r[1000] = -1e300;
  ASSERT_EQ_INT(md_measure(&pair, N, md_box(N), r, v, &m), 0);
  ASSERT_TRUE(!isfinite(m.potential));
  for (int64_t k = 0; k < 3 * N; k++)
    r[k] = 1e-3 * drand48();
  ASSERT_EQ_INT(md_measure(&pair, N, md_box(N), r, v, &m), 0);
  ASSERT_TRUE(!isfinite(m.potential));
  free(r);
  free(v);
}

UNIT_MAIN("md in float64", UNIT_TEST(the_lattice_is_lammps_s), UNIT_TEST(the_melt_is_lammps_s),
          UNIT_TEST(force_is_the_slope_of_energy), UNIT_TEST(lists_are_never_too_old),
          UNIT_TEST(a_ball_is_as_good_as_all), UNIT_TEST(what_is_no_liquid))
