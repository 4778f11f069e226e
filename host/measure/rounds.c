/* Takes the timed samples of a case (rounds_sample() in measure/steps.h): rounds of slots, one slot for each variant
 * that still needs samples, in balanced random order. A last round verifies every variant on new inputs. Slots after
 * it, whose samples are not kept, complete the verifications and the reuse test. */
#include "base/process_stat.h"
#include "measure/steps.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "case/input_pool.h"
#include "measure/audit/evidence.h"
#include "measure/audit/overruns.h"
#include "measure/audit/sample_inputs.h"
#include "measure/audit/spot_check.h"
#include "measure/audit/surprise.h"
#include "measure/iteration.h"
#include "measure/orders.h"
#include "measure/sampling.h"
#include "model/enough.h"
#include "stats/round_order.h"

/* ---- Slots ---- */

/* Says when a slot is taken: in which stage of the case, in which round, and where in that round. */
struct place {
  enum round_stage stage;
  uint32_t round, position; /* position in the order of the round */
};

/* Returns the memory in use: that of this process and, unless it is the same memory, the device's. */
static uint64_t memory_used(const struct measurement *m) {
  int64_t here = resident_bytes(0), left = m->c->device->ops->memory_free(m->c->device);
  int64_t taken = m->c->device->facts.memory_bytes - left;
  /* false if the device uses the host's memory, which `here` counts already */
  bool own = !device_is(m->c->device, DEVICE_HOST_MEMORY) && left >= 0 && taken > 0;
  return (uint64_t)(here > 0 ? here : 0) + (own ? (uint64_t)taken : 0);
}

/* Takes one portion of a slot: first `skipped` samples that are not kept, then `count` that are. The `final` portion
 * also makes the changes before the slot's last sample, and may take extra samples, which are not kept. The array of
 * times (portion.ns) has one of these forms. Each cell is a sample; in batched modes it is a batch of `replicas`
 * iterations:
 *
 *   0         skipped               before
 *   | skipped | kept . . . . . kept |                        no extra samples
 *   | skipped | kept . P . . . kept |                        P, at index `at`, is perturbed, and is kept (single calls)
 *   | skipped | kept . . . W . kept + 1 |                    W is watched for work of other threads, and is taken out
 *   | skipped | kept . . . . . kept | touched | perturbed |  batches; `at` is the perturbed one. The touched one before
 *                                                            it may be missing
 *   | skipped | kept . . . . . kept | rotated | rotated |    batches whose inputs are written before each iteration,
 *                                                            with new values in one of them
 *
 * `before` is the number of skipped and kept samples. A perturbation replaces the change before the slot's last sample
 * (`portion.last`). `surprise.first` and `surprise.last` are the numbers of the first and the last perturbed iteration,
 * from 1: in `task` within the perturbed sample, in `portion` within the portion. The time of writing is subtracted
 * from perturbed and touched samples. */
