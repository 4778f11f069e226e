#include "summary/summary.h"

#include <time.h>

#include "base/memory.h"
#include "sample_run.h"
#include "summary/bench.h"
#include "summary/geomean.h"
#include "summary/sentence.h"
#include "unit.h"

struct fixture {
  struct run_data data;
  struct run_summary summary;
  char text[2048];
};

static void build(struct fixture *f, bool failures) {
  sample_run(&f->data, failures);
  summary_build(&f->data, &f->summary);
}

static void rebuild(struct fixture *f) {
  summary_free(&f->summary);
  summary_build(&f->data, &f->summary);
}

static void finish(struct fixture *f) {
  summary_free(&f->summary);
  run_data_free(&f->data);
}

static enum run_outcome sentence(struct fixture *f) {
  return summary_sentence(&f->data, &f->summary, f->text, sizeof f->text);
}

static void groups_in_order_of_appearance(void) {
  struct fixture f;
  build(&f, false);
  ASSERT_EQ_INT(f.summary.bench_count, 1);
  const struct run_bench *bench = &f.summary.benches[0];
  ASSERT_EQ_INT(bench->case_count, 5);
  ASSERT_EQ_INT(bench->variant_count, 3);
  ASSERT_EQ_STR(bench->variants[0], "standard");
  ASSERT_EQ_STR(bench->cases[0].preset, "gpt2-1k");
  ASSERT_EQ_STR(bench->cases[4].preset, "llama3-8b-32k");
  bench_fixed_axes(bench, f.text, sizeof f.text);
  ASSERT_EQ_STR(f.text, "dtype=bf16 causal=yes");
  ASSERT_EQ_STR(bench_case_label(bench, &bench->cases[1], true).text, "bert-large-512 b=8 h=16 s=512 d=64");
  ASSERT_EQ_INT(bench->rate, RATE_TFLOPS);
  finish(&f);
}

static void the_baseline_comes_first(void) {
  struct fixture f;
  build(&f, false);
  for (size_t i = 0; i < f.data.count; i++)
    record_set(&f.data.records[i].baseline, "mine");
  rebuild(&f);
  ASSERT_EQ_STR(f.summary.benches[0].variants[0], "mine");
  ASSERT_EQ_STR(f.summary.benches[0].variants[1], "standard");
  ASSERT_EQ_STR(f.summary.benches[0].variants[2], "flash");
  ASSERT_EQ_STR(f.summary.benches[0].cases[2].base->variant, "mine");
  finish(&f);
}

static void fastest_only_beyond_the_intervals(void) {
  struct fixture f;
  build(&f, false);
  const struct run_bench *bench = &f.summary.benches[0];
  ASSERT_EQ_STR(bench->cases[0].winner->variant, "mine");
  /* no winner, but a tie: 31.72 and 31.69 us, each known to 0.2% */
  ASSERT_TRUE(bench->cases[1].winner == NULL && bench->cases[1].tie);
  ASSERT_EQ_STR(bench->cases[4].winner->variant, "mine"); /* the baseline was skipped */
  ASSERT_EQ_INT(bench_wins(bench, 2), 4);
  ASSERT_EQ_INT(bench_wins(bench, 1), 0);
  ASSERT_EQ_INT(bench_contests(bench), 5);
  finish(&f);
}

/* Whether a variant is faster than the baseline is decided by the paired verdict, not by the medians. */
static void undecided_has_no_winner(void) {
  struct fixture f;
  build(&f, false);
  for (size_t i = 0; i < f.data.count; i++) {
    record_set(&f.data.records[i].verdict, i % 3 ? "undecided" : NULL);
    if (i % 3 == 2) record_set(&f.data.records[i].status, "skipped");
  }
  rebuild(&f);
  ASSERT_EQ_INT(bench_wins(&f.summary.benches[0], 1), 0);
  ASSERT_TRUE(f.summary.benches[0].cases[0].tie);
  ASSERT_TRUE(!f.summary.benches[0].cases[4].tie); /* no tie, because only this variant ran in the case */
  sentence(&f);
  ASSERT_HAS(f.text, "none is clearly fastest");
  finish(&f);
}

/* A verdict in an older file is dropped if the row would not get one now. It is kept if the lead is too large to be
 * explained by other jobs on the machine or by few rounds. */
