/* Tests the reuse test of a variant: which times of a slot (series of samples) are noted, what they show, and when more
 * calls are needed. Most tests are about perturbations (unannounced writes to inputs or outputs) on a CPU. */
#include "measure/audit/evidence.h"

#include <math.h>

#include "base/clock.h"
#include "fixture_case.h"
#include "measure/audit/spot_check.h"
#include "measure/audit/surprise.h"

enum { SAMPLES = 4 };

struct stage {
  struct bed bed;
  struct case_request request;
  struct variant variant;
  struct contestant k;
  struct measurement m;
};

static void stage_open(struct stage *s) {
  const int64_t length = 4096;
  *s = (struct stage){.request = {.mode = {TIMING_HOT, LOAD_PLAIN}}};
  bed_open(&s->bed);
  const gb_tensor x = bed_tensor("x", GB_IN, GB_DTYPE_F32, &length);
  ASSERT_EQ_STR(bed_declare(&s->bed, x), "");
  s->k = (struct contestant){.c = s->bed.c, .variant = &s->variant, .replicas = 1, .slot_size = SAMPLES};
  s->m = (struct measurement){.c = s->bed.c,
                              .request = &s->request,
                              .contestants = &s->k,
                              .count = 1,
                              .replicas = 1,
                              .started_ns = 1,
                              .secret = 5};
}

static void stage_close(struct stage *s) {
  contestant_free(&s->k);
  bed_close(&s->bed);
}

/* Adds a slot with the times `ns`, of which the first is dropped. If `loud`, the slot has a perturbation (inputs or
 * outputs are changed), and the sample after it takes `surprised_ns`. */
static void slot(struct stage *s, bool loud, const double *ns, double surprised_ns) {
  double times[SAMPLES + 1];
  const struct slot_state state = SLOT_STATE_UNKNOWN;
  const struct spot_check check = {.kind = AUDIT_POISONED, .from = loud, .to = loud ? 7 : 0, .judged = loud};
  struct slot_task task = {.inputs_stay = true, .ns = times, .surprise = surprise_choose(&s->m, &s->k, &check)};
  memcpy(times, ns, sizeof times);
  if (loud) {
    task.surprised = 1 + (task.surprise.ends ? SAMPLES - 1 : (uint32_t)(task.surprise.sample % SAMPLES));
    times[task.surprised] = surprised_ns;
  }
  contestant_open_slot(&s->k, (uint32_t)s->k.slot_count);
  contestant_keep(&s->k, &state, times + 1, SAMPLES);
  evidence_note(&s->m, &s->k, &check, &task, times + 1, SAMPLES);
}

static const double full[] = {1000e3, 1000e3, 1000e3, 1000e3, 1000e3};
static const double half[] = {1000e3, 500e3, 500e3, 500e3, 500e3};
static const double half_later[] = {1000e3, 1000e3, 1000e3, 500e3, 500e3};

static void slots(struct stage *s, int count, const double *loud, const double *quiet, double surprised_ns) {
  for (int i = 0; i < count; i++) {
    slot(s, false, quiet, 0);
    slot(s, true, loud, surprised_ns);
  }
}

static void the_honest_may_hide_what_noise_does(void) {
  struct stage s;
  stage_open(&s);
  slots(&s, 24, full, full, 1000e3);
  const struct audit_words words = evidence_words(&s.m, &s.k);
  ASSERT_TRUE(!words.remembers && !words.suspect);
  ASSERT_NEAR(evidence_hidden(&s.m, &s.k, &words), 0.2, 1e-9);
  stage_close(&s);
}

/* All calls of a slot with a perturbation take equally long, and the calls of other slots take half as long. So the
 * variant does all its work only in perturbed slots. This must be found. */
