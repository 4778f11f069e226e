/* Tests measuring energy over a stretch of time, the window. The simulated counters move in steps, and their true
 * energy is known. */
#include "stats/energy.h"

#include <math.h>
#include <stdbool.h>

#include "fake_counter.h"
#include "unit.h"

#define MS 1e6
#define S 1e9

/* A load over time, the counter that measures it, and the cost of a query. */
struct bench {
  struct energy_model counter;
  double (*watts)(double ns);
  double query_ns, pause_ns; /* duration of a query, and the time that the caller spends elsewhere between queries */
  struct energy_unwrap unwrap;
};

static double steady(double ns) {
  (void)ns;
  return 650;
}

/* The silicon warms up: 300 W at first, 700 W after two seconds. */
static double ramp(double ns) {
  return ns < 2 * S ? 300 + 200 * ns / S : 700;
}

/* 700 W for the first quarter of every 100 ms, 100 W for the rest. */
static double square(double ns) {
  return fmod(ns, 100 * MS) < 25 * MS ? 700 : 100;
}

static double idle(double ns) {
  (void)ns;
  return 80;
}

static void pass(struct bench *b, double ns) {
  for (double left = ns; left > 0; left -= MS)
    energy_model_advance(&b->counter, fmin(left, MS), b->watts(b->counter.now_ns));
}

static int64_t now(const struct bench *b) {
  return (int64_t)b->counter.now_ns;
}

static double ask(struct bench *b) {
  pass(b, b->query_ns / 2);
  double raw = energy_model_read(&b->counter);
  pass(b, b->query_ns / 2);
  return b->counter.range > 0 ? energy_unwrap(&b->unwrap, raw, b->counter.range) : raw;
}

static struct energy_window measure(struct bench *b, const struct energy_plan *plan) {
  struct energy_meter meter;
  struct energy_window window;
  energy_begin(&meter, plan, now(b));
  for (enum energy_want want; (want = energy_wants(&meter, now(b))) != ENERGY_END;) {
    int64_t before = now(b);
    if (want == ENERGY_COUNTER) {
      double joules = ask(b);
      energy_counter(&meter, before, now(b), joules);
    } else if (want == ENERGY_POWER) {
      pass(b, b->query_ns);
      energy_power(&meter, before, now(b), b->watts(b->counter.now_ns - b->query_ns / 2));
    }
    pass(b, b->pause_ns);
  }
  energy_result(&meter, &window);
  return window;
}

/* Measures power in the simple way: reads the counter, runs the load, reads the counter again. */
static double naive_power(struct bench *b, double seconds) {
  double first = ask(b), begin = b->counter.now_ns;
  pass(b, seconds * S);
  double second = ask(b);
  return (second - first) / ((b->counter.now_ns - begin) * 1e-9);
}

static const struct energy_plan gpu_plan = {.preheat_s = 1, .window_s = 5, .give_up_s = 2, .power_s = 0.02};

static struct bench gpu(double (*watts)(double), double phase_ms) {
  return (struct bench){.counter = {.step_ns = 100 * MS, .seen = 1, .phase_ns = phase_ms * MS},
                        .watts = watts,
                        .query_ns = 3.3 * MS,
                        .pause_ns = 0.2 * MS};
}

static void a_naive_window_is_off_by_a_step_and_ours_is_not(void) {
  double worst_naive = 0, worst_ours = 0;
  for (int phase = 1; phase <= 100; phase++) {
    struct bench b = gpu(steady, phase), other = gpu(steady, phase);
    pass(&b, S + 20 * MS);
    worst_naive = fmax(worst_naive, fabs(naive_power(&b, 1.05) / 650 - 1));
    struct energy_window w = measure(&other, &gpu_plan);
    ASSERT_TRUE(!w.stuck);
    worst_ours = fmax(worst_ours, fabs(w.power_w / 650 - 1));
    ASSERT_NEAR(w.step_s, 0.1, 0.004);
    ASSERT_TRUE(fabs(w.power_w - 650) <= w.power_unc_w + 1e-9);
    ASSERT_TRUE(w.seconds >= 5 && w.seconds < 5.2);
    ASSERT_NEAR(w.integrated_w, 650, 1e-6);
    ASSERT_NEAR(w.disagreement, 0, 1e-3);
  }
  /* In 1.05 s the counter moves 10 or 11 times, which is 4.8% in either direction. */
  ASSERT_NEAR(worst_naive, 0.05, 0.005);
  ASSERT_TRUE(worst_ours < 0.001);
}