static void a_row_that_says_nothing_has_no_word(void) {
  struct fixture f;
  build(&f, false);
  struct record *row = &f.data.records[1]; /* not the fastest of its case */
  ASSERT_TRUE(f.summary.benches[0].cases[0].winner != NULL);
  ASSERT_EQ_STR(row_verdict(row), "faster");
  row->contended = 1;
  rebuild(&f);
  ASSERT_EQ_STR(row_verdict(row), "faster");
  row->speedup_lo99 = 1.9; /* the interval begins below 5, but every round may show a factor above 5 */
  rebuild(&f);
  ASSERT_EQ_STR(row_verdict(row), "faster");
  row->speedup = 4.9;
  rebuild(&f);
  ASSERT_EQ_STR(row_verdict(row), "busy machine");
  ASSERT_TRUE(f.summary.benches[0].cases[0].winner == NULL && f.summary.benches[0].cases[0].tie);
  row->contended = 0;
  row->rounds = 5;
  rebuild(&f);
  ASSERT_EQ_STR(row_verdict(row), "too few rounds");
  ASSERT_TRUE(f.summary.benches[0].cases[0].winner == NULL);
  row->rounds = 6;
  record_set(&row->verdict, "undecided");
  ASSERT_EQ_STR(row_verdict(row), "undecided");
  row->speedup = 1.02, row->speedup_lo = 0.9, row->speedup_hi = 1.15;
  ASSERT_EQ_STR(row_verdict(row), "too noisy");
  ASSERT_EQ_STR(row_verdict(&f.data.records[0]), "");
  finish(&f);
}

static void geometric_means_count_their_cases(void) {
  struct fixture f;
  build(&f, true);
  const struct run_bench *bench = &f.summary.benches[0];
  const struct geomean standard = geomean_over(bench, 1, 0);
  ASSERT_EQ_INT(standard.count, 4);
  ASSERT_NEAR(standard.ratio, pow(831.3 / 143.2 * 182.4 / 31.72 * 5012 / 921.5 * 18330 / 3524, 0.25), 1e-9);
  const struct geomean over_flash = geomean_over(bench, 2, 1);
  ASSERT_EQ_INT(over_flash.count, 3);
  ASSERT_NEAR(over_flash.ratio, cbrt(143.2 / 139.9 * 31.72 / 31.69 * 3524 / 3129), 1e-9);
  ASSERT_TRUE(isnan(over_flash.lo) && isnan(over_flash.hi)); /* medians give no interval */
  ASSERT_EQ_STR(over_flash.word, "");
  f.data.records[1].speedup = 2; /* the paired ratios differ from the medians */
  ASSERT_TRUE(geomean_over(bench, 1, 0).ratio < standard.ratio);
  finish(&f);
}

/* Sets the ratios of flash in the four cases in which its baseline ran. */
static void set_pairs(struct fixture *f, const double *speedups, double half95, double half99, int64_t restarts) {
  for (size_t i = 0; i < 4; i++) {
    struct record *row = &f->data.records[3 * i + 1];
    row->speedup = speedups[i];
    row->speedup_lo = speedups[i] / (1 + half95);
    row->speedup_hi = speedups[i] * (1 + half95);
    row->speedup_lo99 = speedups[i] / (1 + half99);
    row->speedup_hi99 = speedups[i] * (1 + half99);
    row->restarts = restarts;
    record_set(&row->verdict, "undecided");
  }
  rebuild(f);
}

static struct geomean mean_of_pairs(const struct fixture *f) {
  return geomean_base(&f->summary.benches[0], 1);
}

