/* Who remembers its inputs: accused by many pairs that all say so, and by nothing less. */
#include "stats/audit.h"

#include <math.h>

#include "base/rng.h"
#include "unit.h"

/* Uniform in [0, 1). */
static double chance(uint64_t trial, uint64_t draw) {
  return (double)(rng_bits(rng_key(7, trial), draw) >> 11) * 0x1p-53;
}

static void note_pair(struct audits *audits, double fresh_ns, double seen_ns) {
  audit_note(audits, true, fresh_ns);
  audit_note(audits, false, seen_ns);
}

/* As a case goes about it: five pairs, and more while somebody is suspected. */
static bool accused(uint64_t trial, double gain, double noise, double learned_ns) {
  struct audits audits = {0};
  for (uint64_t i = 0;; i++) {
    const struct audit_words words = audit_judge(&audits, learned_ns);
    if (i >= 5 && !words.suspect) return words.remembers;
    note_pair(&audits, 10000 * gain * (1 + noise * chance(trial, 2 * i)),
              10000 * (1 + noise * chance(trial, 2 * i + 1)));
  }
}

static void the_honest_are_not_accused(void) {
  int count = 0;
  for (uint64_t trial = 0; trial < 50000; trial++)
    count += accused(trial, 1, 0.5, 0);
  ASSERT_TRUE(count <= 12); /* 3 expected */
}

static void who_remembers_is_found(void) {
  int count = 0;
  for (uint64_t trial = 0; trial < 1000; trial++)
    count += accused(trial, 1.1, 0.05, 0);
  ASSERT_EQ_INT(count, 1000);
}

/* Every sample may be disturbed by somebody else, one in thirty of them is, whichever of the two it be. */
static void what_others_do_to_samples_acquits_nobody(void) {
  int found = 0, count = 1000;
  for (int trial = 0; trial < count; trial++) {
    struct audits audits = {0};
    for (uint64_t i = 0; i < 5 || audit_judge(&audits, 0).suspect; i++) {
      double noise[2];
      for (uint64_t j = 0; j < 2; j++)
        noise[j] = chance((uint64_t)trial, 4 * i + j) < 1.0 / 30 ? 3 : 0.03 * chance((uint64_t)trial, 4 * i + 2 + j);
      note_pair(&audits, 4200 * (1 + noise[0]), 3700 * (1 + noise[1]));
    }
    found += audit_judge(&audits, 0).remembers;
  }
  ASSERT_TRUE(found >= 980);
}

static void short_work_may_be_learned(void) {
  struct audits audits = {0};
  for (int i = 0; i < 10; i++)
    note_pair(&audits, 79000, 56000);
  ASSERT_TRUE(audit_judge(&audits, 0).remembers && !audit_judge(&audits, 200e3).remembers);
  struct audits longer = {0};
  for (int i = 0; i < 10; i++)
    note_pair(&longer, 7.9e6, 5.6e6);
  ASSERT_TRUE(audit_judge(&longer, 200e3).remembers);
}

static void few_or_half_pairs_say_little(void) {
  struct audits audits = {0};
  ASSERT_TRUE(!audit_judge(&audits, 0).remembers);
  audit_note(&audits, false, 5);
  audit_note(&audits, true, 5);
  ASSERT_EQ_INT(audit_judge(&audits, 0).count, 0);
  audit_note(&audits, false, 1);
  audit_note(&audits, false, 9); /* of no pair */
  const struct audit_words words = audit_judge(&audits, 0);
  ASSERT_TRUE(words.suspect && !words.remembers && words.count == 1);
  ASSERT_NEAR(words.seen_ns, 1, 0);
  for (int i = 0; i < 2 * AUDITS_MAX; i++)
    note_pair(&audits, 1, 1);
  ASSERT_EQ_INT(audit_judge(&audits, 0).count, AUDITS_MAX);
}

UNIT_MAIN("audit", UNIT_TEST(the_honest_are_not_accused), UNIT_TEST(who_remembers_is_found),
          UNIT_TEST(what_others_do_to_samples_acquits_nobody), UNIT_TEST(short_work_may_be_learned),
          UNIT_TEST(few_or_half_pairs_say_little))