static void the_range_of_the_ends_is_told(void) {
  struct bench b = gpu(steady, 37);
  struct energy_window w = measure(&b, &gpu_plan);
  /* A query takes 3.3 ms and the pause 0.2 ms, so each end is known to about 3.5 ms. */
  ASSERT_TRUE(w.power_unc_w / w.power_w > 3.3e-3 / 5.2 && w.power_unc_w / w.power_w < 8e-3 / 5);
}

static void the_first_seconds_are_not_what_lasts(void) {
  struct energy_plan plan = gpu_plan;
  struct bench b = gpu(ramp, 50), other = gpu(ramp, 50);
  ASSERT_NEAR(naive_power(&b, 5), 700 - 400.0 / 5, 20); /* the ramp accounts for 400 J */
  plan.preheat_s = 3;
  struct energy_window w = measure(&other, &plan);
  ASSERT_NEAR(w.power_w, 700, 1);
}

static const struct energy_plan short_plan = {.preheat_s = 10,
                                              .preheat_least_s = 1,
                                              .window_s = 5,
                                              .window_least_s = 0.5,
                                              .uncertainty = 0.01,
                                              .give_up_s = 2,
                                              .power_s = 0.02};

static void a_window_ends_when_that_is_enough(void) {
  double longest = 0;
  for (int phase = 1; phase <= 100; phase++) {
    struct bench b = gpu(steady, phase);
    struct energy_window w = measure(&b, &short_plan);
    ASSERT_TRUE(fabs(w.power_w - 650) <= w.power_unc_w + 1e-9);
    ASSERT_TRUE(w.power_unc_w <= 0.0101 * 650);
    longest = fmax(longest, w.seconds);
    ASSERT_TRUE(w.seconds >= 0.5 && b.counter.now_ns < 2.5 * S); /* after a second of preheating */
  }
  ASSERT_TRUE(longest < 1.1);
}

/* Slow queries make the measured window longer, but never longer than the plan allows. */
static void a_slow_answer_is_paid_for(void) {
  struct bench slow = gpu(steady, 30), slower = gpu(steady, 30);
  slow.query_ns = 20 * MS;
  slower.query_ns = 90 * MS;
  struct energy_window w = measure(&slow, &short_plan), full = measure(&slower, &short_plan);
  ASSERT_TRUE(w.seconds > 1.9 && w.seconds < 4.5 && w.power_unc_w <= 0.0101 * 650);
  ASSERT_TRUE(full.seconds > 4.7 && full.seconds < 5.4 && full.power_unc_w > 0.01 * 650);
}

/* A window ends when the counter moves. If that move was noticed late, the window goes on until a move is noticed in
 * time. */
static void a_move_seen_badly_is_no_end(void) {
  struct energy_meter m;
  struct energy_window w;
  int64_t at = 0;
  energy_begin(&m, &short_plan, at);
  for (bool late = false; energy_wants(&m, at) != ENERGY_END; at += 3 * (int64_t)MS) {
    const double joules = 65 * floor((double)at / (100 * MS));
    if (m.phase == ENERGY_CLOSING && m.asked && !late) {
      late = true;
      at += 90 * (int64_t)MS;
    }
    if (energy_wants(&m, at) == ENERGY_COUNTER) energy_counter(&m, at, at + (int64_t)MS, joules);
    energy_power(&m, at, at + (int64_t)MS, 650);
  }
  energy_result(&m, &w);
  ASSERT_TRUE(w.power_unc_w <= 0.0101 * 650);
  ASSERT_TRUE(fabs(w.power_w - 650) <= w.power_unc_w + 1e-9);
}

static void load_lasts_until_the_power_is_steady(void) {
  struct bench b = gpu(ramp, 50), blind = gpu(ramp, 50);
  struct energy_window w = measure(&b, &short_plan);
  ASSERT_NEAR(w.power_w, 700, 7);
  ASSERT_TRUE(b.counter.now_ns > 2.2 * S && b.counter.now_ns < 4.5 * S);
  struct energy_plan plan = short_plan;
  plan.power_s = 1e9; /* no power readings, so steadiness is unknown */
  w = measure(&blind, &plan);
  ASSERT_NEAR(w.power_w, 700, 7);
  ASSERT_TRUE(blind.counter.now_ns > 10 * S);
}

static void a_late_counter_changes_nothing(void) {
  struct bench b = gpu(ramp, 50);
  struct energy_plan plan = gpu_plan;
  b.counter.lag_ns = 260 * MS;
  plan.preheat_s = 3;
  ASSERT_NEAR(measure(&b, &plan).power_w, 700, 1);
}