/* The mean's interval is as wide as those of its rows, because averaging does not remove errors that they share. */
static void geometric_means_have_words(void) {
  static const double alike[] = {1.01, 1.01, 1.01, 1.01}, apart[] = {1.02, 1 / 1.02, 1.04, 1 / 1.04},
                      near[] = {1.008, 1 / 1.002, 1 / 1.003, 1 / 1.002};
  struct fixture f;
  char text[64];
  build(&f, false);
  set_pairs(&f, alike, 0.004, 0.008, 3);
  struct geomean mean = mean_of_pairs(&f);
  ASSERT_NEAR(mean.ratio, 1.01, 1e-12);
  ASSERT_NEAR(mean.lo, 1.01 / 1.004, 1e-12);
  ASSERT_NEAR(mean.hi, 1.01 * 1.004, 1e-12);
  ASSERT_EQ_STR(mean.word, "faster");
  ASSERT_EQ_INT(mean.undecided, 4);
  geomean_count_text(&f.summary.benches[0], &mean, text, sizeof text);
  ASSERT_EQ_STR(text, "4 cases, 4 undecided");
  f.data.records[4].restarts = 1; /* one row that was measured in a single process makes the mean undecided */
  ASSERT_EQ_STR(mean_of_pairs(&f).word, "undecided (one process)");
  f.data.records[4].restarts = -1;
  ASSERT_EQ_STR(mean_of_pairs(&f).word, "undecided (one process)");
  f.data.records[4].restarts = 3;
  f.data.records[4].rounds = 5;
  ASSERT_EQ_STR(mean_of_pairs(&f).word, "too few rounds");
  f.data.records[7].contended = 1;
  ASSERT_EQ_STR(mean_of_pairs(&f).word, "busy machine");
  f.data.records[4].rounds = 41;
  f.data.records[7].contended = 0;
  set_pairs(&f, alike, 0.004, 0.012, 3);
  ASSERT_EQ_STR(mean_of_pairs(&f).word, "undecided");
  set_pairs(&f, apart, 0.004, 0.008, 3);
  ASSERT_EQ_STR(mean_of_pairs(&f).word, "same");
  set_pairs(&f, near, 0.3, 0.5, 3);
  ASSERT_EQ_STR(mean_of_pairs(&f).word, "too noisy");
  set_pairs(&f, near, 0.003, 0.005, 1);
  record_set(&f.data.records[4].verdict, "same");
  mean = mean_of_pairs(&f);
  ASSERT_EQ_STR(mean.word, "same");
  ASSERT_EQ_INT(mean.undecided, 3);
  f.data.records[4].speedup_hi = (double)NAN;
  mean = mean_of_pairs(&f);
  ASSERT_TRUE(isnan(mean.lo) && mean.ratio > 0);
  ASSERT_EQ_STR(mean.word, "");
  finish(&f);
}

/* Three equal cases and one that is six times as fast have a mean above 1. It is not called "faster", because it
 * depends on that one case. */
static void geometric_means_say_what_they_hang_on(void) {
  static const double one[] = {1.001, 6.0, 0.999, 1.002}, all[] = {1.2, 6.0, 1.2, 1.2};
  struct fixture f;
  char text[KEY_SIZE];
  build(&f, false);
  set_pairs(&f, one, 0.004, 0.008, 3);
  const struct run_bench *bench = &f.summary.benches[0];
  struct geomean mean = mean_of_pairs(&f);
  ASSERT_EQ_STR(mean.word, "faster");
  ASSERT_TRUE(mean.swayed == &bench->cases[1]);
  ASSERT_NEAR(mean.without, cbrt(1.001 * 0.999 * 1.002), 1e-12);
  geomean_count_text(bench, &mean, text, sizeof text);
  ASSERT_EQ_STR(text, "4 cases, 4 undecided; 1.001x without bert-large-512");
  ASSERT_TRUE(geomean_over(bench, 1, 0).swayed == &bench->cases[1]);
  set_pairs(&f, all, 0.004, 0.008, 3);
  ASSERT_TRUE(mean_of_pairs(&f).swayed == NULL);
  finish(&f);
}

static void sentences_of_good_runs(void) {
  struct fixture f;
  build(&f, false);
  ASSERT_EQ_INT(sentence(&f), RUN_PASSED);
  ASSERT_EQ_STR(f.text,
                "All 14 results correct; mine is fastest in 4 of 5 cases, at 24% to 48% of the measured ceiling. "
                "1 skipped.");
  f.data.count = 3;
  rebuild(&f);
  ASSERT_EQ_INT(sentence(&f), RUN_PASSED);
  ASSERT_EQ_STR(f.text, "All 3 results correct; mine is fastest, at 24% of the measured ceiling.");
  f.data.count = 1;
  rebuild(&f);
  sentence(&f);
  ASSERT_EQ_STR(f.text, "The result is correct.");
  f.data.count = 15;
  finish(&f);
}

