/* Tests the reuse test, which finds variants that return kept results instead of computing them. It compares the times
 * of calls on new inputs (AUDIT_FRESH), of calls on inputs that were seen before (AUDIT_SEEN), of calls whose outputs
 * were overwritten (AUDIT_POISONED) and of timed calls (AUDIT_USUAL). A variant is accused (`remembers`) only if many
 * calls give consistent evidence; until then it is a suspect, and more calls are made. */
#include "stats/audit.h"

#include <math.h>

#include "base/rng.h"
#include "unit.h"

static const struct audit_margins plain = {.least = 1.03, .learned = 1.5, .over_usual = 1};

/* Returns a uniform random number in [0, 1). */
static double chance(uint64_t trial, uint64_t draw) {
  return (double)(rng_bits(rng_key(7, trial), draw) >> 11) * 0x1p-53;
}

static double normal(uint64_t trial, uint64_t draw) {
  return sqrt(-2 * log(1 - chance(trial, 2 * draw))) * cos(2 * M_PI * chance(trial, 2 * draw + 1));
}

/* Adds the times of calls as gpubench does for a case: five of each kind, and more while the variant is a suspect.
 * Calls on new inputs take `gain` times as long as the other calls. */
static struct audit_words judged(uint64_t trial, double gain, double noise, const struct audit_margins *margins) {
  struct audits audits = {0};
  for (uint64_t i = 0;; i++) {
    const struct audit_words words = audit_judge(&audits, margins);
    if (i >= 5 && !words.suspect) return words;
    audit_note(&audits, AUDIT_FRESH, 10000 * gain * exp(noise * normal(trial, 3 * i)));
    audit_note(&audits, AUDIT_SEEN, 10000 * exp(noise * normal(trial, 3 * i + 1)));
    audit_note(&audits, AUDIT_POISONED, 10000 * exp(noise * normal(trial, 3 * i + 2)));
  }
}

static void the_honest_are_not_accused(void) {
  int count = 0;
  for (uint64_t trial = 0; trial < 50000; trial++)
    count += judged(trial, 1, 0.2, &plain).remembers;
  ASSERT_TRUE(count <= 6);
}

/* Other processes disturb the variant for a while. All of five calls in a row, which are of one kind, may then be slow.
 * The variant must not be accused of reuse. */
static void who_is_disturbed_for_a_while_is_not_accused(void) {
  static const struct audit_margins margins = {.least = 1.25, .learned = 1.5, .over_usual = INFINITY};
  const double memory = 0.9, noise = 0.5;
  int count = 0;
  for (uint64_t trial = 0; trial < 5000; trial++) {
    struct audits audits = {0};
    double state = normal(trial, 0);
    for (uint64_t i = 0; i < 10 || audit_judge(&audits, &margins).suspect; i++)
      for (uint64_t j = 0; j < 5; j++) {
        state = memory * state + sqrt(1 - memory * memory) * normal(trial, 1 + 5 * i + j);
        audit_note(&audits, i % 2 == 0 ? AUDIT_FRESH : AUDIT_SEEN, 10000 * exp(noise * state));
      }
    count += audit_judge(&audits, &margins).remembers;
  }
  ASSERT_TRUE(count <= 6);
}

/* Other processes run during most calls on new inputs (except the last twelve), and have ended before most other
 * calls. The variant must not be accused of reuse. */
static void who_was_disturbed_at_other_times_is_not_accused(void) {
  static const struct audit_margins margins = {.least = 1.25, .learned = 1.5, .over_usual = INFINITY};
  int count = 0;
  for (uint64_t trial = 0; trial < 5000; trial++) {
    struct audits audits = {0};
    for (uint64_t i = 0; i < 48; i++) {
      const bool fresh = i < 24 ? i % 6 != 0 : i % 6 == 0;
      audit_note(&audits, fresh ? AUDIT_FRESH : AUDIT_SEEN, (i < 24 ? 15000 : 10000) * exp(0.2 * normal(trial, i)));
    }
    count += audit_judge(&audits, &margins).remembers;
  }
  ASSERT_TRUE(count <= 6);
}

