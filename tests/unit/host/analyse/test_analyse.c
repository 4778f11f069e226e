/* Tests how the results of a case become rows of results.csv: rates, speedups, verdicts, and shares of the ceilings
 * (the highest rates measured on the machine). */
#include "analyse/analyse.h"

#include <stdlib.h>

#include "base/memory.h"
#include "fixture_catalog.h"
#include "model/device_trait.h"
#include "model/proof/unproven.h"
#include "unit.h"

enum { ROUNDS = 12, SAMPLES = 4, MOST = 4 };

/* A case of softmax/rows with its results, which a test may change before it calls rows(). */
struct scene {
  struct fixture *fixture;
  struct plan_variant plan_variants[MOST];
  struct plan_case plan_case;
  struct variant_result results[MOST];
  struct case_result result;
  struct device_facts facts;
  struct run_identity identity;
  struct record records[MOST];
};

static struct scene s;

/* Gives the variant samples slightly above `ns`. They scatter in the same pattern for all variants, so that ratios of
 * medians are ratios of `ns`. */
static void give_times(struct variant_result *v, double ns) {
  v->slots = xcalloc(ROUNDS, sizeof *v->slots);
  v->slot_count = ROUNDS;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    double *samples = xcalloc(SAMPLES, sizeof *samples);
    for (uint32_t i = 0; i < SAMPLES; i++)
      samples[i] = ns * (1 + 1e-4 * (round % 3) + 1e-4 * i);
    v->slots[round] = (struct slot){.round = round, .count = SAMPLES, .ns = samples, .state = SLOT_STATE_UNKNOWN};
  }
}

static void add(size_t variant, double ns) {
  size_t place = s.plan_case.variant_count++;
  s.plan_variants[place] = (struct plan_variant){.plugin = SOFTMAX, .variant = variant};
  SET(s.plan_variants[place].name, s.fixture->variants[SOFTMAX][variant].name);
  s.results[place] = (struct variant_result){.status = ROW_OK,
                                             .figures = {.error = 1e-7, .tolerance = 2e-7, .extra_bytes = 100 * place}};
  SET(s.results[place].figures.math, "fp32");
  if (ns > 0) give_times(&s.results[place], ns);
}

static void begin(void) {
  s = (struct scene){.fixture = fixture_new(), .facts = {.spec = "cpu", .name = "a cpu", .tick_ns = 1}};
  s.plan_case = (struct plan_case){.plugin = SOFTMAX, .variants = s.plan_variants};
  SET(s.plan_case.id, "softmax/rows");
  SET(s.plan_case.key, "softmax/rows[n=1024,t=0.5]");
  s.plan_case.point.count = 1;
  s.plan_case.point.values[0] = (struct axis_value){.name = "n", .type = AXIS_I64, .str = "1024"};
  s.result.report = (struct case_report){.stop_reason = STOP_PRECISION,
                                         .flops = 2000000,
                                         .bytes_read = 3000000,
                                         .bytes_written = 1000000,
                                         .tensor_bytes = 5000,
                                         .conditions = {.sm_clock_mhz = 1500}};
  s.identity = (struct run_identity){.run_id = "run",
                                     .host = "here",
                                     .facts = &s.facts,
                                     .catalog = &s.fixture->catalog,
                                     .ceilings = CEILINGS_UNKNOWN,
                                     .seed = 7};
}

static void rows(void) {
  s.result.variants = s.results;
  s.result.count = s.plan_case.variant_count;
  analyse_case(&s.plan_case, &s.result, &s.identity, s.records);
}

static void end(void) {
  for (size_t i = 0; i < s.plan_case.variant_count; i++) {
    record_free(&s.records[i]);
    for (size_t j = 0; j < s.results[i].slot_count; j++)
      free((void *)(uintptr_t)s.results[i].slots[j].ns);
    free(s.results[i].slots);
  }
  free(s.fixture);
}

/* ---- Rows ---- */

static void identity_is_on_every_row(void) {
  begin();
  add(2, 1e5);
  SET(s.plan_case.point.preset, "small");
  rows();
  const struct record *r = &s.records[0];
  ASSERT_EQ_INT(r->schema, RECORD_SCHEMA);
  ASSERT_EQ_STR(r->run_id, "run");
  ASSERT_EQ_STR(r->devices, "cpu"); /* the device has no UUID */
  ASSERT_EQ_STR(r->device_name, "a cpu");
  ASSERT_TRUE(r->driver == NULL);
  ASSERT_EQ_STR(r->plugin, "softmax");
  ASSERT_EQ_STR(r->provider, "softmax");
  ASSERT_EQ_STR(r->contract, "gpubench.org/softmax/rows/1");
  ASSERT_EQ_STR(r->bench, "softmax/rows");
  ASSERT_EQ_STR(r->case_key, "softmax/rows[n=1024,t=0.5]");
  ASSERT_EQ_STR(r->axes, "n=1024");
  ASSERT_EQ_STR(r->preset, "small");
  ASSERT_EQ_STR(r->variant, "flash");
  ASSERT_EQ_STR(r->backend, "cuda");
  ASSERT_EQ_STR(r->mode, "cold");
  ASSERT_EQ_INT(strlen(r->timestamp_utc), 20);
  ASSERT_EQ_INT(r->seed, 7);
  ASSERT_EQ_INT(r->quick, 0);
  ASSERT_TRUE(r->baseline == NULL && isnan(r->speedup));
  end();
}