static void sentences_of_bad_runs(void) {
  struct fixture f;
  build(&f, true);
  ASSERT_EQ_INT(sentence(&f), RUN_FAILED);
  ASSERT_EQ_STR(f.text,
                "1 of 13 results is wrong; mine is fastest in 2 of 4 cases, at 24% to 46% of the measured ceiling. "
                "1 crashed, 1 skipped.");
  for (size_t i = 0; i < f.data.count; i++)
    record_set(&f.data.records[i].status, "skipped");
  rebuild(&f);
  ASSERT_EQ_INT(sentence(&f), RUN_NOTHING);
  ASSERT_EQ_STR(f.text, "Nothing was measured. 15 skipped.");
  finish(&f);
}

static void assert_when(struct fixture *f, const char *expected) {
  rebuild(f);
  sentence_when(&f->summary, f->text, sizeof f->text);
  ASSERT_EQ_STR(f->text, expected);
}

/* The sentence states only what the rows record. Rows of older runs do not record verification in timed slots, and rows
 * of an interrupted run may have none. */
static void when_it_was_verified(void) {
  struct fixture f;
  build(&f, false);
  assert_when(&f, "before timing and in random timed slots");
  f.data.records[0].verified_slots = 0;
  record_set(&f.data.records[0].stop_reason, "interrupted");
  assert_when(&f, "before timing, 13 of 14 in random timed slots too (1 of 14 interrupted)");
  for (size_t i = 0; i < f.data.count; i++) {
    f.data.records[i].verified_slots = -1;
    record_set(&f.data.records[i].stop_reason, "precision");
  }
  assert_when(&f, "before timing");
  for (size_t i = 0; i < f.data.count; i++)
    record_set(&f.data.records[i].stop_reason, "interrupted");
  assert_when(&f, "before timing (interrupted)");
  for (size_t i = 0; i < f.data.count; i++)
    record_set(&f.data.records[i].status, "wrong");
  assert_when(&f, "");
  finish(&f);
}

static void assert_reached(struct fixture *f, const char *expected) {
  rebuild(f);
  sentence_reached(&f->summary, f->text, sizeof f->text);
  ASSERT_EQ_STR(f->text, expected);
}

/* The report counts the rows that reached the requested precision, that is rows with an interval as narrow as
 * requested. Rows that are limited by the clock's step are counted separately. */
static void what_reached_the_precision(void) {
  struct fixture f;
  build(&f, false);
  assert_reached(&f, "12 of 14 reached 0.5%"); /* two rows stopped at 0.8%, because their time was over */
  struct record *fast = &f.data.records[1], *coarse = &f.data.records[2], *wide = &f.data.records[4];
  fast->median_raw_ns = 1000, fast->ci95_lo_ns = 985, fast->ci95_hi_ns = 1015; /* +-1.5%, which is less than 20 ns */
  /* +-1.6%, which is one step of the clock, 32 ns */
  coarse->median_raw_ns = 2000, coarse->ci95_lo_ns = 1968, coarse->ci95_hi_ns = 2032;
  wide->ci95_lo_ns = 0.99 * wide->median_raw_ns, wide->ci95_hi_ns = 1.01 * wide->median_raw_ns; /* neither */
  assert_reached(&f, "9 of 14 reached 0.5%, 2 stopped at the clock's step");
  f.data.records[0].precision = 0.01;
  assert_reached(&f, "9 of 14 reached the requested precision, 2 stopped at the clock's step");
  record_set(&wide->stop_reason, "budget");
  assert_reached(&f,
                 "9 of 14 reached the requested precision, 2 stopped at the clock's step, 1 stopped early to keep the "
                 "run's time");
  record_set(&wide->stop_reason, "precision");
  for (size_t i = 0; i < f.data.count; i++)
    f.data.records[i].precision = 0.02;
  assert_reached(&f, "14 of 14 reached 2%"); /* including these */
  for (size_t i = 0; i < f.data.count; i++)
    f.data.records[i].precision = 0, record_set(&f.data.records[i].stop_reason, "case_time");
  assert_reached(&f, "none was asked for a precision");
  for (size_t i = 0; i < f.data.count; i++)
    /* an invalid value, as a file may contain it; the run's precision is used instead */
    f.data.records[i].precision = -1;
  assert_reached(&f, "9 of 14 reached 0.5%");
  for (size_t i = 0; i < f.data.count; i++)
    f.data.records[i].precision = (double)NAN;
  pairs_free(&f.data.environment);
  assert_reached(&f, "");
  finish(&f);
}