static int take_timed(struct measurement *m, struct contestant *k, struct slot_task *task, uint32_t count, bool final,
                      struct err *err) {
  struct slot_task portion = *task;
  const bool surprise = final && task->surprise.last > 0, extra = surprise && surprise_is_extra(m, k);
  const uint32_t replicas = iterations_of(k, task->timing), before = count + task->skipped;
  const uint32_t sample = task->surprise.ends ? count - 1 : (uint32_t)(task->surprise.sample % count);
  const bool touched = extra && task->surprise.touched > 0;
  const uint32_t at = extra ? before + touched : task->skipped + sample;
  portion.rotation.batches = final ? task->rotation.batches : 0;
  const bool watched = final && task->rotation.watched != 0 && task->rotation.batches == 0;
  portion.rotation.watched = final ? task->rotation.watched + (watched ? task->skipped : 0) : 0;
  portion.kept_to = before + watched;
  portion.count = before + extra + touched + portion.rotation.batches + watched;
  assert(portion.count <= SLOT_MOST + SLOT_EXTRA);
  leave_out_limit(m, portion.count * replicas, &portion);
  portion.surprise.first += at * replicas;
  portion.surprise.last = surprise ? task->surprise.last + at * replicas : 0;
  portion.last.on = task->last.on && final && !surprise;
  portion.rotation.ends = final && task->rotation.judged;
  portion.check_done = final;
  portion.poisoned = portion.last.on && portion.last.poison;
  if (measure_take(m, k, &portion, err) != 0) return -1;
  if (contestant_alive(k) && overruns_look(m, k, GUARDS_NEAR, err) != 0) return -1;
  if (watched) sample_inputs_take_out(&portion.rotation, portion.ns, portion.count);
  m->rotations_s += m->rotation_s * sample_inputs_note(k, &portion.rotation, portion.ns, task->skipped, count);
  rotated_batch_note(k, &portion, before);
  task->surprised = at;
  if (surprise) task->ns[at] -= portion.surprise_ns / replicas;
  if (touched) task->ns[at - 1] -= portion.touched_ns / replicas;
  task->state = portion.state;
  task->witnessed = portion.witnessed;
  task->late = portion.late;
  return 0;
}

static void keep_samples(struct measurement *m, struct contestant *k, const struct place *place, struct slot_task *task,
                         const double *ns, uint32_t count) {
  task->state.position = place->position;
  task->state.cooldown = task->cooldown;
  task->state.unix_s = clock_unix_s();
  contestant_keep(k, &task->state, ns, count);
  m->sink->slot(m->sink->user, k->index, place->round, &task->state, ns, count);
}

/* Takes the samples of a slot, in portions of at most SLOT_MOST. In a trajectory (calls that continue from each other's
 * results) the memory in use is noted after each portion, to compute its growth per call. */
static int fill_slot(struct measurement *m, struct contestant *k, const struct place *place,
                     const struct spot_check *check, struct slot_task *task, struct err *err) {
  const bool trajectory = m->request->trajectory > 0;
  if (task->timed) contestant_open_slot(k, place->round);
  if (trajectory) leak_begin(&k->leak, memory_used(m));
  for (uint32_t done = 0; done < task->count && contestant_alive(k);) {
    const uint32_t left = task->count - done, count = left < SLOT_MOST ? left : SLOT_MOST;
    const double *ns = task->ns + task->skipped;
    task->goes_on = done > 0;
    if (take_timed(m, k, task, count, count == left, err) != 0) return -1;
    if (!contestant_alive(k)) return 0;
    if (task->timed) keep_samples(m, k, place, task, ns, count);
    if (count == left) evidence_note(m, k, check, task, ns, count);
    done += count;
    task->skipped = 0;
    if (trajectory) leak_note(&k->leak, count, memory_used(m));
    if (measure_stopped(m)) return 0; /* the run is interrupted: ends the slot, after one portion; the round goes on */
  }
  return 0;
}

/* Returns the seconds that ROUNDS_LEAST rounds take with their cooldowns. */
static double least_rested_s(const struct measurement *m) {
  double round_s = 0;
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    round_s += pace_rested_s(k->slot_wall_ns * 1e-9);
  return ROUNDS_LEAST * round_s;
}

static struct enough_times times_of(const struct measurement *m, int64_t sampling_ns) {
  return (struct enough_times){.now_ns = clock_now_ns(),
                               .started_ns = m->started_ns,
                               .sampling_ns = sampling_ns,
                               .until_ns = m->request->until_ns,
                               .case_time_s = m->request->case_time_s,
                               .left_s = evidence_left_s(m)};
}

/* Returns true if it is early enough to discard all samples and begin again with cooldowns:
 * (1) It is not the last round.
 * (2) Less than half of --case-time has passed since the warm-up began.
 * (3) ROUNDS_LEAST rounds would end at until_ns, or later by at most half of the case's time. */
