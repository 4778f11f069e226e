#include "ask/schedule.h"

#include <math.h>

#include "base/clock.h"
#include "stats/round_order.h"
#include "stats/stats.h"
#include "worker/bounds.h"

static const double power_most_w = 1e5;

/* ---- Limiting what processes report to plausible values ---- */

static double bound_claim(double value, double least, double most) {
  return value >= least ? fmin(value, most) : least; /* returns `least` if the value is NaN, too */
}

/* Takes from a process's report the state from which the next cooldown (pause of the device) is computed; the process
 * that measures next gets that state. Limits the values, so that no process can make the others pause longer than
 * allowed. */
static void take_pace(struct schedule *t, const struct pace_state *said) {
  const int64_t now = clock_now_ns();
  t->pace.cooldown = bound_claim(said->cooldown, 0, BOUNDS_REST);
  t->pace.most_w = bound_claim(said->most_w, 0, power_most_w);
  t->pace.worked_s = bound_claim(said->worked_s, 0, t->case_time_s);
  t->pace.rested_ns = said->rested_ns < 0 || said->rested_ns > now ? now : said->rested_ns;
}

/* Returns the sum of the times that the processes say they need after sampling. A process may invent this time, so at
 * most half of its part of the case's time counts; all processes have equal parts. */
static double claimed_left_s(const struct schedule *t) {
  const double all_s = (double)(t->until_ns - t->started_ns) * 1e-9, most_s = all_s / 2 / t->process_count;
  double sum = 0;
  for (uint32_t p = 0; p < t->process_count && t->until_ns != 0; p++)
    if (t->processes[p].waits) sum += bound_claim(t->processes[p].ready.left_s, 0, fmax(most_s, 0));
  return sum;
}

/* Returns true if a variant of the process must be verified more often, as its request asks. */
static bool lacks_verifications(const struct schedule *t, uint32_t process) {
  return t->verifications > 0 && t->processes[process].waits && t->processes[process].ready.lacks_verifications != 0;
}

static bool any_lacks_verifications(const struct schedule *t) {
  for (uint32_t p = 0; p < t->process_count; p++)
    if (lacks_verifications(t, p)) return true;
  return false;
}

/* Discards the rounds before number `round`, because cooldowns began in one of them. Then no variant is precise any
 * more, as in the processes (discard_samples() in measure/rounds.c). */
static void keep_from(struct schedule *t, uint32_t round) {
  t->kept_from = round;
  for (uint32_t i = 0; i < t->entry_count; i++)
    t->entries[i].precise = t->entries[i].partner = false;
}

static void give_order(struct schedule *t, uint32_t process, struct order_message *order) {
  struct schedule_process *p = &t->processes[process];
  const int64_t start = clock_now_ns();
  order->pace = t->pace;
  order->kept_from = t->kept_from;
  p->waits = t->hands.go(t->hands.user, process, order, &p->ready);
  /* a process that hung has used time of the others; the start of sampling is moved later by that time, so that the
   * others lose nothing */
  if (!p->waits) t->sampling_ns += clock_now_ns() - start;
  if (!p->waits || p->ready.ready_for != READY_SLOT) return;
  take_pace(t, &p->ready.pace);
  if (p->ready.kept_from > t->kept_from && p->ready.kept_from <= t->rounds) keep_from(t, p->ready.kept_from);
}

static bool any_waits(const struct schedule *t) {
  for (uint32_t p = 0; p < t->process_count; p++)
    if (t->processes[p].waits) return true;
  return false;
}

/* ---- Orders before the first slot ---- */

/* Gives the same order to all processes that wait for it. */
static void order_waiting(struct schedule *t, enum ready_for what, const struct order_message *order) {
  for (uint32_t p = 0; p < t->process_count; p++) {
    struct order_message own = *order;
    if (t->processes[p].waits && t->processes[p].ready.ready_for == what) give_order(t, p, &own);
  }
}

static void agree_on_sizes(struct schedule *t) {
  struct order_message order = {.kind = ORDER_SIZES, .fastest_ns = INFINITY, .slowest_ns = 1};
  for (uint32_t p = 0; p < t->process_count; p++) {
    const struct ready_message *ready = &t->processes[p].ready;
    if (!t->processes[p].waits || ready->ready_for != READY_SIZES) continue;
    order.fastest_ns = fmin(order.fastest_ns, bound_claim(ready->fastest_ns, 1, BOUNDS_NS));
    order.slowest_ns = fmax(order.slowest_ns, bound_claim(ready->slowest_ns, 1, BOUNDS_NS));
  }
  order_waiting(t, READY_SIZES, &order);
}

static void agree_on_slot_least(struct schedule *t) {
  struct order_message order = {.kind = ORDER_LEVEL, .slot_least = UINT32_MAX};
  for (uint32_t p = 0; p < t->process_count; p++) {
    const struct ready_message *ready = &t->processes[p].ready;
    if (!t->processes[p].waits || ready->ready_for != READY_LEVEL || ready->slot_least == 0) continue;
    if (ready->slot_least < order.slot_least) order.slot_least = ready->slot_least;
  }
  order_waiting(t, READY_LEVEL, &order);
}

/* ---- Rounds ---- */