static void rows_not_run_make_it_incomplete(void) {
  struct fixture f;
  build(&f, false);
  record_set(&f.data.records[14].status, "not_run");
  rebuild(&f);
  ASSERT_EQ_INT(sentence(&f), RUN_INCOMPLETE);
  ASSERT_HAS(f.text, "13 results correct");
  ASSERT_HAS(f.text, "1 not run, 1 skipped.");
  record_set(&f.data.records[14].status, "a word of a newer schema");
  rebuild(&f);
  ASSERT_EQ_INT(sentence(&f), RUN_FAILED); /* an unknown status is not ok */
  finish(&f);
}

static void required_skips_fail(void) {
  struct fixture f;
  build(&f, false);
  pairs_add_text(&f.data.environment, "require", "fl*");
  ASSERT_EQ_INT(sentence(&f), RUN_PASSED); /* passed, although standard was skipped in a case */
  pairs_add_text(&f.data.environment, "require", "stand*");
  ASSERT_EQ_INT(sentence(&f), RUN_FAILED);
  finish(&f);
}

static void counts(void) {
  struct fixture f;
  build(&f, true);
  ASSERT_EQ_INT(f.summary.rows, 15);
  ASSERT_EQ_INT(f.summary.statuses[ROW_OK], 12);
  ASSERT_EQ_INT(f.summary.statuses[ROW_WRONG], 1);
  ASSERT_EQ_INT(f.summary.checked, 13);
  ASSERT_EQ_INT(f.summary.verified, 12);
  ASSERT_EQ_INT(f.summary.reached, 11);
  ASSERT_NEAR(f.summary.worst->verify_error, 1.9e-3, 1e-12); /* the largest error of the correct rows */
  f.data.records[0].verify_tolerance = 1.2e-3; /* this error is smaller, but uses nearly all of its tolerance */
  rebuild(&f);
  ASSERT_TRUE(f.summary.worst == &f.data.records[0]);
  finish(&f);
}

static void later_rows_replace_earlier_ones(void) {
  struct fixture f;
  build(&f, true);
  record_free(&f.data.records[14]);
  sample_row(&f.data.records[14], 2, 2, false); /* as if the run was resumed, and the wrong row is right now */
  rebuild(&f);
  ASSERT_EQ_INT(f.summary.rows, 14);
  ASSERT_EQ_INT(f.summary.statuses[ROW_WRONG], 0);
  finish(&f);
}

static void yardsticks_stay_apart(void) {
  struct fixture f;
  build(&f, false);
  for (size_t i = 0; i < 3; i++) {
    record_set(&f.data.records[i].bench, "calibrate/copy");
    record_set(&f.data.records[i].contract, "gpubench.org/calibrate/copy/1");
  }
  rebuild(&f);
  ASSERT_EQ_INT(f.summary.bench_count, 2);
  ASSERT_TRUE(!f.summary.benches[0].yardstick && f.summary.benches[1].yardstick);
  ASSERT_EQ_INT(f.summary.rows, 12);
  record_set(&f.data.records[0].status, "wrong");
  ASSERT_TRUE(!summary_failed(&f.data, &f.summary, &f.data.records[0]));
  f.data.count = 3;
  rebuild(&f); /* if all rows are from the calibrate plugin, the user selected them, so they are no yardsticks */
  ASSERT_TRUE(!f.summary.benches[0].yardstick);
  ASSERT_EQ_INT(f.summary.rows, 3);
  f.data.count = 15;
  finish(&f);
}

