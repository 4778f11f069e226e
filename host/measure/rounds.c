/* How the timed samples of a case come about: slots of one variant, rounds of all of them in balanced random order, and
 * when that is enough. */
#include "measure/rounds.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "case/input_pool.h"
#include "machine/resident.h"
#include "measure/evidence.h"
#include "measure/iteration.h"
#include "measure/overruns.h"
#include "measure/sample_inputs.h"
#include "measure/sampling.h"
#include "measure/surprise.h"
#include "measure/trial.h"
#include "stats/choice.h"
#include "stats/gap.h"
#include "stats/round_order.h"

/* ---- Slots ---- */

struct place {
  enum trial_stage stage;
  uint32_t round, position; /* in the round's order */
};

static uint64_t memory_used(const struct measurement *m) {
  int64_t here = resident_bytes(0), left = m->c->device->ops->memory_free(m->c->device);
  int64_t taken = m->c->device->facts.memory_bytes - left;
  bool own = strcmp(m->c->device->facts.backend, "cpu") != 0 && left >= 0 && taken > 0; /* else it is the same memory */
  return (uint64_t)(here > 0 ? here : 0) + (own ? (uint64_t)taken : 0);
}

/* Samples that count, but the first `skipped`. What is done to a slot's last sample is done in its last portion. */
static int take_timed(struct measurement *m, struct contestant *k, struct turn *turn, uint32_t count, bool last,
                      struct err *err) {
  struct turn portion = *turn;
  const bool surprise = last && turn->surprise.last > 0, extra = surprise && surprise_is_extra(m, k);
  const uint32_t replicas = iterations_of(k, turn->timing), before = count + turn->skipped;
  const uint32_t sample = turn->surprise.ends ? count - 1 : (uint32_t)(turn->surprise.sample % count);
  const uint32_t at = extra ? before : turn->skipped + sample;
  portion.count = before + extra;
  portion.surprise.first += at * replicas;
  portion.surprise.last = surprise ? turn->surprise.last + at * replicas : 0;
  portion.last.on = turn->last.on && last && !surprise;
  portion.rotation.ends = last && turn->rotation.judged;
  portion.check_done = last;
  portion.poisoned = portion.last.on && portion.last.poison;
  if (measure_take(m, k, &portion, err) != 0) return -1;
  if (contestant_alive(k) && overruns_look(m, k, GUARDS_NEAR, err) != 0) return -1;
  sample_inputs_note(k, &portion.rotation, portion.ns, turn->skipped, count);
  turn->surprised = at;
  if (surprise) turn->ns[at] -= portion.surprise_ns / replicas;
  turn->state = portion.state;
  turn->witnessed = portion.witnessed;
  turn->late = portion.late;
  return 0;
}

static void keep(struct measurement *m, struct contestant *k, const struct place *place, struct turn *turn,
                 const double *ns, uint32_t count) {
  turn->state.position = place->position;
  turn->state.rest = turn->rest;
  turn->state.unix_s = clock_unix_s();
  contestant_keep(k, &turn->state, ns, count);
  m->sink->slot(m->sink->user, k->index, place->round, &turn->state, ns, count);
}

/* So many samples of a slot. On the way of a trajectory the memory in use is noted, for its slope. */
static int fill_slot(struct measurement *m, struct contestant *k, const struct place *place, const struct trial *trial,
                     struct turn *turn, struct err *err) {
  const bool trajectory = m->request->trajectory > 0;
  if (turn->timed) contestant_open_slot(k, place->round);
  if (trajectory) leak_begin(&k->leak, memory_used(m));
  for (uint32_t done = 0; done < turn->count && contestant_alive(k);) {
    const uint32_t left = turn->count - done, count = left < SLOT_MOST ? left : SLOT_MOST;
    const double *ns = turn->ns + turn->skipped;
    turn->goes_on = done > 0;
    if (take_timed(m, k, turn, count, count == left, err) != 0) return -1;
    if (!contestant_alive(k)) return 0;
    if (turn->timed) keep(m, k, place, turn, ns, count);
    if (count == left) evidence_note(m, k, trial, turn, ns, count);
    done += count;
    turn->skipped = 0;
    if (trajectory) leak_note(&k->leak, count, memory_used(m));
    if (measure_stopped(m)) return 0; /* in the middle of a trajectory */
  }
  return 0;
}

/* What comes on top of a case's time where its rows cannot stand without it. */
static int64_t more_ns(const struct measurement *m) {
  return (m->request->until_ns - m->started_ns) / 2;
}

/* What the fewest rounds take that there are, with rest. */
static double least_rested_s(const struct measurement *m) {
  double round_s = 0;
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    round_s += pace_rested_s(k->slot_wall_ns * 1e-9);
  return ROUNDS_LEAST * round_s;
}

/* In the first half of the case's time, and where the fewest rounds still fit. What is known from the warm-up is known
 * in time. */