/* A case ends after only six calls of each kind, too few for an accusation. Here calls on inputs that were seen before
 * are 26 times as fast, so nearly all of the work may be saved by reuse, and audit_hidden() must say so. */
static void the_suspected_may_hide_what_they_seem_to(void) {
  struct audits audits = {0};
  for (uint64_t i = 0; i < 6; i++) {
    audit_note(&audits, AUDIT_FRESH, 2100000 + (double)i);
    audit_note(&audits, AUDIT_SEEN, 81000 + (double)i);
  }
  const struct audit_words words = audit_judge(&audits, &plain);
  ASSERT_TRUE(words.suspect && !words.remembers);
  ASSERT_TRUE(words.limit < 0.05);
  ASSERT_NEAR(audit_hidden(&words), 1 - 81.0 / 2100, 1e-4);
}

static void who_remembers_is_found(void) {
  int count = 0;
  for (uint64_t trial = 0; trial < 1000; trial++)
    count += judged(trial, 1.1, 0.02, &plain).remembers;
  ASSERT_EQ_INT(count, 1000);
}

/* A variant that reuses results in a random half of its calls on inputs that were seen before is found in at least 90%
 * of the trials. */
static void who_works_now_and_then_is_found(void) {
  int found = 0, count = 500;
  for (int trial = 0; trial < count; trial++) {
    struct audits audits = {0};
    for (uint64_t i = 0; i < 8 || audit_judge(&audits, &plain).suspect; i++) {
      const bool lazy = chance((uint64_t)trial, 1000 + i) < 0.5;
      audit_note(&audits, AUDIT_FRESH, 10000 * exp(0.02 * normal((uint64_t)trial, 2 * i)));
      audit_note(&audits, AUDIT_SEEN, (lazy ? 1000 : 10000) * exp(0.02 * normal((uint64_t)trial, 2 * i + 1)));
    }
    found += audit_judge(&audits, &plain).remembers;
  }
  ASSERT_TRUE(found >= 450);
}

/* `limit` is the share of the time that reuse could save unnoticed. Reuse that saves a little more than that must be
 * found in 95 of 100 cases. */
static void the_limit_holds(void) {
  int found = 0, count = 1000;
  double limit = 0;
  for (int trial = 0; trial < count; trial++) {
    struct audits audits = {0};
    const double noise = 0.03, gain = exp(2.2 * noise);
    for (uint64_t i = 0; i < AUDITS_ENOUGH; i++) {
      audit_note(&audits, AUDIT_FRESH, 10000 * gain * exp(noise * normal((uint64_t)trial, 2 * i)));
      audit_note(&audits, AUDIT_SEEN, 10000 * exp(noise * normal((uint64_t)trial, 2 * i + 1)));
    }
    const struct audit_words words = audit_judge(&audits, &plain);
    found += words.remembers;
    limit += words.limit / count;
  }
  ASSERT_TRUE(found >= 950);
  ASSERT_NEAR(limit, 1 - exp(-2.2 * 0.03), 0.01);
}

static struct audits alike(uint32_t count, double fresh_ns, double poisoned_ns, double seen_ns) {
  struct audits audits = {0};
  for (uint32_t i = 0; i < count; i++) {
    audit_note(&audits, AUDIT_FRESH, fresh_ns);
    audit_note(&audits, AUDIT_POISONED, poisoned_ns);
    audit_note(&audits, AUDIT_SEEN, seen_ns);
  }
  return audits;
}

/* One call in thirty, of any kind, is disturbed by other processes. Reuse that saves an eighth of the time must be
 * found nevertheless. */
static void what_others_do_to_samples_acquits_nobody(void) {
  int found = 0, count = 1000;
  for (int trial = 0; trial < count; trial++) {
    struct audits audits = {0};
    for (uint64_t i = 0; i < 5 || audit_judge(&audits, &plain).suspect; i++) {
      double noise[2];
      for (uint64_t j = 0; j < 2; j++)
        noise[j] = chance((uint64_t)trial, 4 * i + j) < 1.0 / 30 ? 3 : 0.03 * chance((uint64_t)trial, 4 * i + 2 + j);
      audit_note(&audits, AUDIT_FRESH, 4200 * (1 + noise[0]));
      audit_note(&audits, AUDIT_SEEN, 3700 * (1 + noise[1]));
    }
    found += audit_judge(&audits, &plain).remembers;
  }
  ASSERT_TRUE(found >= 960);
}