/* A yardstick is timed, but neither ranked nor counted as a result. */
static void a_yardstick_is_ranked_nowhere(void) {
  struct fixture f;
  build(&f, false);
  for (size_t i = 1; i < f.data.count; i += 3) { /* flash */
    struct record *row = &f.data.records[i];
    row->yardstick = 1;
    row->verify_error = row->verify_tolerance = (double)NAN;
    row->speedup = (double)NAN;
    if (row->median_raw_ns > 0) row->median_raw_ns = row->ci95_lo_ns = row->ci95_hi_ns = 1;
  }
  rebuild(&f);
  const struct run_bench *bench = &f.summary.benches[0];
  ASSERT_EQ_STR(bench->variants[1], "mine");
  ASSERT_EQ_STR(bench->variants[2], "flash"); /* the last column, although it was first in the data */
  ASSERT_EQ_STR(bench->cases[0].rows[2]->variant, "flash");
  ASSERT_EQ_STR(bench->cases[0].winner->variant, "mine");
  ASSERT_EQ_INT(bench_wins(bench, 2), 0);
  ASSERT_TRUE(isnan(geomean_over(bench, 2, 0).ratio) && isnan(geomean_over(bench, 1, 2).ratio));
  ASSERT_EQ_INT(f.summary.rows, 10);
  ASSERT_EQ_INT(sentence(&f), RUN_PASSED);
  ASSERT_HAS(f.text, "results correct; mine is fastest");
  ASSERT_TRUE(strstr(f.text, "flash") == NULL);
  record_set(&f.data.records[1].status, "crashed");
  rebuild(&f);
  ASSERT_EQ_INT(f.summary.statuses[ROW_CRASHED], 1);
  ASSERT_EQ_INT(sentence(&f), RUN_FAILED);
  finish(&f);
}

static void survives_empty_rows(void) {
  struct fixture f;
  f.data = (struct run_data){.records = xcalloc(2, sizeof *f.data.records), .count = 2};
  record_init(&f.data.records[0]);
  record_init(&f.data.records[1]);
  summary_build(&f.data, &f.summary);
  ASSERT_EQ_INT(f.summary.rows, 1); /* the two rows count as one, because neither has a case or a variant */
  ASSERT_EQ_INT(sentence(&f), RUN_FAILED);
  finish(&f);
  f.data = (struct run_data){0};
  summary_build(&f.data, &f.summary);
  ASSERT_EQ_INT(sentence(&f), RUN_NOTHING);
  ASSERT_EQ_STR(f.text, "Nothing was measured.");
  finish(&f);
}

/* If --baseline lists several variants, cases may have different baselines. */
static void baselines_may_vary(void) {
  struct fixture f;
  build(&f, false);
  for (size_t v = 0; v < 3; v++) {
    record_set(&f.data.records[v].baseline, "flash");
    f.data.records[v].speedup = (double[]){0.2, 1, 1.1}[v];
  }
  rebuild(&f);
  const struct run_bench *bench = &f.summary.benches[0];
  ASSERT_TRUE(bench->baseline_varies);
  ASSERT_EQ_STR(bench->cases[0].base->variant, "flash");
  ASSERT_EQ_STR(bench->cases[1].base->variant, "standard");
  ASSERT_EQ_INT(bench->bases, BASES_SEVERAL);
  baseline_text(bench, f.text, sizeof f.text);
  ASSERT_EQ_STR(f.text, "flash, standard (each row says which)");
  ASSERT_EQ_STR(baseline_beside(bench, bench->cases[0].rows[0]), "flash");
  /* the mean of standard, over the one case in which it is not the baseline */
  const struct geomean mean = geomean_base(bench, 1);
  ASSERT_EQ_INT(mean.count, 1);
  ASSERT_NEAR(mean.ratio, 0.2, 1e-12);
  ASSERT_TRUE(isnan(mean.lo) && mean.word[0] == '\0'); /* not needed */
  /* `mine` has no single baseline: flash in one case, standard in three */
  ASSERT_EQ_INT(geomean_base(bench, 2).count, 0);
  ASSERT_EQ_INT(geomean_named(bench, 2, "flash").count, 1);
  ASSERT_NEAR(geomean_named(bench, 2, "flash").ratio, 1.1, 1e-12);
  ASSERT_EQ_INT(geomean_named(bench, 2, "standard").count, 3); /* in the fourth case `standard` was skipped */
  f.summary.benches[0].fastest_named = true;
  ASSERT_EQ_INT(geomean_base(bench, 2).count, 4);
  finish(&f);
}