static bool may_repeat(const struct measurement *m, enum trial_stage stage) {
  const double taken_s = measure_seconds_since(m->sampling_ns);
  const int64_t end_ns = clock_now_ns() + (int64_t)(least_rested_s(m) * 1e9);
  const bool in_time = m->request->until_ns == 0 || end_ns <= m->request->until_ns + more_ns(m);
  return stage == TRIAL_SAMPLING && taken_s < m->request->case_time_s / 2 && in_time;
}

/* At this clock nobody will be timed any more, and times of trials are not to be held against others at another one. */
static void set_aside(struct measurement *m, uint32_t round) {
  m->aside = round;
  for (uint32_t i = 0; i < m->count; i++)
    contestant_set_aside(&m->contestants[i]);
}

/* Slots for mere evidence need no rest and no heat. */
static int take_slot(struct measurement *m, struct contestant *k, const struct place *place, const struct trial *trial,
                     uint32_t size, struct err *err) {
  const uint64_t former = k->last_seed;
  double ns[SLOT_MOST + 2];
  struct turn turn = measure_turn(m, size, ns);
  turn.timed = place->stage != TRIAL_EVIDENCE;
  turn.skipped = sampling_drops_first(m, k) && !trial_stands_in(m, k, trial) ? 1 : 0;
  turn.last = trial->last;
  turn.surprise = surprise_choose(m, k, trial);
  turn.rotation = sampling_rotation(m, k, trial);
  if (turn.timed) {
    if (pace_rest(&m->pace, may_repeat(m, place->stage))) set_aside(m, place->round);
    turn.rest = m->pace.rest;
    if (sampling_lead_in(m, k, err) != 0) return -1;
  }
  if (contestant_alive(k) && trial_begin(m, k, trial, err) != 0) return -1;
  if (contestant_alive(k) && size > 0 && trial_new_state(m, err) != 0) return -1;
  turn.settled = former == m->c->seed && turn.rotation.share == 0;
  if (contestant_alive(k) && fill_slot(m, k, place, trial, &turn, err) != 0) return -1;
  if (input_pool_put_back(m->c, err) != 0) return -1;
  return trial_end(m, k, trial, &turn, err);
}

/* As many as fit into its part of what is left of the case's time, of the fewest rounds that there are. */
static double most_samples(const struct measurement *m, const struct contestant *k, const struct place *place) {
  if (m->request->until_ns == 0 || m->request->trajectory == 0) return INFINITY;
  const double slots = fmax(1, (double)(ROUNDS_LEAST - (int)place->round) * m->count - place->position);
  return fmax(1, (double)(m->request->until_ns - clock_now_ns()) / slots / fmax(k->cost_ns, 1));
}

static int sample_round(struct measurement *m, enum trial_stage stage, struct err *err) {
  uint32_t order[CASE_VARIANTS_MAX];
  struct trial_round round;
  struct place place = {.stage = stage, .round = m->report->rounds};
  if (trial_round_begin(m, stage, &round, err) != 0) return -1;
  order_round(m->count, m->report->rounds, m->request->order_seed, order);
  m->report->rounds += stage != TRIAL_EVIDENCE;
  for (; place.position < m->count; place.position++) {
    struct contestant *k = &m->contestants[order[place.position]];
    if (!contestant_alive(k) || (stage == TRIAL_EVIDENCE && !evidence_wanted(m, k))) continue;
    if (stage == TRIAL_SAMPLING && k->precise && !k->partner) continue;
    const int64_t start = clock_now_ns();
    const double spent_s = m->trial_s;
    const struct trial trial = trial_choose(m, &round, k);
    /* of what takes long, and on a GPU, the trial's own call is evidence enough */
    const bool alone = stage == TRIAL_EVIDENCE && trial.on && (k->slot_size == 1 || !measure_on_cpu(m));
    const uint32_t size = alone ? 0 : (uint32_t)ceil(round.share * fmin(k->slot_size, most_samples(m, k, &place)));
    if (take_slot(m, k, &place, &trial, size, err) != 0) return -1;
    if (stage == TRIAL_EVIDENCE) m->trial_s = spent_s + measure_seconds_since(start); /* nothing of it is kept */
  }
  return trial_round_end(m, err);
}

/* ---- Rounds ---- */

/* No interval is asked to be narrower than this, where any is narrow enough. */
static double narrowest_ns(const struct measurement *m) {
  return fmax(SAMPLING_NARROWEST_NS, measure_tick_ns(m));
}

/* Medians so far, NaN for what has none; and is it to the requested precision? */
static void find_medians(const struct measurement *m, double *medians, bool *narrow) {
  for (uint32_t i = 0; i < m->count; i++) {
    const struct contestant *k = &m->contestants[i];
    struct interval ci95;
    medians[i] = NAN;
    narrow[i] = false;
    if (!contestant_alive(k)) continue;
    if (stats_median_interval(k->slots, k->slot_count, measure_tick_ns(m), m->request->seed, &medians[i], &ci95) != 0)
      continue;
    narrow[i] = m->request->precision > 0 &&
                (ci95.hi - ci95.lo) / 2 <= fmax(m->request->precision * medians[i], narrowest_ns(m));
  }
}