static void who_knows_when_it_is_looked_at_is_found(void) {
  struct stage s;
  stage_open(&s);
  slots(&s, 24, full, half, 1000e3);
  const struct audit_words words = evidence_words(&s.m, &s.k);
  ASSERT_TRUE(words.remembers);
  ASSERT_EQ_INT(words.kind, AUDIT_USUAL);
  stage_close(&s);
}

/* The variant does all its work only in the first two kept samples of a slot and in perturbed ones. This must be
 * found. */
static void who_works_in_some_places_only_is_found(void) {
  struct stage s;
  stage_open(&s);
  slots(&s, 40, half_later, half_later, 1000e3);
  ASSERT_TRUE(evidence_words(&s.m, &s.k).remembers);
  stage_close(&s);
}

/* If there are too few slots to accuse the variant, evidence_hidden() returns the share of the work that it may have
 * saved. */
static void what_is_saved_is_stated(void) {
  struct stage s;
  stage_open(&s);
  slots(&s, 12, half, half, 1000e3);
  struct audit_words words = evidence_words(&s.m, &s.k);
  words.suspect = words.remembers = false;
  ASSERT_TRUE(evidence_hidden(&s.m, &s.k, &words) >= 0.5 - 1e-9);
  stage_close(&s);
}

/* The variant takes a hundredth of the time in a third of the slots. The median of its slots does not show that, but
 * their trimmed mean does. evidence_hidden() returns how much may be saved. */
static void what_few_slots_save_is_stated(void) {
  static const double none[] = {10e3, 10e3, 10e3, 10e3, 10e3};
  struct stage s;
  stage_open(&s);
  for (int i = 0; i < 12; i++) {
    slot(&s, true, full, 1000e3);
    slot(&s, false, full, 0);
    slot(&s, false, none, 0);
  }
  struct audit_words words = evidence_words(&s.m, &s.k);
  words.suspect = words.remembers = false;
  ASSERT_TRUE(evidence_hidden(&s.m, &s.k, &words) > 0.6);
  stage_close(&s);
}

/* A perturbation changes only a small piece of the inputs. A variant may compute the results of this piece and keep the
 * others. Here calls on entirely new inputs take 10 times as long as others, so evidence_hidden() returns that most of
 * the work may be saved. */
static void what_is_kept_of_the_rest_is_stated(void) {
  struct stage s;
  stage_open(&s);
  slots(&s, 24, full, full, 1000e3);
  for (int i = 0; i < 3; i++)
    audit_note(&s.k.single, AUDIT_FRESH, 10e6);
  const struct audit_words words = evidence_words(&s.m, &s.k);
  ASSERT_TRUE(!words.remembers);
  ASSERT_NEAR(evidence_hidden(&s.m, &s.k, &words), 0.92, 1e-9);
  s.k.single.count[AUDIT_FRESH] = 0;
  audit_note(&s.k.single, AUDIT_FRESH, 1100e3); /* a single call, measured after a pause */
  ASSERT_NEAR(evidence_hidden(&s.m, &s.k, &words), 0.2, 1e-9);
  stage_close(&s);
}

/* The time of each perturbed sample is noted together with that of the sample before it. So each part of the noted
 * times has as many of one kind as of the other. */
static void perturbed_calls_come_in_pairs(void) {
  struct stage s;
  bool fresh[2 * AUDITS_MAX] = {false};
  stage_open(&s);
  slots(&s, 24, full, full, 1000e3);
  const struct audits *audits = &s.k.surprised;
  const uint32_t pairs = audits->count[AUDIT_FRESH];
  ASSERT_TRUE(pairs > 6 && pairs == audits->count[AUDIT_SEEN] && audits->all < 2 * AUDITS_MAX);
  for (uint32_t i = 0; i < pairs; i++)
    fresh[audits->at[AUDIT_FRESH][i]] = true;
  for (uint32_t i = 0; i < pairs; i++)
    ASSERT_TRUE(fresh[audits->at[AUDIT_SEEN][i] - 1]);
  stage_close(&s);
}