/* The counter samples a quarter of the time, with the same period as the load: the true power is 250 W. */
static void a_counter_that_looks_away_is_caught_by_the_power(void) {
  struct bench b = gpu(square, 100);
  b.counter.seen = 0.25;
  b.query_ns = 0.4 * MS;
  struct energy_plan plan = gpu_plan;
  plan.power_s = 0.0071;
  struct energy_window w = measure(&b, &plan);
  ASSERT_NEAR(w.power_w, 700, 1);
  ASSERT_NEAR(w.integrated_w, 250, 15);
  ASSERT_TRUE(fabs(w.disagreement) > 0.03);
}

static void a_counter_of_32_bits_begins_anew(void) {
  struct bench b = {.counter = {.step_ns = MS, .seen = 1, .resolution = 15.3e-6, .range = 15.3e-6 * 0x1p32},
                    .watts = steady,
                    .query_ns = 0.01 * MS,
                    .pause_ns = 50 * MS}; /* one iteration */
  const struct energy_plan plan = {.preheat_s = 0.1, .window_s = 5, .give_up_s = 2, .age_s = 1e-3, .power_s = 1e9};
  pass(&b, 98 * S); /* the counter wraps after 101.1 s at 650 W */
  double before = energy_model_read(&b.counter);
  struct energy_window w = measure(&b, &plan);
  ASSERT_TRUE(energy_model_read(&b.counter) < before);
  ASSERT_NEAR(w.power_w, 650, 650 * 2e-4);
  ASSERT_TRUE(w.power_unc_w / 650 < 1e-3);
  ASSERT_TRUE(isnan(w.integrated_w) && isnan(w.disagreement) && isnan(w.step_s));
}

static void what_does_not_move_is_not_measured(void) {
  struct bench b = gpu(steady, 1);
  b.counter.step_ns = 1e6 * S;
  b.counter.phase_ns = 0;
  struct energy_window w = measure(&b, &gpu_plan);
  ASSERT_TRUE(w.stuck && isnan(w.joules) && isnan(w.power_w) && isnan(w.disagreement));
  ASSERT_TRUE(b.counter.now_ns < 4 * S); /* it gave up in time */
}

static void no_answer_is_no_answer(void) {
  struct energy_meter meter;
  struct energy_window w;
  energy_begin(&meter, &gpu_plan, 0);
  int64_t at = 0;
  for (; energy_wants(&meter, at) != ENERGY_END; at += 1000000) {
    energy_counter(&meter, at, at + 1000, NAN);
    energy_power(&meter, at, at + 1000, INFINITY);
  }
  energy_result(&meter, &w);
  ASSERT_TRUE(w.stuck && isnan(w.power_w) && isnan(w.integrated_w));
  ASSERT_EQ_INT(w.readings, 0);
}

static void iterations_share_the_power(void) {
  struct bench b = gpu(steady, 10), quiet = gpu(idle, 10);
  struct energy_window w = measure(&b, &gpu_plan), none = measure(&quiet, &gpu_plan);
  struct energy_per_iteration e = energy_per_iteration(&w, none.power_w, 2e6);
  ASSERT_NEAR(e.joules, 1.3, 2e-3);
  ASSERT_NEAR(e.net_joules, 1.14, 2e-3);
  ASSERT_TRUE(e.relative_unc > 0 && e.relative_unc < 2e-3);
  ASSERT_TRUE(isnan(energy_per_iteration(&w, NAN, 2e6).net_joules));
}

UNIT_MAIN("energy", UNIT_TEST(a_naive_window_is_off_by_a_step_and_ours_is_not),
          UNIT_TEST(the_range_of_the_ends_is_told), UNIT_TEST(the_first_seconds_are_not_what_lasts),
          UNIT_TEST(a_late_counter_changes_nothing), UNIT_TEST(a_counter_that_looks_away_is_caught_by_the_power),
          UNIT_TEST(a_counter_of_32_bits_begins_anew), UNIT_TEST(what_does_not_move_is_not_measured),
          UNIT_TEST(no_answer_is_no_answer), UNIT_TEST(iterations_share_the_power),
          UNIT_TEST(a_window_ends_when_that_is_enough), UNIT_TEST(a_slow_answer_is_paid_for),
          UNIT_TEST(a_move_seen_badly_is_no_end), UNIT_TEST(load_lasts_until_the_power_is_steady))