static void a_guest_is_told_from_the_owner(void) {
  begin();
  add(2, 1e5);
  s.plan_variants[0].plugin = MINE;
  s.plan_variants[0].variant = 1;
  SET(s.fixture->plugins[MINE].sha256, "beef");
  SET(s.facts.uuid, "GPU-1");
  rows();
  ASSERT_EQ_STR(s.records[0].plugin, "softmax");
  ASSERT_EQ_STR(s.records[0].provider, "mine");
  ASSERT_EQ_STR(s.records[0].plugin_sha256, "beef");
  ASSERT_EQ_STR(s.records[0].devices, "GPU-1");
  end();
}

static void good_rows_have_times_and_rates(void) {
  begin();
  add(2, 1e5);
  add(1, 5e4);
  rows();
  const struct record *r = &s.records[1];
  ASSERT_EQ_STR(r->status, "ok");
  ASSERT_EQ_STR(r->math, "fp32");
  ASSERT_EQ_STR(r->stop_reason, "precision");
  ASSERT_EQ_INT(r->samples, ROUNDS * SAMPLES);
  ASSERT_EQ_INT(r->rounds, ROUNDS);
  ASSERT_NEAR(r->median_raw_ns, 5e4, 50);
  ASSERT_TRUE(r->ci95_lo_ns <= r->median_raw_ns && r->ci95_hi_ns >= r->median_raw_ns && r->min_ns >= 5e4);
  ASSERT_EQ_INT(r->flops, 2000000);
  ASSERT_EQ_INT(r->bytes, 4000000);
  ASSERT_EQ_INT(r->items, -1);
  ASSERT_NEAR(r->tflops, 0.04, 4e-5);
  ASSERT_NEAR(r->gb_per_s, 80, 0.08);
  ASSERT_EQ_INT(r->extra_mem_bytes, 100);
  ASSERT_EQ_INT(r->peak_mem_bytes, 5100);
  ASSERT_NEAR(r->verify_error, 1e-7, 0);
  ASSERT_NEAR(r->sm_clock_mhz, 1500, 0);
  ASSERT_TRUE(isnan(r->ceiling_share));
  end();
}

static void other_rows_keep_no_times(void) {
  static const enum row_status statuses[] = {ROW_NOT_RUN, ROW_WRONG, ROW_SKIPPED, ROW_CRASHED, ROW_TIMEOUT, ROW_ERROR};
  for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
    begin();
    add(2, 1e5);
    s.results[0].status = statuses[i];
    SET(s.results[0].message, "why");
    rows();
    const struct record *r = &s.records[0];
    ASSERT_EQ_STR(r->status, row_status_name(statuses[i]));
    ASSERT_EQ_STR(r->message, "why");
    ASSERT_TRUE(isnan(r->median_raw_ns) && isnan(r->tflops) && isnan(r->gb_per_s) && isnan(r->ceiling_share));
    ASSERT_TRUE(r->samples == -1 && r->extra_mem_bytes == -1 && r->stop_reason == NULL);
    ASSERT_NEAR(r->verify_error, 1e-7, 0); /* the row also records the error of wrong outputs */
    end();
  }
}

static void a_good_row_may_have_no_samples(void) {
  begin(); /* as with --verify-only */
  add(2, 0);
  s.result.report.stop_reason = STOP_VERIFY_ONLY;
  rows();
  ASSERT_EQ_STR(s.records[0].status, "ok");
  ASSERT_EQ_STR(s.records[0].stop_reason, "verify_only");
  ASSERT_TRUE(isnan(s.records[0].median_raw_ns) && isnan(s.records[0].tflops) && s.records[0].samples == -1);
  ASSERT_EQ_INT(s.records[0].flops, 2000000);
  end();
}

static void math_falls_back_to_the_description(void) {
  begin();
  add(2, 0);
  s.results[0].status = ROW_SKIPPED;
  s.results[0].figures.math[0] = '\0';
  rows();
  ASSERT_EQ_STR(s.records[0].math, "native");
  end();
}

/* ---- Speedups ---- */