/* The reuse test may wait for calls of a kind that this variant never has. The case must end nevertheless. */
static void what_never_comes_is_given_up(void) {
  struct stage s;
  stage_open(&s);
  s.request.until_ns = 1;
  s.m.over_ns = 1;
  ASSERT_TRUE(surprises_are_timed(&s.m, &s.k) && evidence_wanted(&s.m, &s.k));
  s.m.evidence_rounds = 100;
  ASSERT_TRUE(evidence_wanted(&s.m, &s.k));
  s.m.evidence_rounds = 1 << 20;
  ASSERT_TRUE(!evidence_wanted(&s.m, &s.k));
  stage_close(&s);
}

/* Adds single calls on a device whose work is done by a thread of this machine: calls on new inputs take `fresh_ns`,
 * others 17 us. Returns what the reuse test concludes if waking that thread takes up to `wake_ns`. */
static struct audit_words single_calls(double fresh_ns, double wake_ns) {
  struct stage s;
  stage_open(&s);
  s.bed.device->facts.traits = DEVICE_QUEUES | DEVICE_HOST_MEMORY | DEVICE_HOST_PROCESSORS;
  s.m.wake_ns = wake_ns;
  for (int i = 0; i < AUDITS_ENOUGH; i++) {
    audit_note(&s.k.single, AUDIT_FRESH, fresh_ns + i);
    audit_note(&s.k.single, AUDIT_SEEN, 17e3 + i);
    audit_note(&s.k.single, AUDIT_USUAL, 17e3 + i);
  }
  const struct audit_words words = evidence_words(&s.m, &s.k);
  stage_close(&s);
  return words;
}

/* Calls on new inputs take longer than calls on old ones. If the device's thread may need 60 us to wake up, a small
 * difference is no sign that the variant reuses results. If the thread wakes at once, or if the difference is large, it
 * is one. */
static void who_wakes_late_is_not_accused(void) {
  const struct audit_words late = single_calls(79e3, 60e3);
  ASSERT_TRUE(!late.remembers && !late.suspect);
  ASSERT_TRUE(late.limit > 0.5); /* the share of the work that the variant may save, which its row states */
  ASSERT_TRUE(single_calls(79e3, 0).remembers);
  ASSERT_TRUE(single_calls(500e3, 60e3).remembers);
}

/* In modes of single calls, some slots have a perturbation that changes outputs only. None of their samples counts as
 * one of a slot without changes: it may be the perturbed one. In batched modes the perturbation comes after the samples
 * that are kept, so one of these is noted. */
static void a_slot_with_poisoned_outputs_is_not_usual(void) {
  static const enum timing timings[] = {TIMING_COLD, TIMING_HOT};
  for (size_t way = 0; way < 2; way++) {
    struct stage s;
    uint32_t perturbed = 0, count = 200;
    stage_open(&s);
    s.request.mode.timing = timings[way];
    for (uint32_t i = 0; i < count; i++) {
      double times[SAMPLES + 3] = {0};
      const struct spot_check check = {.kind = AUDIT_POISONED, .judged = true};
      const struct slot_task task = {.inputs_stay = true, .ns = times, .surprise = surprise_choose(&s.m, &s.k, &check)};
      perturbed += task.surprise.last > 0;
      evidence_note(&s.m, &s.k, &check, &task, times + 1, SAMPLES);
    }
    ASSERT_TRUE(perturbed > count / 4);
    ASSERT_EQ_INT(s.k.surprised.count[AUDIT_USUAL], timings[way] == TIMING_COLD ? count - perturbed : count);
    stage_close(&s);
  }
}

