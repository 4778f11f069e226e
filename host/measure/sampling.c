/* What comes before the samples of a case: warming up, the sizes of slots and batches, and what each slot begins with.
 */
#include "measure/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "stats/round_order.h"

enum { WARM_MOST_MS = 2000, PROBE_SLOTS = 12 };
static const double slot_ns = 5e6;
static const double long_warm_s = 0.15, long_slot_ns = 150e6, burst_pause_s = 0.2, burst_ramp_s = 0.005,
                    burst_slot_ns = 10e6, sustained_warm_s = 2, sustained_slot_ns = 300e6, batch_most_ns = 50e6;
static const double shift_allowed = 0.005, power_near = 0.9, power_warm = 0.6;

static bool measured_time(const struct measurement *m) {
  return !m->c->device->scripted;
}

static int take(struct measurement *m, struct contestant *k, uint32_t count, double *ns, struct slot_state *state,
                struct err *err) {
  struct turn turn = measure_turn(m, count, ns);
  if (measure_take(m, k, &turn, err) != 0) return -1;
  *state = turn.state;
  return 0;
}

/* Runs it untimed for so long. */
static int heat(struct measurement *m, struct contestant *k, double seconds, struct err *err) {
  double ns[SLOT_MOST];
  struct slot_state state;
  int64_t start = clock_now_ns();
  uint32_t count = k->slot_size < SLOT_MOST ? k->slot_size : SLOT_MOST;
  while (contestant_alive(k) && !measure_stopped(m) && measure_seconds_since(start) < seconds)
    if (take(m, k, count, ns, &state, err) != 0) return -1;
  return 0;
}

static void pause_for(double seconds) {
  struct timespec time = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
  nanosleep(&time, NULL);
}

int sampling_lead_in(struct measurement *m, struct contestant *k, struct err *err) {
  if (!measured_time(m)) return 0;
  switch ((enum load)m->request->mode.load) {
    case LOAD_BURST:
      pause_for(burst_pause_s);
      return heat(m, k, burst_ramp_s, err);
    case LOAD_SUSTAINED:
      return heat(m, k, sustained_warm_s, err);
    default:
      return m->long_slots ? heat(m, k, long_warm_s, err) : 0;
  }
}

/* ---- Sizes ---- */

static double slot_length_ns(const struct measurement *m) {
  if (m->request->mode.load == LOAD_BURST) return burst_slot_ns;
  if (m->request->mode.load == LOAD_SUSTAINED) return sustained_slot_ns;
  return m->long_slots ? long_slot_ns : slot_ns;
}

/* As many samples as fill a slot; what one costs includes the flush and the launch. A trajectory is one slot. */
static uint32_t slot_size(const struct measurement *m, double wall_ns, double reported_ns) {
  if (m->request->trajectory > 0) return m->request->trajectory;
  double cost = measured_time(m) ? wall_ns : reported_ns;
  return (uint32_t)fmax(1, fmin(SLOT_MOST, slot_length_ns(m) / fmax(cost, 1)));
}

/* Iterations per sample of the batched modes: so many that for the fastest what a batch adds (the clock's step; on a
 * GPU two events and an empty stream, 3.5 us on an H200) is below a fifth of the precision, and no sample of the
 * slowest takes long. */
static uint32_t batch_size(const struct measurement *m, double fastest_ns, double slowest_ns) {
  enum { MOST = 64 };
  const struct device_facts *facts = &m->c->device->facts;
  double added_ns = strcmp(facts->backend, "cuda") == 0 ? 4000 : 2 * fmax(facts->tick_ns, 1);
  double needed = added_ns / (0.2 * m->request->precision * fastest_ns);
  return (uint32_t)fmax(1, fmin(MOST, fmin(ceil(needed), batch_most_ns / slowest_ns)));
}

/* ---- Warm-up ---- */

static int warm_turn(struct measurement *m, double *turn_ns, struct err *err) {
  double ns[2] = {0};
  struct slot_state state;
  *turn_ns = 0;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    int64_t start = clock_now_ns();
    if (take(m, k, 2, ns, &state, err) != 0) return -1;
    k->cost_ns =
        fmin(k->cost_ns, (double)(clock_now_ns() - start) / 2); /* a disturbed one would make its slots short */
    k->slot_size = slot_size(m, k->cost_ns, ns[1] * m->replicas);
    k->slot_wall_ns = k->cost_ns * (k->slot_size + 1);
    *turn_ns += ns[1];
  }
  return 0;
}

/* Turns over all variants until the clock has left idle and times have settled. */
static int settle(struct measurement *m, double least_s, struct err *err) {
  int64_t start = clock_now_ns();
  double former_ns = 0, turn_ns = 0;
  bool settled = false;
  while (measure_next(m, 0) && !measure_stopped(m) && (!settled || measure_seconds_since(start) < least_s)) {
    if (warm_turn(m, &turn_ns, err) != 0) return -1;
    bool steady = fabs(turn_ns - former_ns) < 0.02 * turn_ns;
    settled = m->request->quick || steady || measure_seconds_since(start) > WARM_MOST_MS * 1e-3;
    former_ns = turn_ns;
  }
  return 0;
}