static void speedups_divide_by_the_baseline(void) {
  begin();
  add(1, 5e4);
  add(2, 1e5);
  add(0, 1e5 * (1 + 1e-6));
  s.plan_variants[1].against.common = 1;
  rows();
  ASSERT_NEAR(s.records[0].speedup, 2, 0.001);
  ASSERT_TRUE(s.records[0].speedup_lo > 1.99 && s.records[0].speedup_lo <= s.records[0].speedup);
  ASSERT_TRUE(s.records[0].speedup_hi < 2.01 && s.records[0].speedup_hi >= s.records[0].speedup);
  ASSERT_EQ_STR(s.records[0].verdict, "faster");
  ASSERT_EQ_STR(s.records[0].baseline, "flash");
  ASSERT_NEAR(s.records[1].speedup, 1, 0);
  ASSERT_TRUE(isnan(s.records[1].speedup_lo) && s.records[1].verdict == NULL && s.records[1].message == NULL);
  ASSERT_EQ_STR(s.records[1].baseline, "flash");
  ASSERT_EQ_STR(s.records[2].verdict, "same");
  end();
  begin();
  add(2, 1e5);
  add(1, 2e5);
  s.plan_variants[0].against.common = 1;
  rows();
  ASSERT_NEAR(s.records[1].speedup, 0.5, 0.001);
  ASSERT_EQ_STR(s.records[1].verdict, "slower");
  end();
}

/* The second variant takes 1.5 or 140 times as long as the first. The machine is quiet, or other jobs run, or there are
 * only 5 rounds. Other jobs or few rounds may cause a factor of 1.5. Then there is no verdict, and the row is left out
 * of the correction for many verdicts. A factor of 140 gets a verdict in any case. */
static void no_word_of_what_says_nothing(void) {
  static const char *const words[] = {"slower", "busy machine", "too few rounds"};
  for (int i = 0; i < 6; i++) {
    const int kind = i % 3;
    const bool beyond = i >= 3;
    begin();
    add(1, 1e5);
    add(2, beyond ? 14e6 : 1.5e5);
    s.plan_variants[1].against.common = 1;
    s.plan_variants[0].against.common = 1;
    s.result.report.conditions.others = kind == 1;
    for (size_t v = 0; v < 2 && kind == 2; v++) {
      for (size_t j = 5; j < ROUNDS; j++)
        free((void *)(uintptr_t)s.results[v].slots[j].ns);
      s.results[v].slot_count = 5;
    }
    rows();
    ASSERT_NEAR(s.records[1].speedup, beyond ? 1 / 140.0 : 1 / 1.5, 0.001);
    ASSERT_EQ_STR(s.records[1].verdict, beyond ? "slower" : words[kind]);
    ASSERT_EQ_INT(!isnan(s.records[1].speedup_p), beyond || kind == 0);
    ASSERT_EQ_INT(s.records[0].fastest, beyond || kind == 0);
    ASSERT_EQ_INT(s.records[1].contended, kind == 1);
    end();
  }
}

static void a_yardstick_has_no_speedup(void) {
  begin();
  add(1, 5e4);
  add(2, 1e5);
  s.fixture->variants[SOFTMAX][1].flags = VARIANT_YARDSTICK;
  s.plan_variants[1].against.common = 1;
  rows();
  ASSERT_EQ_INT(s.records[0].yardstick, 1);
  ASSERT_TRUE(isnan(s.records[0].speedup) && s.records[0].verdict == NULL);
  ASSERT_NEAR(s.records[0].median_raw_ns, 5e4, 50);
  ASSERT_EQ_INT(s.records[1].yardstick, -1);
  end();
}

static void no_speedup_across_epochs(void) {
  begin();
  add(2, 1e5);
  add(1, 5e4);
  s.plan_variants[0].against.common = 1;
  for (size_t i = 0; i < s.results[1].slot_count; i++)
    s.results[1].slots[i].epoch = 2;
  snprintf(s.results[1].message, sizeof s.results[1].message, "in company; cause not found");
  rows();
  ASSERT_TRUE(isnan(s.records[1].speedup) && isnan(s.records[1].speedup_lo) && s.records[1].verdict == NULL);
  ASSERT_EQ_STR(s.records[1].message,
                "in company; cause not found; no speedup: the baseline was not measured in the same process");
  ASSERT_EQ_STR(s.records[1].baseline, "flash");
  ASSERT_NEAR(s.records[1].median_raw_ns, 5e4, 50);
  end();
}

static void no_speedup_without_a_good_baseline(void) {
  static const enum row_status statuses[] = {ROW_WRONG, ROW_SKIPPED, ROW_CRASHED, ROW_NOT_RUN};
  for (size_t i = 0; i < 4; i++)
    for (int who = 0; who < 2; who++) { /* which of the two rows has no time: 0 the baseline, 1 the other one */
      begin();
      add(2, 1e5);
      add(1, 5e4);
      s.plan_variants[0].against.common = 1;
      s.results[who].status = statuses[i]; /* the status decides, although the samples are still present */
      rows();
      ASSERT_TRUE(isnan(s.records[1].speedup) && s.records[1].verdict == NULL);
      ASSERT_TRUE(who == 1 || isnan(s.records[0].speedup));
      ASSERT_EQ_STR(s.records[1].baseline, "flash");
      end();
    }
}

/* If two builds are measured, the speedup of a variant is divided by the same variant of the first build (its twin).
 * Variants without a twin are divided by the common baseline. */