static bool may_repeat(const struct measurement *m, enum round_stage stage) {
  const double taken_s = clock_seconds_since(m->sampling_ns);
  const int64_t end_ns = clock_now_ns() + (int64_t)(least_rested_s(m) * 1e9);
  const struct enough_times times = times_of(m, m->sampling_ns);
  const bool in_time = m->request->until_ns == 0 || end_ns <= m->request->until_ns + enough_more_ns(&times);
  return stage == STAGE_SAMPLING && taken_s < m->request->case_time_s / 2 && in_time;
}

/* Discards all samples so far, because after a cooldown the device runs at another clock frequency. The times for the
 * reuse test are discarded for the same reason. Rounds before number `round` do not count any more. */
static void discard_samples(struct measurement *m, uint32_t round) {
  m->kept_from = round;
  for (uint32_t i = 0; i < m->count; i++)
    contestant_discard_samples(&m->contestants[i]);
}

/* Runs a slot: chooses which samples are perturbed or get other inputs, waits for the device to cool down, makes the
 * calls and changes of `check` at the start of the slot, takes the samples, and verifies outputs if `check` asks for
 * that. Slots that serve only the reuse test have no cooldown. */
static int time_slot(struct measurement *m, struct contestant *k, const struct place *place,
                     const struct spot_check *check, uint32_t size, struct err *err) {
  const uint64_t former = k->last_seed;
  double ns[SLOT_MOST + SLOT_EXTRA];
  struct slot_task task = measure_slot_task(m, size, ns);
  task.timed = place->stage != STAGE_EVIDENCE;
  task.skipped = sampling_drops_first(m, k) && !spot_check_stands_in(m, k, check) ? 1 : 0;
  task.last = check->last;
  task.surprise = surprise_choose(m, k, check);
  task.rotation = sampling_rotation(m, k, check);
  if (task.rotation.share > 0 && task.surprise.last == 0) task.rotation.watched = sampling_watches(m, k, size);
  if (task.timed) {
    /* keeps only rounds in which all slots have the cooldown: this round if this is its first slot, otherwise from the
     * next round on */
    if (pace_rest(&m->pace, may_repeat(m, place->stage))) discard_samples(m, place->round + (place->position > 0));
    task.cooldown = m->pace.cooldown;
    if (sampling_lead_in(m, k, err) != 0) return -1;
  }
  if (contestant_alive(k) && spot_check_begin(m, k, check, err) != 0) return -1;
  if (contestant_alive(k) && size > 0 && spot_check_new_state(m, err) != 0) return -1;
  task.inputs_stay = former == m->c->seed && !check->rotates;
  if (contestant_alive(k) && rotated_batch_begin(m, k, check, &task, err) != 0) return -1;
  if (contestant_alive(k) && fill_slot(m, k, place, check, &task, err) != 0) return -1;
  if (input_pool_put_back(m->c, err) != 0) return -1;
  return spot_check_end(m, k, check, &task, err);
}

/* Returns how many calls of a trajectory (calls that continue from each other's results, all in one slot) fit into this
 * slot's part of the time: the rest of the case's time, divided by the number of slots that are missing until there are
 * ROUNDS_LEAST rounds. INFINITY if there is no time limit or no trajectory. */
static double most_samples(const struct measurement *m, const struct contestant *k, const struct place *place) {
  if (m->request->until_ns == 0 || m->request->trajectory == 0) return INFINITY;
  const uint32_t all = m->request->company > 0 ? m->request->company : m->count;
  const double slots = fmax(1, (double)(ROUNDS_LEAST - (int)place->round) * all - place->position);
  return fmax(1, (double)(m->request->until_ns - clock_now_ns()) / slots / fmax(k->cost_ns, 1));
}

/* Runs one slot of a variant: chooses how the slot is tested and verified, chooses the number of samples, and takes
 * them. `place` says in which round, and where in the order of the round. */