static void short_work_may_be_learned(void) {
  const struct audit_margins learned = {.least = 1.03, .learned_ns = 200e3, .learned = 1.5, .over_usual = 1};
  const struct audits short_work = alike(24, 79000, 56000, 56000), long_work = alike(24, 7.9e6, 5.6e6, 5.6e6);
  ASSERT_TRUE(audit_judge(&short_work, &plain).remembers && !audit_judge(&short_work, &learned).remembers);
  ASSERT_TRUE(audit_judge(&long_work, &learned).remembers);
  ASSERT_NEAR(audit_judge(&short_work, &learned).limit, 1 - 1 / 1.5, 1e-9);
  ASSERT_NEAR(audit_judge(&long_work, &learned).limit, 1 - 5.6 / 5.8, 1e-3);
}

/* A difference of a few microseconds between calls on new inputs and other calls may come from a busy machine. It
 * accuses no variant, but `limit` must include it, because reuse may hide in it. */
static void a_small_difference_is_not_clear(void) {
  const struct audit_margins clear = {
      .least = 1.25, .learned_ns = 5000, .learned = 4, .clear_ns = 10000, .over_usual = 1};
  const struct audits tiny = alike(24, 5575, 751, 751), more = alike(24, 15575, 751, 751);
  ASSERT_TRUE(!audit_judge(&tiny, &clear).remembers && !audit_judge(&tiny, &clear).suspect);
  ASSERT_NEAR(audit_judge(&tiny, &clear).limit, 1 - 751.0 / 10751, 1e-3);
  ASSERT_TRUE(audit_judge(&more, &clear).remembers);
}

static void each_kind_accuses(void) {
  const struct audit_margins margins = {.least = 1.03, .learned = 1.5, .over_usual = 1.25};
  const struct audits inputs = alike(24, 1200, 1000, 1000), outputs = alike(24, 1000, 1200, 1000);
  const struct audits both = alike(24, 1200, 1100, 1000), none = alike(24, 1200, 1200, 1200);
  struct audits usual = alike(24, 1300, 1300, 1300);
  ASSERT_EQ_INT(audit_judge(&inputs, &margins).kind, AUDIT_FRESH);
  ASSERT_EQ_INT(audit_judge(&outputs, &margins).kind, AUDIT_POISONED);
  ASSERT_EQ_INT(audit_judge(&both, &margins).kind, AUDIT_FRESH);
  ASSERT_TRUE(!audit_judge(&none, &margins).remembers);
  ASSERT_TRUE(!audit_judge(&usual, &margins).remembers);
  for (int i = 0; i < 3; i++)
    audit_note(&usual, AUDIT_USUAL, 1000);
  const struct audit_words words = audit_judge(&usual, &margins);
  ASSERT_TRUE(words.remembers && words.kind == AUDIT_USUAL);
  ASSERT_NEAR(words.seen_ns, 1000, 0);
  ASSERT_NEAR(words.work_ns, 1300, 0);
}

/* Measured times of a kernel that reads host memory. Single calls come after a pause, in which the bus slows down, and
 * take 15 to 20 ns instead of the 12.3 of timed calls. With the allowance `woken_ns` for the pause, the variant must
 * not be accused. */
static void what_a_pause_costs_accuses_nobody(void) {
  static const double single[] = {15, 16, 17, 17.9, 18.5, 19, 20};
  const struct audit_margins margins = {.least = 1.03, .learned = 1.5, .over_usual = 1.25};
  struct audit_margins woken = margins;
  struct audits audits = {0};
  for (int i = 0; i < 24; i++) {
    audit_note(&audits, AUDIT_FRESH, single[(i + 4) % 7]);
    audit_note(&audits, AUDIT_SEEN, single[(i + 2) % 7]);
  }
  for (int i = 0; i < 8; i++)
    audit_note(&audits, AUDIT_USUAL, 12.3);
  woken.woken_ns = 10;
  ASSERT_TRUE(audit_judge(&audits, &margins).remembers);
  ASSERT_TRUE(!audit_judge(&audits, &woken).remembers);
}