/* A slot on a GPU whose samples take `slot_ns`. If `rotated`, inputs are written before some of its samples. */
static void slot_on_gpu(struct stage *s, bool rotated, double slot_ns) {
  double times[SAMPLES];
  const struct slot_state state = SLOT_STATE_UNKNOWN;
  const struct spot_check check = {.kind = AUDIT_POISONED, .rotates = rotated};
  struct slot_task task = {.inputs_stay = !rotated, .ns = times, .rotation = {.share = rotated ? 0.75 : 0}};
  for (int i = 0; i < SAMPLES; i++)
    times[i] = slot_ns;
  contestant_open_slot(&s->k, (uint32_t)s->k.slot_count);
  contestant_keep(&s->k, &state, times, SAMPLES);
  evidence_note(&s->m, &s->k, &check, &task, times, SAMPLES);
}

/* On a GPU three of four slots have inputs written before some samples. A variant that does all its work in these slots
 * and in single calls, and keeps results in the fourth slot, must be found. One that always works must not be. */
static void who_works_where_inputs_are_written_is_found(void) {
  for (int lazy = 0; lazy < 2; lazy++) {
    struct stage s;
    stage_open(&s);
    s.bed.device->facts.traits |= DEVICE_QUEUES;
    s.request.mode.timing = TIMING_COLD;
    for (int i = 0; i < AUDITS_ENOUGH; i++) {
      audit_note(&s.k.single, AUDIT_FRESH, 1000e3 + i);
      audit_note(&s.k.single, AUDIT_SEEN, 1000e3 + i);
      slot_on_gpu(&s, i % 4 != 3, lazy && i % 4 == 3 ? 600e3 : 1000e3);
    }
    const struct audit_words words = evidence_words(&s.m, &s.k);
    ASSERT_EQ_INT(words.remembers, lazy);
    if (lazy) ASSERT_EQ_INT(words.kind, AUDIT_USUAL);
    stage_close(&s);
  }
}

static void few_slots_say_nothing(void) {
  struct stage s;
  stage_open(&s);
  slots(&s, 5, full, half, 1000e3);
  const struct audit_words words = evidence_words(&s.m, &s.k);
  ASSERT_TRUE(isnan(evidence_hidden(&s.m, &s.k, &words)));
  stage_close(&s);
}

/* The reuse test of a suspected variant goes on even if its case has used up its time. */
static void who_is_suspected_is_pursued_when_it_is_late(void) {
  struct stage s;
  stage_open(&s);
  s.request.until_ns = 1;
  s.m.over_ns = clock_now_ns();
  s.k.verified = UINT32_MAX;
  slots(&s, 24, full, full, 1000e3);
  ASSERT_TRUE(!evidence_words(&s.m, &s.k).suspect && !evidence_wanted(&s.m, &s.k));
  stage_close(&s);
  stage_open(&s);
  for (int count = 1; count < 24 && !evidence_words(&s.m, &s.k).suspect; count++)
    slots(&s, 1, full, half, 1000e3);
  s.request.until_ns = 1;
  s.m.over_ns = clock_now_ns();
  ASSERT_TRUE(evidence_words(&s.m, &s.k).suspect);
  ASSERT_TRUE(evidence_wanted(&s.m, &s.k));
  stage_close(&s);
}

/* A call that follows the perturbed call may repair wrong outputs. So in about three of four slots with a perturbation,
 * the perturbed call is the last one. */
static void most_surprises_end_their_slots(void) {
  struct stage s;
  int ends = 0, count = 1000;
  stage_open(&s);
  const struct spot_check check = {.to = 7, .judged = true};
  for (int i = 0; i < count; i++)
    ends += surprise_choose(&s.m, &s.k, &check).ends;
  ASSERT_TRUE(ends > 650 && ends < 850);
  stage_close(&s);
}

/* On a GPU a single call takes at least as long as its launch, while a call in a batch takes only as long as its
 * kernel. This difference is no sign of reuse. */