static int sample_one(struct measurement *m, struct contestant *k, const struct place *place,
                      const struct spot_check_round *round, struct err *err) {
  const int64_t start = clock_now_ns();
  const double spent_s = m->spot_checks_s;
  const struct spot_check check = spot_check_choose(m, round, k);
  /* for slow calls, and on a GPU, the single call at the start of the slot is enough for the reuse test: no samples are
   * taken */
  const bool evidence = place->stage == STAGE_EVIDENCE;
  const bool only_call = evidence && check.on && (k->slot_size == 1 || !measure_on_cpu(m));
  const uint32_t size =
      only_call ? 0 : (uint32_t)ceil(round->slot_share * fmin(k->slot_size, most_samples(m, k, place)));
  if (time_slot(m, k, place, &check, size, err) != 0) return -1;
  k->slots_s += clock_seconds_since(start);
  if (evidence) /* all of the slot's time counts as spent on tests, because its samples are not kept */
    m->spot_checks_s = spent_s + clock_seconds_since(start);
  return 0;
}

/* Runs a round: one slot of each variant that still needs one; in the last round of all variants. */
static int sample_round(struct measurement *m, enum round_stage stage, struct err *err) {
  uint32_t order[CASE_VARIANTS_MAX];
  struct spot_check_round round;
  struct place place = {.stage = stage, .round = m->report->rounds};
  if (spot_check_round_begin(m, stage, &round, err) != 0) return -1;
  order_round(m->count, m->report->rounds + m->evidence_rounds, m->request->order_seed, order);
  *(stage == STAGE_EVIDENCE ? &m->evidence_rounds : &m->report->rounds) += 1;
  for (; place.position < m->count; place.position++) {
    struct contestant *k = &m->contestants[order[place.position]];
    if (!contestant_alive(k) || (stage == STAGE_EVIDENCE && !evidence_wanted(m, k))) continue;
    const bool wanted = enough_wants_slot(k->precise, k->partner) || k->verified < m->request->verifications;
    if (stage == STAGE_SAMPLING && !wanted) continue;
    if (sample_one(m, k, &place, &round, err) != 0) return -1;
  }
  return spot_check_round_end(m, err);
}

/* ---- Rounds ---- */

/* Marks the variants that have enough samples by the rule in model/enough.h. Returns true if all of them have. */
static bool judge_precision(struct measurement *m) {
  struct enough_variant variants[CASE_VARIANTS_MAX];
  const struct enough_terms terms = {m->request->precision, measure_tick_ns(m), m->request->seed};
  for (uint32_t i = 0; i < m->count; i++) {
    const struct contestant *k = &m->contestants[i];
    variants[i] = (struct enough_variant){.slots = k->slots,
                                          .slot_count = k->slot_count,
                                          .against = m->request->variants[i].against,
                                          .alive = contestant_alive(k),
                                          .precise = k->precise};
  }
  const bool all = enough_precise(&terms, variants, m->count);
  for (uint32_t i = 0; i < m->count; i++) {
    m->contestants[i].precise = variants[i].precise;
    m->contestants[i].partner = variants[i].partner;
  }
  return all;
}

/* Returns why sampling ends after this round; STOP_NONE: it goes on. */
static enum stop_reason reason_to_stop(struct measurement *m, uint32_t rounds, int64_t start) {
  struct enough_times times = times_of(m, start);
  times.lacks_verifications = measure_lacks_verifications(m);
  if (measure_stopped(m)) return STOP_INTERRUPTED;
  if (stats_is_interim(rounds) && judge_precision(m) && !times.lacks_verifications) return STOP_PRECISION;
  return enough_time(&times, rounds);
}

static bool any_wanted(const struct measurement *m) {
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (evidence_wanted(m, k)) return true;
  return false;
}

/* Runs rounds until there are enough samples, then the last round; an interrupted case has no last round. Sets over_ns
 * before the last round: from then on verifications have the budget for the time after sampling (share_s() in
 * measure/budget.c). sample_case() sets over_ns again after it. */