/* The variants of each case become mine, flash@old and flash@new, where the last two are builds of flash. Since mine is
 * no build, all have the same baseline. Later mine becomes slow@old, a build of another variant, with a different
 * baseline. */
static void builds_have_baselines_of_their_own(void) {
  static const char *const names[] = {"mine", "flash@old", "flash@new"}, *const bases[] = {"flash@old", "flash@old",
                                                                                           "flash@old"};
  struct fixture f;
  char text[TEXT_SIZE];
  build(&f, false);
  for (size_t i = 0; i < f.data.count; i++) {
    record_set(&f.data.records[i].variant, names[i % 3]);
    record_set(&f.data.records[i].baseline, bases[i % 3]);
    record_set(&f.data.records[i].verdict, i % 3 == 2 ? (i < 6 ? "slower" : "same") : i % 3 == 0 ? "faster" : NULL);
  }
  rebuild(&f);
  const struct run_bench *bench = &f.summary.benches[0];
  ASSERT_EQ_INT(bench->bases, BASES_ONE); /* because mine is no build */
  for (size_t i = 0; i < f.data.count; i++) {
    if (i % 3 == 0) record_set(&f.data.records[i].variant, "slow@old");
    if (i % 3 == 0) record_set(&f.data.records[i].baseline, "slow@old");
  }
  rebuild(&f);
  bench = &f.summary.benches[0];
  ASSERT_EQ_INT(bench->bases, BASES_TWINS);
  baseline_text(bench, text, sizeof text);
  ASSERT_EQ_STR(text, "the same variant @old");
  ASSERT_EQ_STR(baseline_label(bench), "@old");
  const struct run_case *point = &bench->cases[0];
  ASSERT_TRUE(point->base == NULL);
  for (size_t v = 0; v < 3; v++) {
    const struct record *row = point->rows[v], *base = baseline_of(point, row);
    ASSERT_EQ_STR(base->variant, row->baseline);
    ASSERT_TRUE(baseline_is(point, row) == (base == row));
    ASSERT_TRUE(baseline_beside(bench, row) == NULL);
  }
  size_t old = 0;
  while (strcmp(bench->variants[old], "flash@old") != 0)
    old++;
  ASSERT_EQ_INT(baseline_column(bench, old), old);
  const struct verdict_counts verdicts = verdict_counts(bench);
  verdict_counts_text(&verdicts, text, sizeof text);
  ASSERT_HAS(text, " same");
  sentence(&f);
  ASSERT_HAS(f.text, " same, 2 undecided against @old."); /* a difference of 1% that was measured in one process */
  record_set(&f.data.records[0].variant, "guest");        /* an additional variant without a build */
  record_set(&f.data.records[0].baseline, "flash@old");
  rebuild(&f);
  bench = &f.summary.benches[0];
  baseline_text(bench, text, sizeof text);
  ASSERT_EQ_STR(text, "the same variant @old, else flash@old");
  ASSERT_EQ_STR(baseline_beside(bench, &f.data.records[0]), "flash@old");
  /* a guest (a variant of another plugin) whose name is taken gets the name VARIANT@PLUGIN, but is no build */
  record_set(&f.data.records[0].variant, "flash@second");
  record_set(&f.data.records[0].provider, "second");
  ASSERT_TRUE(!row_is_twin(&f.data.records[0]));
  finish(&f);
}

static struct run_data as_run(bool first_half) {
  struct run_data data;
  sample_run(&data, false);
  for (size_t i = 0; i < data.count; i++)
    if (first_half != (i < 6)) record_free(&data.records[i]);
  if (!first_half) memmove(data.records, data.records + 6, 9 * sizeof *data.records);
  data.count = first_half ? 6 : 9;
  data.runs = xcalloc(1, sizeof *data.runs);
  data.run_count = 1;
  data.runs[0] = (struct run_info){.count = data.count};
  return data;
}

