/* Tests the order of slots when several processes measure a case together. A slot is a series of samples of one variant
 * in one process; a round has one slot of each. The processes are simulated by go(). */
#include "ask/schedule.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "unit.h"

enum { PROCESSES = 3, PLACES = 2, ENTRIES = PROCESSES * PLACES, LOG_MOST = 4096, SLOTS_MOST = 512 };

/* An order that schedule_run() gave to a process. The tests check the list of these orders, `told`. */
struct told {
  uint32_t process;
  struct order_message order;
};

static struct told told[LOG_MOST];
static uint32_t told_count;
static struct slot slots[PROCESSES][PLACES][SLOTS_MOST];
static double times[PROCESSES][PLACES][SLOTS_MOST][2];
static size_t slot_count[PROCESSES][PLACES];
static struct ready_message next[PROCESSES]; /* the answer of each process */
static uint32_t dies_at[PROCESSES];          /* number of the slot in which the process dies; 0: never */
static uint32_t taken[PROCESSES];
static uint32_t drops_at;       /* round in which the first process drops its variant 1; 0: never */
static uint32_t verified_at;    /* number of slots of the first process after which it says that no verifications are
                                   missing; 0: never */
static uint32_t interrupted_at; /* number of orders after which the run is interrupted; 0: never */
static double spread;
static double wild;       /* factor by which the times of the last process scatter more */
static uint32_t rests_at; /* round in which a process says that earlier rounds do not count any more; 0: never */
static long lasts_ns;     /* duration of a slot */

static bool go(void *user, uint32_t process, const struct order_message *order, struct ready_message *ready) {
  (void)user;
  if (told_count < LOG_MOST) told[told_count++] = (struct told){process, *order};
  if (order->kind == ORDER_END) return false;
  next[process].ready_for = order->kind == ORDER_SIZES ? READY_LEVEL : READY_SLOT;
  *ready = next[process];
  if (order->kind != ORDER_SLOT) return true;
  const struct timespec slot = {.tv_nsec = lasts_ns};
  if (lasts_ns > 0) nanosleep(&slot, NULL);
  if (++taken[process] == dies_at[process]) return false;
  size_t *count = &slot_count[process][order->variant];
  double *ns = times[process][order->variant][*count];
  const double own = process == PROCESSES - 1 ? wild * spread : spread;
  ns[0] = ns[1] = 100000 + own * ((double)((*count * 7 + process * 3) % 11) - 5);
  if (rests_at != 0 && order->round >= rests_at) next[process].kept_from = rests_at;
  slots[process][order->variant][*count] = (struct slot){.epoch = 1, .round = order->round, .count = 2, .ns = ns};
  ++*count;
  if (verified_at != 0 && taken[0] >= verified_at) next[0].lacks_verifications = 0;
  if (drops_at != 0 && order->round >= drops_at && process == 0) next[0].alive[0] = 1;
  *ready = next[process];
  return true;
}

static bool slots_of(void *user, uint32_t process, uint32_t place, const struct slot **all, size_t *count) {
  (void)user;
  *all = slots[process][place];
  *count = slot_count[process][place];
  return true;
}

static bool interrupted(void *user) {
  (void)user;
  return interrupted_at != 0 && told_count >= interrupted_at;
}

static struct schedule_entry entries[ENTRIES];
static struct schedule_process processes[PROCESSES];

static struct schedule begin(enum ready_for what) {
  told_count = drops_at = interrupted_at = verified_at = rests_at = 0;
  wild = 1;
  lasts_ns = 0;
  spread = 1;
  memset(slot_count, 0, sizeof slot_count);
  memset(dies_at, 0, sizeof dies_at);
  memset(taken, 0, sizeof taken);
  for (uint32_t p = 0; p < PROCESSES; p++) {
    next[p] = (struct ready_message){.ready_for = what, .replicas = 1, .slot_least = 10 + p, .alive = {3}};
    next[p].fastest_ns = 100.0 * (p + 1);
    next[p].slowest_ns = 1000.0 * (p + 1);
    processes[p] = (struct schedule_process){true, next[p]};
    for (uint32_t place = 0; place < PLACES; place++)
      entries[p * PLACES + place] = (struct schedule_entry){.process = p, .place = place};
  }
  entries[0].against.common = 1;
  return (struct schedule){.hands = {NULL, go, slots_of, interrupted},
                           .entries = entries,
                           .entry_count = ENTRIES,
                           .process_count = PROCESSES,
                           .processes = processes,
                           .precision = 0.01,
                           .tick_ns = 1,
                           .seed = 1,
                           .order_seed = 2,
                           .case_time_s = 5,
                           .started_ns = clock_now_ns()};
}

static uint32_t count_of(enum order_kind kind, uint32_t process) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < told_count; i++)
    count += told[i].order.kind == kind && (process == UINT32_MAX || told[i].process == process);
  return count;
}