/* The same for all variants of a case, so that what a batch adds is the same for all. */
static int size_batches(struct measurement *m, struct err *err) {
  double ns[2], fastest_ns = INFINITY, slowest_ns = 1;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    struct turn turn = {.timing = TIMING_COLD, .count = 2, .ns = ns};
    m->running = k;
    if (contestant_slot(k, &turn, err) != 0) return -1;
    m->running = NULL;
    if (!contestant_alive(k)) continue;
    fastest_ns = fmin(fastest_ns, fmax(ns[1], 1));
    slowest_ns = fmax(slowest_ns, ns[1]);
  }
  m->replicas = batch_size(m, fastest_ns, slowest_ns);
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    k->replicas = m->replicas;
    m->running = k;
    if (contestant_capture(k, m->request->mode, err) != 0) return -1;
    m->running = NULL;
  }
  return 0;
}

/* Slots of alike variants are alike: what a slot's length does to its median is then the same for all. */
static void level_slots(struct measurement *m) {
  uint32_t least = UINT32_MAX;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    least = k->slot_size < least ? k->slot_size : least;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    if (k->slot_size > 2 * least) continue;
    k->slot_wall_ns *= (least + 1.0) / (k->slot_size + 1.0);
    k->slot_size = least;
  }
}

int sampling_warm_up(struct measurement *m, double least_s, struct err *err) {
  double turn_ns;
  if (mode_is_batched(m->request->mode) && size_batches(m, err) != 0) return -1;
  if ((measured_time(m) ? settle(m, least_s, err) : warm_turn(m, &turn_ns, err)) != 0) return -1;
  level_slots(m);
  return 0;
}

/* ---- Solo ---- */

/* The median of slots taken one after the other, of this variant alone or in turns with the others; the first slot
 * does not count. Nothing is kept. */
struct probe {
  double medians[PROBE_SLOTS];
  uint32_t count;
};

static int probe_slot(struct measurement *m, struct contestant *k, struct probe *probe, struct err *err) {
  double ns[SLOT_MOST + 1];
  struct slot_state state;
  if (take(m, k, k->slot_size + 1, ns, &state, err) != 0) return -1;
  if (!contestant_alive(k)) return 0;
  probe->medians[probe->count++] = stats_median(ns + 1, k->slot_size);
  m->power_w = fmax(m->power_w, state.power_w);
  return 0;
}

static int probe_solo(struct measurement *m, struct contestant *k, struct err *err) {
  struct probe probe = {.count = 0};
  double ns[SLOT_MOST];
  struct slot_state state;
  if (take(m, k, k->slot_size, ns, &state, err) != 0) return -1;
  while (probe.count < PROBE_SLOTS && contestant_alive(k) && !measure_stopped(m))
    if (probe_slot(m, k, &probe, err) != 0) return -1;
  if (probe.count > 0) k->solo_ns = stats_median(probe.medians, probe.count);
  return 0;
}

/* By more than the precision asked for and the clock's step? */
static bool is_shifted(const struct measurement *m, struct probe *turns, double solo_ns) {
  double least = m->c->device->facts.tick_ns + SAMPLING_NARROWEST_NS;
  return fabs(stats_median(turns->medians, PROBE_SLOTS) - solo_ns) > fmax(shift_allowed * solo_ns, least);
}

static int probe_turns(struct measurement *m, struct err *err) {
  struct probe *probes = xcalloc(m->count, sizeof *probes);
  uint32_t order[CASE_VARIANTS_MAX];
  int rc = 0;
  for (uint32_t round = 0; round < PROBE_SLOTS && rc == 0 && !measure_stopped(m); round++) {
    order_round(m->count, round, rng_key(m->request->order_seed, 1), order);
    for (uint32_t i = 0; i < m->count && rc == 0; i++)
      if (contestant_alive(&m->contestants[order[i]]))
        rc = probe_slot(m, &m->contestants[order[i]], &probes[order[i]], err);
  }
  for (uint32_t i = 0; i < m->count && rc == 0; i++)
    if (probes[i].count == PROBE_SLOTS && is_shifted(m, &probes[i], m->contestants[i].solo_ns)) m->shifted = true;
  free(probes);
  return rc;
}

/* May it cost that much? A sixth of the case's time, for all of it. */
static bool affordable(const struct measurement *m) {
  double ns = 0;
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    ns += 2 * (PROBE_SLOTS + 1) * k->slot_wall_ns;
  return ns * 1e-9 < m->request->case_time_s / 6;
}

/* Near the power limit what ran before a variant decides how fast it is, and so it may where one that draws much is not
 * as fast among the others as alone: slots then last until each has come to its own heat and clock. Only GPUs do that
 * to us. */
int sampling_probe(struct measurement *m, struct err *err) {
  const struct case_request *request = m->request;
  bool plain = request->mode.load == LOAD_PLAIN && request->trajectory == 0;
  if (request->quick || !plain || !measured_time(m) || !affordable(m)) return 0;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (probe_solo(m, k, err) != 0) return -1;
  if (strcmp(m->c->device->facts.backend, "cuda") != 0) return 0;
  if (probe_turns(m, err) != 0) return -1;
  m->long_slots =
      m->power_w > power_near * m->power_limit_w || (m->shifted && !(m->power_w < power_warm * m->power_limit_w));
  for (struct contestant *k = measure_next(m, 0); k != NULL && m->long_slots; k = measure_next(m, k->index + 1))
    k->slot_size = slot_size(m, k->cost_ns, 0);
  level_slots(m);
  return 0;
}
