/* Under load for about 10 ms and longer a GPU near its power limit lowers its clock, and by how much depends on all
 * that ran before. On an H200 a bf16 product of 8192 takes 1533 us (1354 to 1594) where slots of 5 ms follow each
 * other, 1350 where the device rests half as long as it works, 1342 where it rests as long, and 1339 to 1342 with any
 * longer rest; one of 4096 takes 178.2, 172.8, 172.9 and 172.6 to 173.1 us; attention over 4096 keys 815, 811, 812 and
 * 812 us. */
#include "measure/pace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "measure/sampling.h"
#include "stats/round_order.h"

enum { TURNS = 8, ALONE = 6 };

/* Of the power limit: who draws less is not slowed down by it. */
static const double power_cool = 0.6;

/* Of what ran before a slot. More than the last is not tried: where a device cannot work at its clock for a quarter of
 * the time, that is what it is. */
static const double rests[] = {0, 1, 3};
enum { RESTS = sizeof rests / sizeof rests[0], USUAL_REST = 1 };

/* A rest of several milliseconds is as good as any, and after work for longer than this there is no clock of a rested
 * device to be had: such iterations are timed at the clock that they bring about themselves. */
static const double rest_most_s = 0.1, rest_alone = 3, rest_alone_least_s = 0.01;

static const double shift_allowed = 0.003;

static void pause_for(double seconds) {
  struct timespec time = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
  nanosleep(&time, NULL);
}

/* ---- Resting ---- */

void pace_worked(struct measurement *m, int64_t ns) {
  m->pace.worked_s += (double)ns * 1e-9;
}

void pace_rest(struct measurement *m) {
  struct pace *pace = &m->pace;
  const double idle_s = measure_seconds_since(pace->rested_ns) - pace->worked_s;
  const double rest_s = fmin(pace->rest * pace->worked_s, rest_most_s) - idle_s;
  if (rest_s > 0) pause_for(rest_s);
  pace->rested_ns = clock_now_ns();
  pace->worked_s = 0;
}

/* ---- Probing ---- */

/* Medians of a variant's slots. */
struct probe {
  double medians[TURNS > ALONE ? TURNS : ALONE];
  uint32_t count;
};

static int take_slot(struct measurement *m, struct contestant *k, struct probe *probe, struct err *err) {
  double ns[SLOT_MOST + 1];
  struct turn turn = measure_turn(m, k->slot_size + 1, ns);
  if (measure_take(m, k, &turn, err) != 0) return -1;
  if (contestant_alive(k)) probe->medians[probe->count++] = stats_median(ns + 1, k->slot_size);
  m->power_w = fmax(m->power_w, turn.state.power_w);
  return 0;
}

static int probe_turns(struct measurement *m, double rest, double *medians, struct err *err) {
  struct probe *probes = xcalloc(m->count, sizeof *probes);
  uint32_t order[CASE_VARIANTS_MAX];
  int rc = 0;
  m->pace.rest = rest;
  for (uint32_t round = 0; round < TURNS && rc == 0 && !measure_stopped(m); round++) {
    order_round(m->count, round, rng_key(m->request->order_seed, 1), order);
    for (uint32_t i = 0; i < m->count && rc == 0; i++) {
      if (!contestant_alive(&m->contestants[order[i]])) continue;
      pace_rest(m);
      rc = take_slot(m, &m->contestants[order[i]], &probes[order[i]], err);
    }
  }
  for (uint32_t i = 0; i < m->count; i++)
    medians[i] = probes[i].count == TURNS ? stats_median(probes[i].medians, TURNS) : NAN;
  free(probes);
  return rc;
}

static int probe_alone(struct measurement *m, struct contestant *k, bool rested, struct err *err) {
  struct probe probe = {.count = 0};
  for (int i = 0; i < ALONE && contestant_alive(k) && !measure_stopped(m); i++) {
    if (rested) pause_for(fmin(fmax(rest_alone * k->slot_wall_ns * 1e-9, rest_alone_least_s), rest_most_s));
    if (take_slot(m, k, &probe, err) != 0) return -1;
  }
  if (probe.count == ALONE) k->solo_ns = stats_median(probe.medians, ALONE);
  return 0;
}

static int probe_all_alone(struct measurement *m, bool rested, struct err *err) {
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (probe_alone(m, k, rested, err) != 0) return -1;
  return 0;
}

/* By more than noise and the clock's step, among the others and without a pause? */
static bool is_shifted(const struct measurement *m, const double *medians) {
  const double least = m->c->device->facts.tick_ns + SAMPLING_NARROWEST_NS;
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (fabs(medians[k->index] - k->solo_ns) > fmax(shift_allowed * k->solo_ns, least)) return true;
  return false;
}

/* May it cost that much? A sixth of the case's time, for the least of it. */
static bool affordable(const struct measurement *m) {
  double ns = 0;
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    ns += (TURNS + ALONE) * k->slot_wall_ns;
  return ns * 1e-9 < m->request->case_time_s / 6;
}

static bool is_cool(const struct measurement *m) {
  return m->power_w < power_cool * m->power_limit_w;
}

/* The least rest that lets nobody be slower than he is when rested. */
static int choose_rest(struct measurement *m, struct err *err) {
  double medians[CASE_VARIANTS_MAX];
  if (probe_turns(m, rests[0], medians, err) != 0) return -1;
  const bool cool = is_cool(m);
  if (probe_all_alone(m, !cool, err) != 0) return -1;
  if (cool) return 0;
  for (int i = 1; i < RESTS && is_shifted(m, medians); i++)
    if (probe_turns(m, rests[i], medians, err) != 0) return -1;
  return 0;
}

int pace_probe(struct measurement *m, struct err *err) {
  const struct case_request *request = m->request;
  const bool plain = request->mode.load == LOAD_PLAIN && request->trajectory == 0;
  if (request->quick || !plain || m->c->device->scripted) return 0;
  const bool limited = strcmp(m->c->device->facts.backend, "cuda") == 0;
  if (!affordable(m)) {
    m->pace.rest = limited && !is_cool(m) ? rests[USUAL_REST] : 0;
    return 0;
  }
  return limited ? choose_rest(m, err) : probe_all_alone(m, false, err);
}