/* Checks that in this round each entry (a variant in one of the processes) has one slot, each at another position, and
 * that each process's first and last slot are marked (`opens`, `closes`). */
static void check_round(uint32_t round, uint32_t first) {
  bool seen[ENTRIES] = {false}, placed[ENTRIES] = {false}, open[PROCESSES] = {false};
  for (uint32_t i = first; i < first + ENTRIES; i++) {
    const struct order_message *o = &told[i].order;
    const uint32_t entry = told[i].process * PLACES + o->variant;
    ASSERT_TRUE(o->kind == ORDER_SLOT && o->round == round && o->position < ENTRIES);
    ASSERT_TRUE(!seen[entry] && !placed[o->position]);
    seen[entry] = placed[o->position] = true;
    ASSERT_TRUE(o->opens == !open[told[i].process]);
    /* a process closes its part of the round with the second of its two slots */
    ASSERT_TRUE(o->closes == open[told[i].process]);
    open[told[i].process] = true;
  }
}

static void rounds_of_all(void) {
  struct schedule t = begin(READY_SLOT);
  schedule_run(&t);
  ASSERT_EQ_INT(t.reason, STOP_PRECISION);
  ASSERT_TRUE(t.rounds >= ROUNDS_LEAST);
  for (uint32_t round = 0; round < t.rounds; round++)
    check_round(round, round * ENTRIES);
  /* the last round is announced (`last`), and all entries have a slot in it, even those with precise results */
  ASSERT_EQ_INT(told[t.rounds * ENTRIES - 1].order.last, 1);
  ASSERT_EQ_INT(told[0].order.last, 0);
  /* the process reports that its variants are precise, which only the schedule knows */
  ASSERT_TRUE(told[0].order.precise == 0 && told[t.rounds * ENTRIES - 1].order.precise == 1);
  ASSERT_EQ_INT(count_of(ORDER_END, UINT32_MAX), PROCESSES);
  ASSERT_EQ_INT(told[told_count - 1].order.reason, STOP_PRECISION);
}

/* The order of the slots is random, but depends only on the seed: two runs with the same seed have the same order. */
static void the_seed_decides(void) {
  static struct told former[LOG_MOST];
  struct schedule t = begin(READY_SLOT);
  schedule_run(&t);
  memcpy(former, told, sizeof former);
  t = begin(READY_SLOT);
  schedule_run(&t);
  for (uint32_t i = 0; i < ENTRIES * t.rounds; i++)
    ASSERT_TRUE(told[i].process == former[i].process && told[i].order.variant == former[i].order.variant);
}

static void sizes_and_levels_are_common(void) {
  struct schedule t = begin(READY_SIZES);
  schedule_run(&t);
  ASSERT_EQ_INT(count_of(ORDER_SIZES, UINT32_MAX), PROCESSES);
  ASSERT_EQ_INT(count_of(ORDER_LEVEL, UINT32_MAX), PROCESSES);
  for (uint32_t i = 0; i < PROCESSES; i++) {
    ASSERT_TRUE(told[i].order.fastest_ns == 100 && told[i].order.slowest_ns == 3000);
    ASSERT_EQ_INT(told[PROCESSES + i].order.slot_least, 10);
  }
}

static void one_that_dies_costs_nobody_else(void) {
  struct schedule t = begin(READY_SLOT);
  dies_at[1] = 2;
  schedule_run(&t);
  ASSERT_EQ_INT(t.reason, STOP_PRECISION);
  ASSERT_EQ_INT(count_of(ORDER_SLOT, 1), 2);
  ASSERT_EQ_INT(count_of(ORDER_SLOT, 0), PLACES * t.rounds);
  ASSERT_EQ_INT(count_of(ORDER_END, 1), 0);
}

static void all_that_die(void) {
  struct schedule t = begin(READY_SLOT);
  for (uint32_t p = 0; p < PROCESSES; p++)
    dies_at[p] = 1;
  schedule_run(&t);
  ASSERT_EQ_INT(t.rounds, 1);
  ASSERT_EQ_INT(count_of(ORDER_END, UINT32_MAX), 0);
}

static void one_that_is_out_has_no_slots(void) {
  struct schedule t = begin(READY_SLOT);
  drops_at = 1;
  schedule_run(&t);
  ASSERT_EQ_INT(t.reason, STOP_PRECISION);
  ASSERT_TRUE(slot_count[0][1] <= 2 && slot_count[0][0] == t.rounds);
}

static void nobody_waits(void) {
  struct schedule t = begin(READY_SLOT);
  for (uint32_t p = 0; p < PROCESSES; p++)
    processes[p].waits = false;
  schedule_run(&t);
  ASSERT_TRUE(t.reason == STOP_NONE && told_count == 0);
}