static int sample_own_rounds(struct measurement *m, struct err *err) {
  const int64_t start = clock_now_ns();
  enum stop_reason reason = measure_stopped(m) ? STOP_INTERRUPTED : STOP_NONE;
  while (measure_next(m, 0) && reason == STOP_NONE) {
    leave_out_late(m, m->report->rounds - m->kept_from);
    if (sample_round(m, STAGE_SAMPLING, err) != 0) return -1;
    reason = reason_to_stop(m, m->report->rounds - m->kept_from, start);
  }
  m->report->stop_reason = reason;
  m->over_ns = clock_now_ns();
  if (reason == STOP_INTERRUPTED || measure_next(m, 0) == NULL) return 0;
  return sample_round(m, STAGE_LAST, err);
}

/* ---- Rounds in the parent's order ---- */

struct ordered_round {
  struct spot_check_round round;
  bool open;
};

static int close_round(struct measurement *m, struct ordered_round *r, struct err *err) {
  if (!r->open) return 0;
  r->open = false;
  return spot_check_round_end(m, err);
}

static int open_round(struct measurement *m, struct ordered_round *r, enum round_stage stage, struct err *err) {
  if (close_round(m, r, err) != 0) return -1;
  r->open = true;
  return spot_check_round_begin(m, stage, &r->round, err);
}

/* Carries out an order of the parent: opens and closes rounds, and runs a slot if the variant is still measured. As in
 * sample_round(), report->rounds counts the present round only after the round has been opened. */
static int obey_order(struct measurement *m, struct ordered_round *r, const struct order_message *order,
                      struct err *err) {
  const struct place place = {
      .stage = order->last ? STAGE_LAST : STAGE_SAMPLING, .round = order->round, .position = order->position};
  if (order->kept_from > m->kept_from) discard_samples(m, order->kept_from);
  if (order->last && m->over_ns == 0) m->over_ns = clock_now_ns();
  m->report->rounds = order->round;
  if ((order->opens || !r->open) && open_round(m, r, place.stage, err) != 0) return -1;
  m->report->rounds = order->round + 1;
  struct contestant *k = order->variant < m->count ? &m->contestants[order->variant] : NULL;
  if (k != NULL) k->precise = order->precise != 0;
  if (k != NULL && contestant_alive(k) && sample_one(m, k, &place, &r->round, err) != 0) return -1;
  return order->closes ? close_round(m, r, err) : 0;
}

static int sample_ordered(struct measurement *m, struct err *err) {
  struct ordered_round r = {.open = false};
  struct order_message order = {.kind = ORDER_SLOT};
  while (measure_next(m, 0) && order.kind == ORDER_SLOT) {
    if (orders_slot(m, &order, err) != 0) return -1;
    if (order.kind == ORDER_SLOT && obey_order(m, &r, &order, err) != 0) return -1;
  }
  m->report->stop_reason = order.reason;
  return close_round(m, &r, err);
}

/* ---- The whole case ---- */

static int sample_case(struct measurement *m, struct err *err) {
  if ((orders_given(m) ? sample_ordered : sample_own_rounds)(m, err) != 0) return -1;
  m->over_ns = clock_now_ns();
  if (m->report->stop_reason == STOP_INTERRUPTED) return 0;
  while (!measure_stopped(m) && any_wanted(m))
    if (sample_round(m, STAGE_EVIDENCE, err) != 0) return -1;
  return 0;
}

/* Takes all timed samples of the case. The time that this takes is reported as sampling or as verification. It is the
 * time from beginning to end, without what waited_ns has grown by: waiting for orders of the parent counts as neither.
 */
int rounds_sample(struct measurement *m, struct err *err) {
  const int64_t start = clock_now_ns() - m->waited_ns;
  const double before_s = m->spot_checks_s;
  if (sample_case(m, err) != 0) return -1;
  m->report->seconds_verify += m->spot_checks_s - before_s;
  m->report->seconds_sampling += clock_seconds_since(start + m->waited_ns) - (m->spot_checks_s - before_s);
  return 0;
}