/* A variant takes 600 instead of 1300 ns in two of five slots (series of timed calls), so the median of the slots is
 * still 1300. But its result, `claimed_ns`, is 1000, so it must be found. With a result of 1400 it must not. */
static void who_is_fast_in_some_slots_is_found(void) {
  const struct audit_margins claimed = {.least = 1.03, .learned = 1.5, .over_usual = 1.25, .claimed_ns = 1000};
  const struct audit_margins slower = {.least = 1.03, .learned = 1.5, .over_usual = 1.25, .claimed_ns = 1400};
  struct audits audits = alike(24, 1300, 1300, 1300);
  for (int i = 0; i < 20; i++)
    audit_note(&audits, AUDIT_USUAL, i % 5 < 2 ? 600 : 1300);
  ASSERT_TRUE(!audit_judge(&audits, &slower).remembers);
  const struct audit_words words = audit_judge(&audits, &claimed);
  ASSERT_TRUE(words.remembers && words.kind == AUDIT_USUAL);
  ASSERT_NEAR(words.seen_ns, 1000, 0);
  struct audits few = alike(4, 1300, 1300, 1300);
  for (int i = 0; i < 20; i++)
    audit_note(&few, AUDIT_USUAL, 1300);
  ASSERT_TRUE(audit_judge(&few, &claimed).suspect);
  /* no slot was noted, so the result alone is compared */
  const struct audits none = alike(24, 1300, 1300, 1300);
  ASSERT_TRUE(audit_judge(&none, &claimed).remembers && !audit_judge(&none, &slower).remembers);
  ASSERT_NEAR(audit_judge(&none, &claimed).seen_ns, 1000, 0);
}

/* A variant does half of the work in all timed calls, but all of it in the calls around which the test writes inputs or
 * outputs. It must be found, although all calls of the latter kinds take equally long. */
static void who_knows_which_slots_are_looked_at_is_found(void) {
  const struct audit_margins margins = {.least = 1.25, .learned = 1.5, .alike = true};
  struct audits audits = {0};
  for (uint32_t i = 0; i < 24; i++) {
    ASSERT_TRUE(!audit_judge(&audits, &margins).remembers || i > 12);
    audit_note(&audits, AUDIT_FRESH, 1000);
    audit_note(&audits, AUDIT_SEEN, 1000);
    audit_note(&audits, AUDIT_USUAL, 500);
  }
  const struct audit_words words = audit_judge(&audits, &margins);
  ASSERT_TRUE(words.remembers);
  ASSERT_EQ_INT(words.kind, AUDIT_USUAL);
  ASSERT_NEAR(words.work_ns, 1000, 0);
  ASSERT_NEAR(words.seen_ns, 500, 0);
}

/* A variant does half of the work in a random half of its timed calls. It must be found. That takes many calls, and the
 * variant stays a suspect until then. */
static void who_works_in_some_places_is_found(void) {
  const struct audit_margins margins = {.least = 1.25, .learned = 1.5, .alike = true};
  int found = 0, count = 500;
  for (int trial = 0; trial < count; trial++) {
    struct audits audits = {0};
    for (uint64_t i = 0; i < 12 || audit_judge(&audits, &margins).suspect; i++) {
      const double times = chance((uint64_t)trial, 5000 + i) < 0.5 ? 0.5 : 1;
      audit_note(&audits, AUDIT_FRESH, 10000 * exp(0.02 * normal((uint64_t)trial, 3 * i)));
      audit_note(&audits, AUDIT_SEEN, 10000 * exp(0.02 * normal((uint64_t)trial, 3 * i + 1)));
      audit_note(&audits, AUDIT_USUAL, times * 10000 * exp(0.02 * normal((uint64_t)trial, 3 * i + 2)));
    }
    found += audit_judge(&audits, &margins).remembers;
  }
  ASSERT_TRUE(found >= 475);
}