static void what_a_launch_takes_is_no_memory(void) {
  static const double seen[] = {1086, 1086, 1086, 1086, 1086};
  static const struct {
    enum timing timing;
    double fresh_ns;
    bool remembers;
  } rows[] = {
      {TIMING_GRAPH, 4864, false}, {TIMING_HOT, 4864, false}, {TIMING_COLD, 4864, true}, {TIMING_GRAPH, 20e3, true}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct stage s;
    stage_open(&s);
    s.bed.device->facts.traits |= DEVICE_QUEUES;
    s.request.mode.timing = rows[i].timing;
    slots(&s, 24, seen, seen, NAN);
    for (int j = 0; j < 24; j++)
      audit_note(&s.k.single, AUDIT_FRESH, rows[i].fresh_ns);
    const struct audit_words words = evidence_words(&s.m, &s.k);
    ASSERT_EQ_INT(words.remembers, rows[i].remembers);
    stage_close(&s);
  }
}

/* On a GPU, the CPU's part of a call's time differs between modes. This difference is no sign of reuse. */
static void what_the_host_s_caches_do_is_no_memory(void) {
  static const double seen[] = {6433e3, 6433e3, 6433e3, 6433e3, 6433e3};
  static const struct {
    enum timing timing;
    double fresh_ns;
    bool remembers;
  } rows[] = {{TIMING_COLD, 6700e3, true},
              {TIMING_LATENCY, 7776e3, true},
              {TIMING_WALL, 7776e3, false},
              {TIMING_WALL, 10e6, true}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct stage s;
    stage_open(&s);
    s.bed.device->facts.traits |= DEVICE_QUEUES;
    s.request.mode.timing = rows[i].timing;
    slots(&s, 24, seen, seen, NAN);
    for (int call = 0; call < 33; call++) {
      audit_note(&s.k.single, AUDIT_FRESH, rows[i].fresh_ns + call * 1e3);
      audit_note(&s.k.single, AUDIT_SEEN, seen[0] + call * 1e3);
    }
    ASSERT_EQ_INT(evidence_words(&s.m, &s.k).remembers, rows[i].remembers);
    stage_close(&s);
  }
}

/* In a short case few slots may have had a perturbation (an unannounced change of inputs) before the last round. So
 * each slot of the last round ends with one, and is verified. */
static void the_last_round_ends_with_a_surprise(void) {
  struct stage s;
  stage_open(&s);
  for (uint64_t i = 0; i < 64; i++) {
    const struct spot_check_round round = {.stage = STAGE_LAST, .news = 2 * i + 1};
    const struct spot_check check = spot_check_choose(&s.m, &round, &s.k);
    const struct surprise surprise = surprise_choose(&s.m, &s.k, &check);
    ASSERT_TRUE(check.on && check.judged && check.judged_first);
    ASSERT_TRUE(surprise.inputs != 0 && surprise.ends && !surprise.whole);
    ASSERT_TRUE(surprise.first == 1 && surprise.last == 1);
  }
  stage_close(&s);
}

UNIT_MAIN("evidence", UNIT_TEST(a_slot_with_poisoned_outputs_is_not_usual),
          UNIT_TEST(who_works_where_inputs_are_written_is_found), UNIT_TEST(who_wakes_late_is_not_accused),
          UNIT_TEST(perturbed_calls_come_in_pairs), UNIT_TEST(what_never_comes_is_given_up),
          UNIT_TEST(the_last_round_ends_with_a_surprise), UNIT_TEST(the_honest_may_hide_what_noise_does),
          UNIT_TEST(who_knows_when_it_is_looked_at_is_found), UNIT_TEST(who_works_in_some_places_only_is_found),
          UNIT_TEST(what_is_saved_is_stated), UNIT_TEST(what_is_kept_of_the_rest_is_stated),
          UNIT_TEST(what_few_slots_save_is_stated), UNIT_TEST(few_slots_say_nothing),
          UNIT_TEST(who_is_suspected_is_pursued_when_it_is_late), UNIT_TEST(most_surprises_end_their_slots),
          UNIT_TEST(what_the_host_s_caches_do_is_no_memory), UNIT_TEST(what_a_launch_takes_is_no_memory))