static void speedups_of_builds(void) {
  begin();
  for (size_t i = 0; i < 4; i++)
    add(i % 3, (double[]){2e5, 1e5, 1.03e5, 1e5}[i]);
  static const char *const names[] = {"guest", "a@old", "a@new", "b@old"};
  for (size_t i = 0; i < 4; i++)
    SET(s.plan_variants[i].name, names[i]);
  s.plan_variants[3].against = (struct denominator){1, 4};
  s.plan_variants[1].against.twin = s.plan_variants[2].against.twin = 2;
  rows();
  ASSERT_EQ_STR(s.records[0].baseline, "b@old");
  ASSERT_NEAR(s.records[0].speedup, 0.5, 0.001);
  ASSERT_EQ_STR(s.records[1].baseline, "a@old");
  ASSERT_NEAR(s.records[1].speedup, 1, 0);
  ASSERT_EQ_STR(s.records[2].baseline, "a@old");
  ASSERT_NEAR(s.records[2].speedup, 1 / 1.03, 0.001);
  ASSERT_EQ_STR(s.records[2].verdict, "slower");
  ASSERT_EQ_STR(s.records[3].baseline, "b@old");
  ASSERT_NEAR(s.records[3].speedup, 1, 0);
  end();
}

static void the_fastest_of_a_list_divides(void) {
  for (int bad = 0; bad < 2; bad++) {
    begin();
    add(0, 1e5);
    add(1, 5e4);
    add(2, 8e4);
    s.plan_variants[0].against.common = s.plan_variants[1].against.common = 1;
    if (bad) s.results[1].status = ROW_CRASHED;
    rows();
    const char *base = bad ? "naive" : "online";
    for (int i = 0; i < 3; i++)
      ASSERT_EQ_STR(s.records[i].baseline, base);
    ASSERT_NEAR(s.records[2].speedup, bad ? 1.25 : 0.625, 0.001);
    ASSERT_TRUE(bad ? isnan(s.records[1].speedup) : fabs(s.records[0].speedup - 0.5) < 0.001);
    end();
  }
}

/* Two variants are named as baselines. The first third of the rounds chooses the faster one, and only the other rounds
 * give the speedup, so that the choice does not bias it. Here "naive" is faster in the first third, "online" in the
 * others. */
static void a_list_is_chosen_by_other_rounds_than_it_divides(void) {
  begin();
  add(0, 1e5);
  add(1, 1.01e5);
  add(2, 1e5);
  s.plan_variants[0].against.common = s.plan_variants[1].against.common = 1;
  for (size_t round = 0; round < ROUNDS; round++)
    for (size_t i = 0; i < 2; i++) {
      double *samples = (double *)(uintptr_t)s.results[i].slots[round].ns;
      for (size_t k = 0; k < SAMPLES; k++)
        samples[k] *= (round < ROUNDS / 3) == (i == 0) ? 0.8 : 1;
    }
  rows();
  for (int i = 0; i < 3; i++)
    ASSERT_EQ_STR(s.records[i].baseline, "naive");
  ASSERT_NEAR(s.records[2].speedup, 1, 1e-3);
  ASSERT_EQ_STR(s.records[2].verdict, "same");
  ASSERT_NEAR(s.records[1].speedup, 1 / 0.808, 0.01);
  end();
}

/* If two variants are named as baselines, some rounds only choose the faster one. Of 8 rounds this leaves 6 for the
 * ratio, which is enough for a verdict; of 7 it leaves too few; with 3 rounds there is no ratio. */
static void a_list_takes_more_rounds(void) {
  static const struct {
    uint32_t rounds;
    const char *word;
  } tries[] = {{9, "faster"}, {8, "faster"}, {7, "too few rounds"}, {3, NULL}};
  for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
    begin();
    add(0, 1e5);
    add(1, 1.2e5);
    add(2, 5e4);
    s.plan_variants[0].against.common = s.plan_variants[1].against.common = 1;
    for (size_t v = 0; v < 3; v++)
      for (size_t round = ROUNDS; s.results[v].slot_count > tries[i].rounds; round--) {
        free((void *)(uintptr_t)s.results[v].slots[round - 1].ns);
        s.results[v].slot_count--;
      }
    rows();
    ASSERT_EQ_STR(text_or_empty(s.records[2].verdict), text_or_empty(tries[i].word));
    /* a row is marked as fastest only if there is a verdict */
    ASSERT_EQ_INT(s.records[2].fastest, tries[i].rounds >= 8);
    end();
  }
}

static void coarser_math_is_marked(void) {
  static const struct {
    const char *math, *base, *message;
  } marks[] = {{"bf16", "fp32", "bf16 against a baseline in fp32"},
               {"tf32", "3xtf32", "tf32 against a baseline in 3xtf32"},
               {"fp8", "bf16", "fp8 against a baseline in bf16"},
               {"fp32", "bf16", NULL},
               {"fp16", "tf32", NULL},
               {"fp32", "fp32", NULL}};
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    begin();
    add(2, 1e5);
    add(1, 5e4);
    s.plan_variants[0].against.common = 1;
    SET(s.results[0].figures.math, marks[i].base);
    SET(s.results[1].figures.math, marks[i].math);
    rows();
    ASSERT_NEAR(s.records[1].speedup, 2, 0.001);
    ASSERT_EQ_STR(s.records[1].message ? s.records[1].message : "", marks[i].message ? marks[i].message : "");
    ASSERT_TRUE(s.records[0].message == NULL);
    end();
  }
}

