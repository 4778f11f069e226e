/* How the timed samples of a case come about: slots of one variant, rounds of all of them in balanced random order, and
 * when that is enough. */
#include "measure/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "machine/resident.h"
#include "measure/verify.h"
#include "stats/round_order.h"

enum { WARM_MOST_MS = 2000, SLOT_MOST = 50, ROUNDS_LEAST = 3, PROBE_SLOTS = 12, LONG_FACTOR = 4, AUDIT_EVERY = 8 };
static const double slot_ns = 5e6, absolute_ns = 20;
static const double long_warm_s = 0.15, long_slot_ns = 150e6, burst_pause_s = 0.2, burst_ramp_s = 0.005,
                    burst_slot_ns = 10e6, sustained_warm_s = 2, sustained_slot_ns = 300e6, batch_most_ns = 50e6;
static const double shift_allowed = 0.005, power_near = 0.9, power_warm = 0.6, verify_share = 0.2;

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

/* Samples that count, but the first `skipped`. */
static int take_timed(struct measurement *m, struct contestant *k, uint32_t count, uint32_t skipped, double *ns,
                      struct slot_state *state, struct err *err) {
  struct turn turn = measure_turn(m, count, ns);
  turn.timed = true;
  turn.skipped = skipped;
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

/* What has to go before a slot's samples, apart from the one that is always dropped. */
static int lead_in(struct measurement *m, struct contestant *k, struct err *err) {
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

/* ---- Slots ---- */

static uint64_t memory_used(const struct measurement *m) {
  int64_t here = resident_bytes(0), left = m->c->device->ops->memory_free(m->c->device);
  int64_t taken = m->c->device->facts.memory_bytes - left;
  bool own = strcmp(m->c->device->facts.backend, "cpu") != 0 && left >= 0 && taken > 0; /* else it is the same memory */
  return (uint64_t)(here > 0 ? here : 0) + (own ? (uint64_t)taken : 0);
}

/* The samples of a slot. On the way of a trajectory the memory in use is noted, for its slope. */
static int fill_slot(struct measurement *m, struct contestant *k, uint32_t round, uint32_t position, struct err *err) {
  double ns[SLOT_MOST + 1];
  struct slot_state state;
  bool trajectory = m->request->trajectory > 0;
  uint32_t skipped = 1; /* the first after a switch does not count */
  contestant_open_slot(k, round);
  if (trajectory) leak_begin(&k->leak, memory_used(m));
  for (uint32_t done = 0; done < k->slot_size && contestant_alive(k);) {
    uint32_t left = k->slot_size - done, count = left < SLOT_MOST ? left : SLOT_MOST;
    if (take_timed(m, k, count + skipped, skipped, ns, &state, err) != 0) return -1;
    if (!contestant_alive(k)) return 0;
    state.position = position;
    contestant_keep(k, &state, ns + skipped, count);
    m->sink->slot(m->sink->user, k->index, round, &state, ns + skipped, count);
    done += count;
    skipped = 0;
    if (trajectory) leak_note(&k->leak, count, memory_used(m));
  }
  return 0;
}

static int sample_round(struct measurement *m, uint32_t round, struct err *err) {
  uint32_t order[CASE_VARIANTS_MAX];
  order_round(m->count, round, m->request->order_seed, order);
  for (uint32_t i = 0; i < m->count; i++) {
    struct contestant *k = &m->contestants[order[i]];
    if (contestant_alive(k) && lead_in(m, k, err) != 0) return -1;
    if (contestant_alive(k) && fill_slot(m, k, round, i, err) != 0) return -1;
  }
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
  double least = m->c->device->facts.tick_ns + absolute_ns;
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

/* ---- Rounds ---- */

/* No interval is asked to be narrower than this. */
static double narrowest_ns(const struct measurement *m) {
  return fmax(absolute_ns, measure_tick_ns(m));
}

/* Every median to the precision asked for; NaN for what has none. */
static bool precise_medians(const struct measurement *m, double *medians) {
  for (uint32_t i = 0; i < m->count; i++)
    medians[i] = NAN;
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    struct interval ci95;
    double *median = &medians[k->index];
    if (stats_median_interval(k->slots, k->slot_count, measure_tick_ns(m), m->request->seed, median, &ci95) != 0)
      return false;
    if (!((ci95.hi - ci95.lo) / 2 <= fmax(m->request->precision * *median, narrowest_ns(m)))) return false;
  }
  return true;
}

/* And every ratio to 0.7 of it: what a difference of two medians can hold. Of several denominators the one that is the
 * fastest so far. */
static bool precise(const struct measurement *m) {
  double medians[CASE_VARIANTS_MAX];
  struct denominator against[CASE_VARIANTS_MAX];
  if (!precise_medians(m, medians)) return false;
  for (uint32_t i = 0; i < m->count; i++)
    against[i] = m->request->variants[i].against;
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    struct ratio ratio;
    size_t at = denominator_of(against, medians, m->count, k->index);
    if (at >= m->count || isnan(medians[at]) || at == k->index) continue;
    const struct contestant *base = &m->contestants[at];
    if (stats_ratio(base->slots, base->slot_count, k->slots, k->slot_count, measure_tick_ns(m), m->request->seed,
                    &ratio) != 0)
      return false;
    if (!(ratio.half_width95 <= fmax(0.7 * m->request->precision, narrowest_ns(m) / medians[k->index]))) return false;
  }
  return true;
}

/* Long slots get the time that makes the fewest rounds at which the rule may look. */
static double time_limit_s(const struct measurement *m) {
  return m->request->case_time_s * (m->long_slots ? LONG_FACTOR : 1);
}

/* At random rounds, as far as verification stays below a fifth of the time. */
static int audit(struct measurement *m, uint32_t round, struct err *err) {
  if (m->request->quick || rng_bits(rng_key(m->request->order_seed, 2), round) % AUDIT_EVERY != 0) return 0;
  double each = m->report->seconds_verify / m->passes;
  if (m->report->seconds_verify + each > verify_share * measure_seconds_since(m->started_ns)) return 0;
  return measure_verify(m, err);
}

int sampling_rounds(struct measurement *m, struct err *err) {
  int64_t start = clock_now_ns();
  uint32_t round = 0;
  enum stop_reason reason = measure_stopped(m) ? STOP_INTERRUPTED : STOP_NONE;
  while (measure_next(m, 0) && reason == STOP_NONE) {
    if (sample_round(m, round++, err) != 0) return -1;
    if (measure_stopped(m))
      reason = STOP_INTERRUPTED;
    else if (stats_is_look(round) && precise(m))
      reason = STOP_PRECISION;
    else if (round >= ROUNDS_LEAST && measure_seconds_since(start) > time_limit_s(m))
      reason = STOP_CASE_TIME;
    else if (audit(m, round, err) != 0)
      return -1;
  }
  m->report->stop_reason = reason;
  m->report->rounds = round;
  m->report->seconds_sampling += measure_seconds_since(start);
  return 0;
}