/* Shards (parts of one plan that several jobs measured) become one table. Runs that repeat the same rows stay apart. */
static void runs_make_one_where_they_can(void) {
  struct fixture f;
  struct run_data second = as_run(false), third = as_run(true);
  f.data = as_run(true);
  run_data_merge(&f.data, &second);
  summary_build(&f.data, &f.summary);
  ASSERT_EQ_INT(f.summary.bench_count, 1);
  ASSERT_EQ_INT(f.summary.benches[0].case_count, 5);
  ASSERT_TRUE(!f.summary.benches[0].repeated);
  run_data_merge(&f.data, &third);
  rebuild(&f);
  ASSERT_EQ_INT(f.summary.bench_count, 3);
  ASSERT_TRUE(f.summary.benches[2].repeated);
  ASSERT_EQ_INT(f.summary.benches[2].run, 2);
  ASSERT_EQ_INT(f.summary.benches[2].case_count, 2);
  ASSERT_EQ_INT(f.summary.rows, 21);
  finish(&f);
}

/* The time grows linearly with the number of rows. */
static void many_cases_are_no_trouble(void) {
#ifdef __OPTIMIZE__
  enum { MANY = 60000 };
#else
  enum { MANY = 3000 };
#endif
  struct fixture f = {.data = {.records = xcalloc(MANY, sizeof *f.data.records), .count = MANY}};
  char key[32];
  for (size_t i = 0; i < MANY; i++) {
    record_init(&f.data.records[i]);
    snprintf(key, sizeof key, "b/b[n=%zu]", i);
    record_set(&f.data.records[i].bench, "b/b");
    record_set(&f.data.records[i].case_key, key);
    record_set(&f.data.records[i].variant, "v");
  }
  clock_t began = clock();
  summary_build(&f.data, &f.summary);
  ASSERT_EQ_INT(f.summary.benches[0].case_count, MANY);
#ifdef __OPTIMIZE__
  /* an algorithm that compares all pairs of rows would take longer */
  ASSERT_TRUE((double)(clock() - began) / CLOCKS_PER_SEC < 10);
#else
  (void)began;
#endif
  finish(&f);
}

/* bench_walk() visits the rows case by case, and skips variants that have no row in a case. */
static void a_walk_meets_every_row_once(void) {
  struct fixture f;
  build(&f, true);
  size_t rows = 0, met = 0;
  for (size_t i = 0; i < f.summary.bench_count; i++) {
    const struct run_bench *bench = &f.summary.benches[i];
    for (size_t j = 0; j < bench->case_count * bench->variant_count; j++)
      rows += bench->cases[j / bench->variant_count].rows[j % bench->variant_count] != NULL;
    const struct run_case *last = bench->cases;
    for (struct bench_walk at = {.bench = bench}; bench_walk(&at); met++) {
      ASSERT_TRUE(at.row == at.point->rows[at.variant] && at.point >= last);
      last = at.point;
    }
  }
  ASSERT_EQ_INT(met, rows);
  struct run_bench none = {.variant_count = 0};
  struct bench_walk at = {.bench = &none};
  ASSERT_TRUE(!bench_walk(&at));
  finish(&f);
}

UNIT_MAIN("summary", UNIT_TEST(a_walk_meets_every_row_once), UNIT_TEST(groups_in_order_of_appearance),
          UNIT_TEST(the_baseline_comes_first), UNIT_TEST(fastest_only_beyond_the_intervals),
          UNIT_TEST(undecided_has_no_winner), UNIT_TEST(a_row_that_says_nothing_has_no_word),
          UNIT_TEST(geometric_means_count_their_cases), UNIT_TEST(geometric_means_have_words),
          UNIT_TEST(geometric_means_say_what_they_hang_on), UNIT_TEST(sentences_of_good_runs),
          UNIT_TEST(sentences_of_bad_runs), UNIT_TEST(when_it_was_verified), UNIT_TEST(what_reached_the_precision),
          UNIT_TEST(rows_not_run_make_it_incomplete), UNIT_TEST(required_skips_fail), UNIT_TEST(counts),
          UNIT_TEST(later_rows_replace_earlier_ones), UNIT_TEST(yardsticks_stay_apart),
          UNIT_TEST(a_yardstick_is_ranked_nowhere), UNIT_TEST(survives_empty_rows), UNIT_TEST(baselines_may_vary),
          UNIT_TEST(builds_have_baselines_of_their_own), UNIT_TEST(runs_make_one_where_they_can),
          UNIT_TEST(many_cases_are_no_trouble))