/* ---- Unproven rows ---- */

struct doubt {
  const char *math;
  double error;
  uint32_t unproven, compared, outputs;
};

static void doubt(size_t at, const struct doubt *doubt) {
  struct variant_result *v = &s.results[at];
  if (doubt->math != NULL) SET(v->figures.math, doubt->math);
  if (doubt->error > 0) v->figures.error = doubt->error, v->figures.tolerance = 1e-4;
  v->unproven = doubt->unproven;
  v->figures.compared = doubt->compared;
  v->figures.outputs = doubt->outputs;
}

/* Tests each reason why a time is unproven (not confirmed well enough for a verdict): in the row, in its baseline, and
 * in both. */
static void words_are_lost_for_reasons_of_either_row(void) {
  enum { UNTIMED = UNPROVEN_BIT(UNPROVEN_UNTIMED), CLOCK = UNPROVEN_BIT(UNPROVEN_CLOCK) };
  static const struct {
    double speedup;
    struct doubt row, base;
    const char *verdict, *unproven;
  } tries[] = {
      {2, {0}, {0}, "faster", ""},
      {2, {.unproven = UNTIMED}, {0}, "unproven", "untimed"},
      {2, {.unproven = UNTIMED}, {.unproven = UNTIMED}, "faster", "untimed"},
      {2, {.unproven = UNTIMED | CLOCK}, {.unproven = UNTIMED}, "unproven", "untimed;clock"},
      {2, {0}, {.unproven = UNTIMED}, "faster", ""},
      {0.5, {.unproven = UNTIMED}, {0}, "slower", "untimed"},
      {0.5, {0}, {.unproven = UNTIMED}, "unproven", ""},
      {0.5, {.unproven = UNTIMED}, {.unproven = UNTIMED}, "slower", "untimed"},
      {1, {0}, {0}, "same", ""},
      {1, {.unproven = CLOCK}, {0}, "unproven", "clock"},
      {1, {0}, {.unproven = CLOCK}, "unproven", ""},
      {1, {.unproven = CLOCK}, {.unproven = CLOCK}, "same", "clock"},
      {2, {.compared = 12, .outputs = 5000}, {0}, "unproven", "few"},
      {0.5, {.compared = 12, .outputs = 5000}, {0}, "slower", "few"},
      {2, {.compared = 12, .outputs = 5000}, {.compared = 9, .outputs = 5000}, "faster", "few"},
      {2, {.compared = 12, .outputs = 12}, {0}, "faster", ""},
      {2, {.math = "bf16"}, {.math = "fp32"}, "unproven", "precision"},
      {0.5, {.math = "bf16"}, {.math = "fp32"}, "slower", "precision"},
      {0.5, {.math = "fp32"}, {.math = "bf16"}, "unproven", ""},
      {2, {.math = "fp32"}, {.math = "bf16"}, "faster", ""},
      {2, {.math = "bf16"}, {.math = "bf16"}, "faster", ""},
      {2, {.error = 5e-5}, {.error = 1e-7}, "unproven", "error"},
      {2, {.error = 5e-5}, {.error = 1e-6}, "faster", ""},
      {0.5, {.error = 1e-7}, {.error = 5e-5}, "unproven", ""},
  };
  for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
    begin();
    add(2, 1e5);
    add(1, 1e5 / tries[i].speedup);
    s.plan_variants[0].against.common = 1;
    doubt(0, &tries[i].base);
    doubt(1, &tries[i].row);
    rows();
    const char *unproven = text_or_empty(s.records[1].unproven);
    if (strcmp(s.records[1].verdict, tries[i].verdict) != 0 || strcmp(unproven, tries[i].unproven) != 0)
      UNIT_FAIL("%zu: %s, '%s'", i, s.records[1].verdict, unproven);
    ASSERT_NEAR(s.records[1].speedup, tries[i].speedup, 0.01); /* the speedup is kept whatever the verdict is */
    end();
  }
}

/* In hot mode a sample is a batch of calls. If the bench is iterable, each call works on the results of the one before,
 * and the reference has no expected values for these results. The time is then unproven, because too few outputs are
 * compared ("few"). If the bench has a state, its `verify` compares them. */
static void batches_that_nothing_is_held_against_prove_little(void) {
  static const struct {
    uint32_t flags, timing;
    const char *unproven;
  } tries[] = {{BENCH_ITERABLE, TIMING_HOT, "few"},
               {BENCH_ITERABLE, TIMING_COLD, ""},
               {BENCH_ITERABLE | BENCH_STATEFUL, TIMING_HOT, ""},
               {0, TIMING_HOT, ""}};
  for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
    begin();
    s.fixture->plugins[SOFTMAX].benches[0].flags = tries[i].flags;
    s.plan_case.mode.timing = tries[i].timing;
    add(1, 1e5);
    rows();
    ASSERT_EQ_STR(text_or_empty(s.records[0].unproven), tries[i].unproven);
    end();
  }
}