static void the_honest_are_not_accused_by_usual_calls(void) {
  const struct audit_margins margins = {.least = 1.25, .learned = 1.5, .alike = true};
  int count = 0;
  for (uint64_t trial = 0; trial < 50000; trial++) {
    struct audits audits = {0};
    for (uint64_t i = 0; i < 12 || audit_judge(&audits, &margins).suspect; i++) {
      audit_note(&audits, AUDIT_FRESH, 10000 * exp(0.3 * normal(trial, 3 * i)));
      audit_note(&audits, AUDIT_SEEN, 10000 * exp(0.3 * normal(trial, 3 * i + 1)));
      audit_note(&audits, AUDIT_USUAL, 10000 * exp(0.3 * normal(trial, 3 * i + 2)));
    }
    count += audit_judge(&audits, &margins).remembers;
  }
  ASSERT_TRUE(count <= 6);
}

/* audit_saved() returns which share of the work reuse may save. Here calls on new inputs take 1000 ns, the result of
 * the variant is 500 ns, and the test may fail to notice a saving of a fifth (0.2). */
static void what_a_row_has_less_may_be_saved(void) {
  struct audits audits = {0};
  ASSERT_NEAR(audit_saved(&audits, 500, 0.2), 1, 0);
  audits = alike(12, 1000, 1000, 1000);
  ASSERT_NEAR(audit_saved(&audits, 500, 0), 0.5, 1e-12);
  ASSERT_NEAR(audit_saved(&audits, 500, 0.2), 0.6, 1e-12);
  ASSERT_NEAR(audit_saved(&audits, 1000, 0.2), 0.2, 1e-12);
  ASSERT_NEAR(audit_saved(&audits, 1100, 0.2), 0.2, 1e-12);
}

static void few_calls_say_little(void) {
  struct audits audits = {0};
  ASSERT_TRUE(!audit_judge(&audits, &plain).suspect);
  ASSERT_TRUE(isnan(audit_judge(&audits, &plain).limit));
  audits = alike(2, 9, 9, 1);
  ASSERT_TRUE(!audit_judge(&audits, &plain).suspect);
  audits = alike(4, 9, 9, 1);
  ASSERT_TRUE(audit_judge(&audits, &plain).suspect && !audit_judge(&audits, &plain).remembers);
}

/* The true median of the times lies within 3.9 times the stated uncertainty in 995 of 1000 trials, also with few times
 * and with noise that has outliers. */
static void a_median_is_known_as_well_as_is_said(void) {
  static const uint32_t counts[] = {8, 12, 24, 60};
  for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++)
    for (int tail = 0; tail < 2; tail++) {
      int beyond = 0;
      for (uint64_t trial = 0; trial < 4000; trial++) {
        struct audits audits = {0};
        for (uint64_t i = 0; i < counts[n]; i++) {
          const uint64_t key = rng_key(7 + trial, 31 * n + (uint64_t)tail);
          const double noise = rng_share(key, 3 * i) + rng_share(key, 3 * i + 1) - 1;
          const bool far = tail == 1 && rng_share(key, 3 * i + 2) < 0.1;
          audit_note(&audits, AUDIT_FRESH, 100 + (far ? 10 * noise : noise));
        }
        const double off = fabs(audit_median(&audits, AUDIT_FRESH) - 100);
        beyond += off > 3.9 * audit_median_uncertainty(&audits, AUDIT_FRESH);
      }
      ASSERT_TRUE(beyond <= 20);
    }
}

/* A variant that reuses results only after many honest calls is found, because only the times of the last AUDITS_MAX
 * calls of each kind are kept. */
static void the_last_calls_count(void) {
  struct audits audits = alike(3 * AUDITS_MAX, 1000, 1000, 1000);
  for (int i = 0; i < 2 * AUDITS_MAX; i++)
    audit_note(&audits, i / 5 % 2 == 0 ? AUDIT_FRESH : AUDIT_SEEN, i / 5 % 2 == 0 ? 1000 : 500);
  ASSERT_TRUE(audit_judge(&audits, &plain).remembers);
}

/* ---- Windows ---- */

enum { WINDOW = 12 };