/* The denominator of each variant so far, of several the one that their first rounds choose. SIZE_MAX: none. */
static void find_denominators(const struct measurement *m, const double *medians, size_t *at, bool *chosen) {
  double choice[CASE_VARIANTS_MAX];
  struct denominator against[CASE_VARIANTS_MAX];
  for (uint32_t i = 0; i < m->count; i++) {
    const struct contestant *k = &m->contestants[i];
    against[i] = m->request->variants[i].against;
    choice[i] = NAN;
    if (against[i].common != 0 && !isnan(medians[i]))
      choice[i] = choice_median(k->slots, k->slot_count, measure_tick_ns(m), m->request->seed);
  }
  for (uint32_t i = 0; i < m->count; i++) {
    at[i] = denominator_of(against, choice, m->count, i);
    chosen[i] = denominator_is_chosen(against, m->count, i);
  }
}

/* Its ratio to 0.7 of the precision: what a difference of two medians can hold. */
static bool is_narrow_ratio(const struct measurement *m, const struct contestant *base, const struct contestant *k,
                            bool chosen, double median) {
  struct ratio ratio;
  if ((chosen ? choice_ratio : stats_ratio)(base->slots, base->slot_count, k->slots, k->slot_count, measure_tick_ns(m),
                                            m->request->seed, &ratio) != 0)
    return false;
  return ratio.half_width95 <= fmax(0.7 * m->request->precision, narrowest_ns(m) / median);
}

/* Who is precise goes on only as the denominator of somebody who is not; where one of several is chosen, all do. */
static bool all_precise(struct measurement *m) {
  double medians[CASE_VARIANTS_MAX];
  size_t over[CASE_VARIANTS_MAX];
  bool narrow[CASE_VARIANTS_MAX], chosen[CASE_VARIANTS_MAX], all = true, any_chosen = false;
  find_medians(m, medians, narrow);
  find_denominators(m, medians, over, chosen);
  for (uint32_t i = 0; i < m->count; i++)
    m->contestants[i].partner = false;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    const size_t at = over[k->index];
    const bool compared = at < m->count && at != k->index && !isnan(medians[at]);
    const struct contestant *base = compared ? &m->contestants[at] : NULL;
    k->precise = k->precise ||
                 (narrow[k->index] && (!compared || is_narrow_ratio(m, base, k, chosen[k->index], medians[k->index])));
    if (!k->precise && compared) m->contestants[at].partner = true;
    any_chosen = any_chosen || chosen[k->index];
    all = all && k->precise;
  }
  for (struct contestant *k = measure_next(m, 0); k != NULL && any_chosen; k = measure_next(m, k->index + 1))
    k->partner = true;
  return all;
}

/* When its time is over, and that of what rows cannot do without, which comes after the samples. Words need six rounds:
 * for those there is half as much time again. */
static bool is_over(const struct measurement *m, uint32_t rounds) {
  const int64_t until_ns = m->request->until_ns, now = clock_now_ns();
  const int64_t more = rounds < WORD_ROUNDS ? more_ns(m) : 0;
  return until_ns != 0 && now + (int64_t)(evidence_left_s(m) * 1e9) > until_ns + more;
}

static enum stop_reason look(struct measurement *m, uint32_t rounds, int64_t start) {
  if (measure_stopped(m)) return STOP_INTERRUPTED;
  if (stats_is_look(rounds) && all_precise(m)) return STOP_PRECISION;
  if (rounds < ROUNDS_LEAST) return STOP_NONE;
  if (measure_seconds_since(start) > m->request->case_time_s) return STOP_CASE_TIME;
  return is_over(m, rounds) ? STOP_BUDGET : STOP_NONE;
}

static bool any_wanted(const struct measurement *m) {
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (evidence_wanted(m, k)) return true;
  return false;
}

static int sample(struct measurement *m, struct err *err) {
  const int64_t start = clock_now_ns();
  enum stop_reason reason = measure_stopped(m) ? STOP_INTERRUPTED : STOP_NONE;
  while (measure_next(m, 0) && reason == STOP_NONE) {
    if (sample_round(m, TRIAL_SAMPLING, err) != 0) return -1;
    reason = look(m, m->report->rounds - m->aside, start);
  }
  m->report->stop_reason = reason;
  m->over_ns = clock_now_ns();
  if (reason == STOP_INTERRUPTED) return 0;
  if (measure_next(m, 0) && sample_round(m, TRIAL_LAST, err) != 0) return -1;
  m->over_ns = clock_now_ns();
  while (!measure_stopped(m) && any_wanted(m))
    if (sample_round(m, TRIAL_EVIDENCE, err) != 0) return -1;
  return 0;
}

int rounds_sample(struct measurement *m, struct err *err) {
  const int64_t start = clock_now_ns();
  const double before_s = m->trial_s;
  if (sample(m, err) != 0) return -1;
  m->report->seconds_verify += m->trial_s - before_s;
  m->report->seconds_sampling += measure_seconds_since(start) - (m->trial_s - before_s);
  return 0;
}