/* If processes are isolated (--isolate), a plugin's process could report any time. The parent's own clock must
 * therefore confirm it: if that clock is missing or too uncertain, the row is unproven and has no verdict. A scripted
 * device, whose times come from a file, needs no such clock. */
static void isolated_rows_need_the_clock_outside(void) {
  static const struct outside holds = {.ns = 51e3, .claimed_ns = 50e3, .slack_ns = 1e3},
                              loose = {.ns = 51e3, .claimed_ns = 50e3, .slack_ns = 99e3};
  for (int i = 0; i < 5; i++) {
    begin();
    add(2, 1e5);
    add(1, 0.5e5);
    s.plan_variants[0].against.common = 1;
    s.identity.isolated = i > 0;
    s.facts.traits = i == 4 ? DEVICE_SCRIPTED : 0;
    s.results[0].outside = holds;
    s.results[1].outside = i == 1 ? holds : i == 2 ? loose : OUTSIDE_NONE;
    rows();
    ASSERT_EQ_STR(text_or_empty(s.records[1].unproven), i == 2 || i == 3 ? "clock" : "");
    ASSERT_EQ_STR(s.records[1].verdict, i == 2 || i == 3 ? "unproven" : "faster");
    end();
  }
}

/* On a busy machine the parent waits for a processor, so its clock shows more than a worker claims: here 1, 9 or 12
 * times as much. 9 times still supports the verdict, 12 times does not. A missing clock only matters if processes are
 * isolated. */
static void a_busy_machine_s_clock_may_carry_no_word(void) {
  static const struct {
    double outside_ns;
    bool isolated;
    const char *verdict;
  } tries[] = {{1e3, false, "faster"},  {9e3, false, "faster"}, {12e3, false, "unproven"}, {NAN, false, "faster"},
               {NAN, true, "unproven"}, {9e3, true, "faster"},  {12e3, true, "unproven"}};
  for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
    const double ns = tries[i].outside_ns;
    begin();
    add(2, 1e5);
    add(1, 1e3);
    s.plan_variants[0].against.common = 1;
    s.result.report.conditions.others = 1;
    s.identity.isolated = tries[i].isolated;
    s.facts.traits = 0;
    s.results[1].outside =
        (struct outside){.ns = ns, .claimed_ns = 1e3, .slack_ns = isnan(ns) ? NAN : 10, .excess = 0.4, .queued = true};
    rows();
    if (strcmp(s.records[1].verdict, tries[i].verdict) != 0) UNIT_FAIL("%zu: %s", i, s.records[1].verdict);
    ASSERT_EQ_STR(text_or_empty(s.records[1].unproven), strcmp(tries[i].verdict, "unproven") == 0 ? "clock" : "");
    ASSERT_EQ_STR(text_or_empty(s.records[0].unproven), "");
    end();
  }
}

/* The parent was stopped during a batch (`unheard`). Its clock then confirms nothing, even if its times agree with the
 * claimed ones. */
static void a_host_that_was_stopped_bounds_nothing(void) {
  for (int stopped = 0; stopped < 2; stopped++) {
    begin();
    add(2, 1e5);
    add(1, 0.5e5);
    s.plan_variants[0].against.common = 1;
    s.results[0].outside = s.results[1].outside = (struct outside){.ns = 51e3, .claimed_ns = 50e3, .slack_ns = 1e3};
    s.result.unheard = stopped != 0;
    rows();
    ASSERT_EQ_STR(text_or_empty(s.records[1].unproven), stopped ? "clock" : "");
    end();
  }
}

/* The faster of two rows is marked as the fastest, unless its own time is unproven. The slower one never is. */
static void nobody_is_called_the_fastest_without_proof(void) {
  for (int doubtful = 0; doubtful < 3;
       doubtful++) { /* which row is unproven: 0 none, 1 the faster one, 2 the other one */
    begin();
    add(2, 1e5);
    add(1, 5e4);
    s.plan_variants[0].against.common = 1;
    if (doubtful > 0) s.results[2 - doubtful].unproven = UNPROVEN_BIT(UNPROVEN_FORESEEN);
    rows();
    ASSERT_EQ_INT(s.records[1].fastest, doubtful != 1);
    ASSERT_EQ_INT(s.records[0].fastest, 0);
    end();
  }
}

/* Two rows are unproven (not confirmed well enough) for the same reason. A comparison of these two may have a verdict.
 * But the faster one is marked as the fastest of the case only if the third row is unproven, too. */
static void the_fastest_is_so_beside_every_other(void) {
  for (int third = 0; third < 2; third++) {
    begin();
    add(3, 1e5);
    add(2, 8e4);
    add(1, 5e4);
    s.plan_variants[0].against.common = 1;
    for (size_t i = 0; i < 3; i++)
      if (i != 1 || third == 0) s.results[i].unproven = UNPROVEN_BIT(UNPROVEN_UNTIMED);
    rows();
    ASSERT_EQ_STR(s.records[2].verdict, "faster");
    ASSERT_EQ_INT(s.records[2].fastest, third == 0);
    end();
  }
}