/* Returns true if WINDOW consecutive calls among these are of one kind. */
static bool has_window_of_one_kind(const enum audit_kind *kinds, uint32_t count) {
  for (uint32_t i = 0, run = 0; i < count; i++) {
    run = i > 0 && kinds[i] == kinds[i - 1] ? run + 1 : 1;
    if (run == WINDOW) return true;
  }
  return false;
}

/* audit_next() chooses the kind of each single call: a few of one kind, then a few of the other. Whichever calls come
 * first, and whenever it is told that few calls remain (`ends`), WINDOW consecutive calls are never all of one kind. */
static void single_calls_take_turns(void) {
  enum { CALLS = 400 };
  uint32_t longest = 0;
  for (uint64_t trial = 0; trial < 300; trial++) {
    enum audit_kind kinds[CALLS], now = AUDIT_FRESH;
    struct audits audits = {0};
    uint32_t run = 0;
    for (uint32_t i = 0; i < CALLS; i++) {
      const bool ends = chance(trial, i) < (double)(trial % 3) / 8;
      if (trial % 2 != 0 && i < 7) /* as on a GPU, where the calls that every result needs come first */
        kinds[i] = i < 3 ? AUDIT_FRESH : AUDIT_SEEN;
      else
        kinds[i] = now = audit_next(&audits, now, ends);
      audit_note(&audits, kinds[i], 1);
      run = i > 0 && kinds[i] == kinds[i - 1] ? run + 1 : 1;
      if (run > longest) longest = run;
    }
    ASSERT_TRUE(!has_window_of_one_kind(kinds, CALLS));
  }
  ASSERT_EQ_INT(longest, 2 * AUDIT_AHEAD);
}

/* If WINDOW consecutive calls are all of one kind, their times tell nothing about reuse. Later calls of both kinds
 * still show the difference. */
static void a_window_of_one_kind_says_nothing(void) {
  static const struct audit_margins alike = {.least = 1.1, .learned = 4, .alike = true};
  struct audits audits = {0};
  for (int i = 0; i < 2 * WINDOW; i++)
    audit_note(&audits, i < WINDOW ? AUDIT_SEEN : AUDIT_FRESH, i < WINDOW ? 10000 : 90000);
  struct audit_words words = audit_judge(&audits, &alike);
  ASSERT_TRUE(!words.remembers && !words.suspect);
  for (int i = 0; i < 2 * WINDOW; i++)
    audit_note(&audits, i % 2 == 0 ? AUDIT_SEEN : AUDIT_FRESH, i % 2 == 0 ? 10000 : 90000);
  words = audit_judge(&audits, &alike);
  ASSERT_TRUE(words.remembers || words.suspect);
}

UNIT_MAIN("audit", UNIT_TEST(single_calls_take_turns), UNIT_TEST(a_window_of_one_kind_says_nothing),
          UNIT_TEST(what_a_pause_costs_accuses_nobody), UNIT_TEST(the_honest_are_not_accused),
          UNIT_TEST(who_remembers_is_found), UNIT_TEST(the_limit_holds), UNIT_TEST(who_works_now_and_then_is_found),
          UNIT_TEST(what_others_do_to_samples_acquits_nobody), UNIT_TEST(short_work_may_be_learned),
          UNIT_TEST(a_small_difference_is_not_clear), UNIT_TEST(each_kind_accuses), UNIT_TEST(few_calls_say_little),
          UNIT_TEST(a_median_is_known_as_well_as_is_said), UNIT_TEST(the_last_calls_count),
          UNIT_TEST(who_is_disturbed_for_a_while_is_not_accused),
          UNIT_TEST(who_was_disturbed_at_other_times_is_not_accused),
          UNIT_TEST(the_suspected_may_hide_what_they_seem_to), UNIT_TEST(who_knows_which_slots_are_looked_at_is_found),
          UNIT_TEST(who_works_in_some_places_is_found), UNIT_TEST(who_is_fast_in_some_slots_is_found),
          UNIT_TEST(the_honest_are_not_accused_by_usual_calls), UNIT_TEST(what_a_row_has_less_may_be_saved))