static void an_interruption_ends_all(void) {
  struct schedule t = begin(READY_SLOT);
  interrupted_at = 2 * ENTRIES;
  schedule_run(&t);
  ASSERT_EQ_INT(t.reason, STOP_INTERRUPTED);
  ASSERT_EQ_INT(count_of(ORDER_SLOT, UINT32_MAX), 2 * ENTRIES); /* no slot comes after the interruption */
  ASSERT_EQ_INT(count_of(ORDER_END, UINT32_MAX), PROCESSES);
}

/* One process claims an absurd cooldown (pause after a slot) and absurd remaining work. The orders to all processes
 * must contain sensible values, and the case must end in its time. */
static void one_that_lies(void) {
  struct schedule t = begin(READY_SLOT);
  spread = 9000;
  lasts_ns = 500000;
  t.case_time_s = 0.05;
  t.until_ns = t.started_ns + INT64_C(3600000000000);
  next[2].left_s = 1e30;
  next[2].pace = (struct pace_state){1e30, NAN, 1e30, INT64_MAX};
  next[2].kept_from = 1000000;
  next[2].slot_least = 0;
  schedule_run(&t);
  ASSERT_EQ_INT(t.reason, STOP_CASE_TIME);
  for (uint32_t i = 0; i < told_count; i++) {
    const struct order_message *o = &told[i].order;
    ASSERT_TRUE(o->pace.cooldown <= 16 && o->pace.worked_s <= t.case_time_s && o->pace.most_w == 0);
    ASSERT_TRUE(o->pace.rested_ns <= clock_now_ns() && o->kept_from <= t.rounds);
  }
}

/* If one process asks for a longer cooldown (pause after a slot) from round 1 on, the other processes are told to keep
 * only slots from round 1 on, too. */
static void rest_is_common(void) {
  struct schedule t = begin(READY_SLOT);
  next[1].kept_from = 1;
  next[1].pace.cooldown = 4;
  schedule_run(&t);
  bool told_others = false;
  for (uint32_t i = 0; i < told_count; i++)
    told_others = told_others || (told[i].process != 1 && told[i].order.kept_from == 1);
  ASSERT_TRUE(told_others);
}

/* Counts the slots of a variant in rounds from `from` on, without those of the last round. */
static uint32_t slots_from(uint32_t process, uint32_t place, uint32_t from) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < told_count; i++) {
    const struct order_message *o = &told[i].order;
    count += told[i].process == process && o->kind == ORDER_SLOT && o->variant == place && o->round >= from && !o->last;
  }
  return count;
}

/* After 12 rounds the times of all variants except those of the last process are precise. Then cooldowns begin, and
 * earlier rounds do not count any more. So the precise variants must be sampled anew. */
static void what_was_precise_before_a_cooldown_is_sampled_anew(void) {
  for (uint32_t rests = 0; rests < 2; rests++) {
    struct schedule t = begin(READY_SLOT);
    wild = 20000;
    lasts_ns = 100000;
    t.case_time_s = 0.2;
    rests_at = rests * 14;
    schedule_run(&t);
    ASSERT_EQ_INT(slots_from(0, 1, 0) - slots_from(0, 1, 12), 12);
    ASSERT_TRUE(t.rounds > 14 + 12);
    ASSERT_TRUE(rests ? slots_from(0, 1, 14) >= 11 : slots_from(0, 1, 14) == 0);
  }
}

/* The outputs of a variant that is suspected of wrong results must be verified t.verifications times. Its process gets
 * slots until that is done, even if all times are precise before, but at most for the time of the case. If
 * t.verifications is 0, the process gets no more slots than usual. */
static void suspects_are_looked_at_as_often_as_asked(void) {
  struct schedule t = begin(READY_SLOT);
  schedule_run(&t);
  const uint32_t usual = t.rounds;
  for (uint32_t verifications = 0; verifications < 2; verifications++) {
    t = begin(READY_SLOT);
    lasts_ns = 100000;
    t.verifications = 30 * verifications;
    t.case_time_s = 0.1;
    next[0].lacks_verifications = 1;
    processes[0].ready.lacks_verifications = 1;
    verified_at = verifications * 40;
    schedule_run(&t);
    ASSERT_TRUE(verifications == 0 ? t.rounds <= usual : taken[0] >= 40);
    ASSERT_TRUE(t.reason == STOP_PRECISION || t.reason == STOP_CASE_TIME);
  }
}

UNIT_MAIN("schedule", UNIT_TEST(what_was_precise_before_a_cooldown_is_sampled_anew),
          UNIT_TEST(suspects_are_looked_at_as_often_as_asked), UNIT_TEST(rounds_of_all), UNIT_TEST(the_seed_decides),
          UNIT_TEST(sizes_and_levels_are_common), UNIT_TEST(one_that_dies_costs_nobody_else), UNIT_TEST(all_that_die),
          UNIT_TEST(one_that_is_out_has_no_slots), UNIT_TEST(nobody_waits), UNIT_TEST(an_interruption_ends_all),
          UNIT_TEST(one_that_lies), UNIT_TEST(rest_is_common))