/* ---- Ceilings ---- */

static double share(const struct ceilings *ceilings, const char *math, double flops, double bytes, double ns) {
  const struct work work = {flops, bytes / 2, bytes / 2};
  const struct least_time least = analyse_least_time(ceilings, math, &work);
  return analyse_ceiling_share(&least, ns);
}

static void shares_of_the_ceiling(void) {
  const struct ceilings all = {
      .read_gb_per_s = 2000, .write_gb_per_s = 500, .copy_gb_per_s = 1000, .fp32_tflops = 10, .bf16_tflops = 100};
  struct ceilings no_copy = CEILINGS_UNKNOWN, no_math = CEILINGS_UNKNOWN;
  no_copy.fp32_tflops = 10;
  no_math.copy_gb_per_s = 1000;
  /* 1e9 flops are 100 us at 10 TFLOP/s; 1e7 bytes are 10 us at 1 TB/s */
  ASSERT_NEAR(share(&all, "fp32", 1e9, 1e7, 200e3), 0.5, 1e-12);
  ASSERT_NEAR(share(&all, "bf16", 1e9, 1e7, 200e3), 0.05, 1e-12);
  ASSERT_NEAR(share(&all, "fp16", 1e9, 1e7, 200e3), 0.05, 1e-12);
  ASSERT_NEAR(share(&all, "bf16", 1e9, 4e7, 200e3), 0.2, 1e-12); /* limited by memory */
  ASSERT_NEAR(share(&all, "fp32", 0, 1e7, 100e3), 0.1, 1e-12);
  /* the missing ceiling is not needed, because there are no operations */
  ASSERT_NEAR(share(&no_math, "fp64", 0, 1e7, 100e3), 0.1, 1e-12);
  ASSERT_NEAR(share(&no_copy, "fp32", 1e9, 0, 200e3), 0.5, 1e-12);
  ASSERT_TRUE(isnan(share(&all, "fp32", 0, 0, 100)));
  /* no share, because the ceiling that was not measured may be the lower one */
  ASSERT_TRUE(isnan(share(&all, "tf32", 1e9, 1e7, 100)));
  ASSERT_TRUE(isnan(share(&no_copy, "fp32", 1e9, 1e7, 100)));
  ASSERT_TRUE(isnan(share(&no_math, "fp32", 1e9, 1e7, 100)));
}

static void bound_is(double math_ns, double memory_ns, double ns, const char *expected) {
  const struct least_time least = {math_ns, memory_ns};
  const char *bound = analyse_bound(&least, ns);
  ASSERT_EQ_STR(bound ? bound : "(none)", expected);
}

static void reads_and_writes_have_ceilings_of_their_own(void) {
  const struct ceilings all = {.read_gb_per_s = 2000, .write_gb_per_s = 1500, .copy_gb_per_s = 1000};
  const struct work reads = {0, 9e6, 1e6}, writes = {0, 1e6, 9e6}, both = {0, 5e6, 5e6};
  ASSERT_NEAR(analyse_least_time(&all, "fp32", &reads).memory_ns, 5000, 1e-9);
  ASSERT_NEAR(analyse_least_time(&all, "fp32", &writes).memory_ns, 1e7 / 1500, 1e-9);
  ASSERT_NEAR(analyse_least_time(&all, "fp32", &both).memory_ns, 10000, 1e-9);
}

static void bounds_have_names(void) {
  bound_is(50, 100, 120, "memory");
  bound_is(100, 50, 120, "compute");
  bound_is(100, 50, 301, "latency");
  bound_is(0, 50, 60, "memory");
  bound_is(NAN, 50, 60, "(none)");
  bound_is(0, 0, 60, "(none)");
}

static void rows_have_their_share(void) {
  begin();
  add(2, 1e5);
  s.identity.ceilings = (struct ceilings){.copy_gb_per_s = 100, .fp32_tflops = 0.1, .bf16_tflops = NAN};
  rows();
  ASSERT_NEAR(s.records[0].ceiling_share, 0.4, 0.001); /* 40 of 100 GB/s, 0.02 of 0.1 TFLOP/s */
  end();
}

/* Ceilings are measured on a single device, so rows of several devices have no share. */
static void rows_of_several_devices_have_none(void) {
  for (int64_t count = 1; count <= 2; count++) {
    begin();
    add(2, 1e5);
    s.identity.ceilings = (struct ceilings){.copy_gb_per_s = 100, .fp32_tflops = 0.1, .bf16_tflops = NAN};
    s.fixture->plugins[SOFTMAX].benches[0].devices_axis = 1;
    s.plan_case.point.values[0].i64 = count;
    rows();
    ASSERT_TRUE(isnan(s.records[0].ceiling_share) == (count > 1));
    ASSERT_TRUE(!isnan(s.records[0].gb_per_s));
    end();
  }
}

/* A row takes 5 us, of which 3 us are launch overhead. Its rates are computed from the remaining 2 us. A rate above the
 * ceiling is not called impossible if the uncertainty of the overhead may explain it. */