static bool is_alive(const struct schedule *t, const struct schedule_entry *e) {
  const struct schedule_process *p = &t->processes[e->process];
  const struct slot *slots;
  size_t count;
  return p->waits && ready_is_alive(&p->ready, e->place) &&
         t->hands.slots(t->hands.user, e->process, e->place, &slots, &count);
}

static bool any_alive(const struct schedule *t) {
  for (uint32_t i = 0; i < t->entry_count; i++)
    if (is_alive(t, &t->entries[i])) return true;
  return false;
}

static bool has_later(const struct schedule *t, const uint32_t *order, const bool *wanted, uint32_t at) {
  for (uint32_t i = at + 1; i < t->entry_count; i++)
    if (wanted[i] && t->entries[order[i]].process == t->entries[order[at]].process) return true;
  return false;
}

/* Has the processes measure the next round, one slot (series of samples) of each variant. The slots of all processes
 * are numbered together, by round and by position in the round, as if one process had measured all variants: slots of
 * different variants in the same round are compared with each other. */
static void give_round(struct schedule *t, bool last) {
  uint32_t order[CASE_VARIANTS_MAX];
  bool wanted[CASE_VARIANTS_MAX], opened[CASE_VARIANTS_MAX] = {false}; /* opened: by index of the process */
  order_round(t->entry_count, t->rounds, t->order_seed, order);
  for (uint32_t i = 0; i < t->entry_count; i++) {
    const struct schedule_entry *e = &t->entries[order[i]];
    const bool wants = enough_wants_slot(e->precise, e->partner) || lacks_verifications(t, e->process);
    wanted[i] = is_alive(t, e) && (last || wants);
  }
  const uint32_t round = t->rounds++;
  for (uint32_t i = 0; i < t->entry_count; i++) {
    const struct schedule_entry *e = &t->entries[order[i]];
    if (!wanted[i] || !is_alive(t, e)) continue;
    struct order_message slot = {.kind = ORDER_SLOT,
                                 .variant = e->place,
                                 .round = round,
                                 .position = i,
                                 .opens = !opened[e->process],
                                 .closes = !has_later(t, order, wanted, i),
                                 .last = last,
                                 .precise = e->precise,
                                 .reason = t->reason};
    opened[e->process] = true;
    give_order(t, e->process, &slot);
  }
}

/* Returns the number of calls per sample. It is the same in all processes, because they got the same order. */
static uint32_t replicas(const struct schedule *t) {
  for (uint32_t p = 0; p < t->process_count; p++)
    if (t->processes[p].waits) return (uint32_t)bound_claim(t->processes[p].ready.replicas, 1, REPLICAS_MOST);
  return 1;
}

static bool entries_are_precise(struct schedule *t) {
  struct enough_variant variants[CASE_VARIANTS_MAX];
  const struct enough_terms terms = {t->precision, t->tick_ns / replicas(t), t->seed};
  for (uint32_t i = 0; i < t->entry_count; i++) {
    const struct schedule_entry *e = &t->entries[i];
    variants[i] = (struct enough_variant){.against = e->against, .precise = e->precise, .alive = is_alive(t, e)};
    if (variants[i].alive)
      t->hands.slots(t->hands.user, e->process, e->place, &variants[i].slots, &variants[i].slot_count);
  }
  const bool all = enough_precise(&terms, variants, t->entry_count);
  for (uint32_t i = 0; i < t->entry_count; i++) {
    t->entries[i].precise = variants[i].precise;
    t->entries[i].partner = variants[i].partner;
  }
  return all;
}

static enum stop_reason reason_to_end(struct schedule *t) {
  const uint32_t rounds = t->rounds - t->kept_from;
  const struct enough_times times = {.now_ns = clock_now_ns(),
                                     .started_ns = t->started_ns,
                                     .sampling_ns = t->sampling_ns,
                                     .until_ns = t->until_ns,
                                     .case_time_s = t->case_time_s,
                                     .left_s = claimed_left_s(t),
                                     .lacks_verifications = any_lacks_verifications(t)};
  if (t->hands.interrupted(t->hands.user)) return STOP_INTERRUPTED;
  if (stats_is_interim(rounds) && entries_are_precise(t) && !times.lacks_verifications) return STOP_PRECISION;
  return enough_time(&times, rounds);
}

void schedule_run(struct schedule *t) {
  t->rounds = t->kept_from = 0;
  t->reason = STOP_NONE;
  t->pace = (struct pace_state){.cooldown = t->cooldown, .rested_ns = clock_now_ns()};
  agree_on_sizes(t);
  agree_on_slot_least(t);
  t->sampling_ns = clock_now_ns();
  if (any_waits(t) && t->hands.interrupted(t->hands.user)) t->reason = STOP_INTERRUPTED;
  while (any_alive(t) && t->reason == STOP_NONE) {
    give_round(t, false);
    t->reason = reason_to_end(t);
  }
  if (t->reason != STOP_NONE && t->reason != STOP_INTERRUPTED) give_round(t, true);
  for (uint32_t p = 0; p < t->process_count; p++) {
    struct order_message order = {.kind = ORDER_END, .round = t->rounds, .reason = t->reason};
    if (t->processes[p].waits) give_order(t, p, &order);
  }
}