static void small_rows_are_judged_by_what_is_left(void) {
  static const struct {
    double unc_ns, gb_per_s;
    bool above;
  } all[] = {{100, 2000, true}, {900, 2000, false}, {1500, NAN, false}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    begin();
    add(0, 5000);
    s.facts.l2_bytes = 50 << 20;
    /* the row reads 3 MB; if it takes less than 2.7 us, it exceeds this ceiling by more than the allowed tenth */
    s.identity.ceilings.copy_gb_per_s = 1000;
    s.result.report.launch_overhead_ns = 3000;
    s.result.report.launch_overhead_unc_ns = all[i].unc_ns;
    rows();
    if (isnan(all[i].gb_per_s))
      ASSERT_TRUE(isnan(s.records[0].gb_per_s) && isnan(s.records[0].ceiling_share) && isnan(s.records[0].median_ns));
    else
      ASSERT_NEAR(s.records[0].gb_per_s, all[i].gb_per_s, 5);
    ASSERT_EQ_INT(s.records[0].above_ceiling > 0, all[i].above);
    end();
  }
}

static void ceilings_of(const char *contract, struct ceilings *ceilings) {
  begin();
  add(2, 1e5);
  add(1, 5e4);
  add(0, 1e4);
  s.results[2].status = ROW_WRONG; /* the fastest, but wrong */
  SET(s.fixture->benches[SOFTMAX].contract, contract);
  rows();
  analyse_ceiling(&s.plan_case, s.records, ceilings);
  end();
}

static void ceilings_take_the_best_variant(void) {
  struct ceilings c = CEILINGS_UNKNOWN;
  ceilings_of(CONTRACT_READ, &c);
  ASSERT_NEAR(c.read_gb_per_s, 80, 0.1);
  ceilings_of(CONTRACT_WRITE, &c);
  ASSERT_NEAR(c.write_gb_per_s, 80, 0.1);
  ASSERT_TRUE(isnan(c.copy_gb_per_s));
  ceilings_of(CONTRACT_COPY, &c);
  ASSERT_NEAR(c.copy_gb_per_s, 80, 0.1);
  ASSERT_TRUE(isnan(c.fp32_tflops) && isnan(c.bf16_tflops));
  ceilings_of(CONTRACT_FMA, &c);
  ASSERT_NEAR(c.fp32_tflops, 0.04, 1e-4);
  ASSERT_TRUE(isnan(c.bf16_tflops));
  c.bf16_tflops = 0.5;
  ceilings_of(CONTRACT_TENSOR, &c);
  ASSERT_NEAR(c.bf16_tflops, 0.5, 0); /* kept, because an earlier case reached a higher rate */
  struct ceilings none = CEILINGS_UNKNOWN;
  ceilings_of("gpubench.org/softmax/rows/1", &none);
  ASSERT_TRUE(isnan(none.copy_gb_per_s) && isnan(none.fp32_tflops) && isnan(none.bf16_tflops));
  s.plan_case.variant_count = 0;
  analyse_ceiling(&s.plan_case, NULL, &none);
  ASSERT_TRUE(isnan(none.copy_gb_per_s));
}

UNIT_MAIN("analyse", UNIT_TEST(identity_is_on_every_row), UNIT_TEST(a_guest_is_told_from_the_owner),
          UNIT_TEST(good_rows_have_times_and_rates), UNIT_TEST(other_rows_keep_no_times),
          UNIT_TEST(a_good_row_may_have_no_samples), UNIT_TEST(math_falls_back_to_the_description),
          UNIT_TEST(speedups_divide_by_the_baseline), UNIT_TEST(no_word_of_what_says_nothing),
          UNIT_TEST(a_yardstick_has_no_speedup), UNIT_TEST(no_speedup_across_epochs),
          UNIT_TEST(no_speedup_without_a_good_baseline), UNIT_TEST(speedups_of_builds),
          UNIT_TEST(the_fastest_of_a_list_divides), UNIT_TEST(a_list_is_chosen_by_other_rounds_than_it_divides),
          UNIT_TEST(a_list_takes_more_rounds), UNIT_TEST(coarser_math_is_marked),
          UNIT_TEST(words_are_lost_for_reasons_of_either_row), UNIT_TEST(isolated_rows_need_the_clock_outside),
          UNIT_TEST(a_busy_machine_s_clock_may_carry_no_word), UNIT_TEST(a_host_that_was_stopped_bounds_nothing),
          UNIT_TEST(batches_that_nothing_is_held_against_prove_little),
          UNIT_TEST(nobody_is_called_the_fastest_without_proof), UNIT_TEST(the_fastest_is_so_beside_every_other),
          UNIT_TEST(shares_of_the_ceiling), UNIT_TEST(reads_and_writes_have_ceilings_of_their_own),
          UNIT_TEST(bounds_have_names), UNIT_TEST(rows_have_their_share), UNIT_TEST(rows_of_several_devices_have_none),
          UNIT_TEST(small_rows_are_judged_by_what_is_left), UNIT_TEST(ceilings_take_the_best_variant))
