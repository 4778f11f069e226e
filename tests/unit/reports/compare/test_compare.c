/* Tests comparisons of runs: how rows are joined, which get a verdict, and their order. */
#include "compare/compare.h"

#include "base/memory.h"
#include "base/rng.h"
#include "capture.h"
#include "compare/words.h"
#include "fixture_compare.h"
#include "stats/restarts.h"

static struct two_runs pair;

static const struct compare_cell *cell_of(const char *preset, const char *variant) {
  static const struct compare_cell none;
  const struct compare_row *row = pair_row(&pair, preset, variant);
  if (row == NULL) UNIT_FAIL("no row %s %s", preset, variant);
  return row != NULL ? row->cells : &none;
}

static const char *sentence(void) {
  return against_fact(pair.compare.runs[0].against, "sentence");
}

static void assert_sentence(const char *expected) {
  ASSERT_EQ_STR(sentence(), expected);
}

/* ---- Joining ------------------------------------------------------------------------------------------------- */

static void swap(struct run_data *data, size_t a, size_t b) {
  struct record record = data->records[a];
  data->records[a] = data->records[b];
  data->records[b] = record;
}

static void joins_by_name_not_by_place(void) {
  pair_open(&pair);
  for (size_t i = 0; i < 7; i++)
    swap(&pair.other, i, 14 - i);
  pair_compare(&pair);
  ASSERT_EQ_INT(pair.compare.row_count, 15);
  for (size_t i = 0; i < 15; i++) {
    const struct compare_row *row = &pair.compare.rows[i];
    ASSERT_EQ_STR(row->base->case_key, row->cells[0].row->case_key);
    ASSERT_EQ_STR(row->base->variant, row->cells[0].row->variant);
  }
  ASSERT_EQ_INT(pair.compare.runs[0].words[VERDICT_SAME], 14);
  ASSERT_EQ_INT(pair.compare.runs[0].outcomes[AGAINST_UNTIMED], 1); /* skipped in both */
  assert_sentence("None of 14 slower by more than 2%; 14 same.");
  pair_close(&pair);
}

static void counts_what_is_on_one_side_only(void) {
  pair_open(&pair);
  record_set(&pair.other.records[0].variant, "another");
  record_set(&pair.other.records[4].mode, "hot");
  record_set(&pair.base.records[7].case_key, "attention/forward[b=9]");
  pair_compare(&pair);
  const struct compare_run *run = &pair.compare.runs[0];
  ASSERT_EQ_INT(pair.compare.row_count, 12);
  ASSERT_EQ_INT(run->only_base_count, 3);
  ASSERT_EQ_INT(run->only_new_count, 3);
  ASSERT_TRUE(run->only_new[0] == &pair.other.records[0]);
  ASSERT_TRUE(run->only_new[1] == &pair.other.records[4]);
  ASSERT_TRUE(run->only_base[2] == &pair.base.records[7]);
  pair_close(&pair);
}

static void of_a_row_that_is_there_twice_the_later_counts(void) {
  pair_open(&pair);
  record_set(&pair.other.records[2].variant, "flash"); /* now the first case has two rows of flash */
  pair_scale(&pair.other.records[2], pair.base.records[1].median_raw_ns / pair.base.records[2].median_raw_ns * 2);
  pair_compare(&pair);
  ASSERT_TRUE(cell_of("gpt2-1k", "flash")->row == &pair.other.records[2]);
  ASSERT_EQ_INT(pair.compare.runs[0].only_base_count, 1); /* "mine" */
  ASSERT_EQ_INT(pair.compare.runs[0].only_new_count, 0);
  pair_close(&pair);
}

static void devices_are_told_apart_where_there_are_several(void) {
  pair_open(&pair);
  record_set(&pair.other.records[1].devices, "GPU-0"); /* another device of the same kind */
  for (size_t i = 0; i < pair.other.count; i++)
    record_set(&pair.other.records[i].devices, "GPU-0");
  pair_compare(&pair);
  ASSERT_EQ_INT(pair.compare.row_count, 15);
  ASSERT_TRUE(!pair.compare.many_devices);
  record_set(&pair.other.records[0].devices, "GPU-1");
  record_set(&pair.base.records[0].devices, "GPU-0");
  pair_compare(&pair);
  ASSERT_TRUE(pair.compare.many_devices);
  ASSERT_EQ_INT(pair.compare.row_count, 0);
  record_set(&pair.base.records[3].devices, "GPU-0");
  pair_compare(&pair);
  ASSERT_EQ_INT(pair.compare.row_count, 1);
  pair_close(&pair);
}

static void nothing_in_common_is_said(void) {
  pair_open(&pair);
  for (size_t i = 0; i < pair.other.count; i++)
    record_set(&pair.other.records[i].mode, "graph");
  pair_compare(&pair);
  ASSERT_EQ_INT(pair.compare.runs[0].common, 0);
  assert_sentence("Nothing in common with the base.");
  pair_close(&pair);
}

/* ---- Judging ------------------------------------------------------------------------------------------------- */

/* The uncertainty of a ratio of two runs with one restart each combines 0.2% from each median's interval and an assumed
 * 0.3% between restarts for each run. */
static void a_known_difference_is_found(void) {
  pair_open(&pair);
  pair_scale(&pair.other.records[1], 1.05);
  pair_scale(&pair.other.records[5], 1 / 1.05);
  pair_compare(&pair);
  const struct compare_cell *slower = cell_of("gpt2-1k", "flash"), *faster = cell_of("bert-large-512", "mine");
  ASSERT_EQ_INT(slower->word, VERDICT_SLOWER);
  ASSERT_TRUE(slower->beyond && slower->ratio.from_rows);
  ASSERT_NEAR(slower->ratio.speedup, 1 / 1.05, 1e-12);
  double within = hypot(0.002, 0.002) / 1.959964, error = hypot(within, hypot(0.003, 0.003));
  double df = STATS_RESTART_DF * pow(error / hypot(0.003, 0.003), 4);
  ASSERT_NEAR(log(slower->ratio.speedup / slower->ratio.lo95), stats_student(0.95, df) * error, 1e-5);
  ASSERT_NEAR(log(slower->ratio.hi99 / slower->ratio.speedup), stats_student(0.99, df) * error, 1e-5);
  ASSERT_EQ_INT(faster->word, VERDICT_FASTER);
  ASSERT_TRUE(faster->beyond);
  ASSERT_EQ_INT(pair.compare.runs[0].slower, 1);
  ASSERT_EQ_INT(pair.compare.runs[0].faster, 1);
  ASSERT_EQ_INT(compare_verdict(&pair.compare), AGAINST_SLOWER);
  assert_sentence(
      "1 of 14 slower by more than 2%: flash at gpt2-1k by 5.0% [3.8, 6.2]; 1 faster by more than 2%: mine at "
      "bert-large-512 1.050x [1.038, 1.062]; 12 same.");
  pair_close(&pair);
}

/* Moves all rows except `row` to another mode. The more rows a mode has, the more evidence each verdict needs, so that
 * few of all verdicts are wrong. The verdict on `row` then needs no more evidence than that on a single row. */
static void leave_alone(size_t row) {
  for (size_t i = 0; i < pair.other.count; i++)
    if (i != row) {
      record_set(&pair.base.records[i].mode, "hot");
      record_set(&pair.other.records[i].mode, "hot");
    }
}

static void a_small_difference_is_no_regression(void) {
  pair_open(&pair);
  leave_alone(1);
  pair_scale(&pair.other.records[1], 1.02);
  pair_compare(&pair);
  const struct compare_cell *cell = cell_of("gpt2-1k", "flash");
  ASSERT_EQ_INT(cell->word, VERDICT_SLOWER);
  ASSERT_TRUE(!cell->beyond);
  ASSERT_TRUE(compare_verdict(&pair.compare) < AGAINST_SLOWER);
  assert_sentence("None of 14 slower by more than 2%; 1 slower, not surely by 2%; 13 same.");
  pair.options.threshold = 0.005;
  pair_scale(&pair.other.records[1], 1.03);
  pair_compare(&pair);
  ASSERT_TRUE(cell_of("gpt2-1k", "flash")->beyond);
  /* with 1.2% of noise a change above 0.5% cannot be excluded */
  ASSERT_EQ_INT(pair.compare.runs[0].words[VERDICT_SAME], 0);
  ASSERT_EQ_INT(pair.compare.runs[0].gaps[GAP_NOISY], 13);
  ASSERT_EQ_INT(pair.compare.runs[0].words[VERDICT_UNDECIDED], 0);
  pair_close(&pair);
}

/* A difference of 2.2% with an error of 0.45% has p = 0.007. That is enough for a verdict on a single row, but not on
 * one of 14 rows that share an error rate of 1%. */
static void many_rows_are_judged_together(void) {
  pair_open(&pair);
  pair.options.threshold = 0.0001;
  pair_scale(&pair.other.records[1], 1.022);
  pair_compare(&pair);
  ASSERT_TRUE(cell_of("gpt2-1k", "flash")->ratio.p < 0.01);
  ASSERT_TRUE(!cell_of("gpt2-1k", "flash")->beyond);
  for (size_t i = 0; i < pair.other.count; i++)
    if (i != 1) record_set(&pair.other.records[i].mode, "hot");
  pair_compare(&pair);
  ASSERT_TRUE(cell_of("gpt2-1k", "flash")->beyond);
  pair_close(&pair);
}

/* The same row is first one of 14, and then the only one in its mode. Among 14 rows the correction for many verdicts
 * makes it undecided. It still counts as judged, and the verdict on the whole run is the same. */
static void words_are_lost_among_many(void) {
  enum against_verdict verdicts[2];
  for (int alone = 0; alone < 2; alone++) {
    pair_open(&pair);
    if (alone) leave_alone(1);
    pair_scale(&pair.other.records[1], 1.02);
    pair_compare(&pair);
    const struct compare_cell *cell = cell_of("gpt2-1k", "flash");
    ASSERT_EQ_INT(cell->word, alone ? VERDICT_SLOWER : VERDICT_UNDECIDED);
    ASSERT_TRUE(cell->ratio.hi99 < 1 && cell->gap == GAP_NONE);
    ASSERT_EQ_INT(pair.compare.lost, !alone);
    ASSERT_EQ_INT(pair.compare.compared, 14);
    ASSERT_EQ_INT(pair.compare.runs[0].judged_rows, 14);
    verdicts[alone] = compare_verdict(&pair.compare);
    if (!alone) assert_sentence("None of 14 slower by more than 2%; 13 same; 1 undecided.");
    pair_close(&pair);
  }
  ASSERT_EQ_INT(verdicts[0], verdicts[1]);
}

/* Many rows are compared, which makes each verdict need more evidence. A regression must remain a regression
 * nevertheless, and an uncertain slowdown must remain unjudged. */
static void a_gate_loses_nothing_among_many(void) {
  pair_open(&pair);
  pair_scale(&pair.other.records[1], 1.1);
  pair_scale(&pair.other.records[4], 1.03);
  pair_compare(&pair);
  ASSERT_TRUE(cell_of("gpt2-1k", "flash")->beyond && cell_of("gpt2-1k", "flash")->word == VERDICT_SLOWER);
  ASSERT_EQ_INT(cell_of("bert-large-512", "flash")->gap, GAP_UNSURE);
  ASSERT_EQ_INT(cell_of("bert-large-512", "flash")->word, VERDICT_SLOWER);
  pair_close(&pair);
}

static void without_an_interval_there_is_no_word(void) {
  pair_open(&pair);
  pair_scale(&pair.other.records[1], 2);
  pair.other.records[1].median_raw_ns = NAN;
  pair_compare(&pair);
  ASSERT_EQ_INT(cell_of("gpt2-1k", "flash")->outcome, AGAINST_UNTIMED);
  ASSERT_EQ_INT(cell_of("gpt2-1k", "flash")->word, VERDICT_NONE);
  pair_close(&pair);
}

/* ---- Restarts ------------------------------------------------------------------------------------------------ */

enum { ROUNDS = 24 };

/* Adds samples of several processes, each with its own level and a scatter of 0.05%. */
static void add_processes(struct run_data *data, const struct record *record, const double *levels, uint32_t count) {
  struct run_samples *samples = run_data_add_samples(data, 0, record->case_key, record->variant, record->mode);
  samples->count = samples->capacity = samples->ns_count = (size_t)count * ROUNDS;
  samples->slots = xcalloc(samples->count, sizeof *samples->slots);
  samples->ns = xcalloc(samples->count, sizeof *samples->ns);
  for (uint32_t i = 0; i < count * ROUNDS; i++) {
    samples->ns[i] = levels[i / ROUNDS] * (1 + 0.0005 * sin(12.9898 * i));
    samples->slots[i] = (struct slot){.epoch = i / ROUNDS + 1, .round = i % ROUNDS, .count = 1, .ns = &samples->ns[i]};
  }
}

static void the_restart_is_the_unit(void) {
  static const double base[] = {100000, 100600, 99500}, other[] = {100500, 101100, 100000},
                      steady[] = {103000, 103010, 102990};
  static const double quiet[] = {100000, 100010, 99990};
  pair_open(&pair);
  add_processes(&pair.base, &pair.base.records[0], base, 3);
  add_processes(&pair.other, &pair.other.records[0], other, 3);
  add_processes(&pair.base, &pair.base.records[1], quiet, 3);
  add_processes(&pair.other, &pair.other.records[1], steady, 3);
  pair_compare(&pair);
  const struct compare_cell *noisy = cell_of("gpt2-1k", "standard"), *clear = cell_of("gpt2-1k", "flash");
  ASSERT_TRUE(!noisy->ratio.from_rows && isnan(noisy->ratio.assumed_sd));
  ASSERT_EQ_INT(noisy->ratio.base_restarts, 3);
  ASSERT_NEAR(noisy->ratio.speedup, 0.995, 2e-4);
  ASSERT_TRUE(noisy->ratio.hi95 > 1); /* from the rounds alone, this difference of 0.5% would seem certain */
  ASSERT_TRUE(noisy->word != VERDICT_SLOWER);
  ASSERT_EQ_INT(clear->word, VERDICT_SLOWER);
  ASSERT_TRUE(clear->beyond);
  ASSERT_TRUE(clear->ratio.lo95 < 1 / 1.03 && clear->ratio.hi95 > 1 / 1.03);
  ASSERT_EQ_INT(pair.compare.runs[0].assumed, 12);
  ASSERT_EQ_INT(pair.compare.runs[0].from_rows, 12);
  ASSERT_EQ_INT(pair.compare.runs[0].base_restarts.least, 1);
  ASSERT_EQ_INT(pair.compare.runs[0].base_restarts.most, 3);
  pair_close(&pair);
}

static void one_restart_takes_over_the_cases_noise(void) {
  static const double one[] = {100000}, five[] = {100000, 100010, 100020, 99990, 99980};
  static const double three[] = {100000, 100010, 99990}, wild[] = {100000, 103000, 97000};
  pair_open(&pair);
  for (size_t i = 0; i < 4; i++)
    add_processes(&pair.base, &pair.base.records[i], one, 1);
  add_processes(&pair.other, &pair.other.records[0], one, 1);
  add_processes(&pair.other, &pair.other.records[1], three, 3);
  add_processes(&pair.other, &pair.other.records[2], five, 5);
  add_processes(&pair.other, &pair.other.records[3], wild, 3);
  pair_compare(&pair);
  ASSERT_NEAR(cell_of("gpt2-1k", "standard")->ratio.assumed_sd, 0.003, 0);
  /* at least 0.3% is assumed, because three restarts may agree by chance */
  ASSERT_NEAR(cell_of("gpt2-1k", "flash")->ratio.assumed_sd, 0.003, 0);
  ASSERT_TRUE(cell_of("gpt2-1k", "mine")->ratio.assumed_sd < 5e-4);
  ASSERT_NEAR(cell_of("bert-large-512", "standard")->ratio.assumed_sd, 0.03, 1e-3);
  pair_close(&pair);
}

/* The samples of a case also contain processes on another device, which must not count. */
static void only_the_rows_own_processes_count(void) {
  static const double levels[] = {100000, 100010, 99990, 200000, 200010, 199990};
  pair_open(&pair);
  add_processes(&pair.base, &pair.base.records[0], levels, 6);
  add_processes(&pair.other, &pair.other.records[0], levels, 6);
  record_set(&pair.base.records[0].epochs, "1;2;3");
  record_set(&pair.other.records[0].epochs, "4;5;6");
  pair_compare(&pair);
  ASSERT_NEAR(cell_of("gpt2-1k", "standard")->ratio.speedup, 0.5, 1e-4);
  ASSERT_EQ_INT(cell_of("gpt2-1k", "standard")->ratio.base_restarts, 3);
  record_set(&pair.other.records[0].epochs, "1;;x");
  pair_compare(&pair);
  ASSERT_EQ_INT(cell_of("gpt2-1k", "standard")->ratio.other_restarts, 1);
  pair_close(&pair);
}

/* ---- Simulated: identical code, and code that is 3% slower ---------------------------------------------------- */

static double normal(uint64_t key, uint64_t index) { /* by Box and Muller */
  double u = ((double)(rng_bits(key, 2 * index) >> 11) + 0.5) / 9007199254740992.0;
  double v = ((double)(rng_bits(key, 2 * index + 1) >> 11) + 0.5) / 9007199254740992.0;
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

struct tally {
  size_t words[5], noisy, beyond, covered, count;
};

/* Compares pairs of runs with one case each: restarts scatter by 0.3% and rounds by 0.4%; the new code takes
 * `factor` times as long. */
static struct tally simulate(uint32_t restarts, double restart_sd, double factor, size_t pairs) {
  struct tally tally = {0};
  for (size_t i = 0; i < pairs; i++) {
    double levels[2][8];
    uint64_t key = rng_key(i, restarts);
    pair_open(&pair);
    for (uint32_t k = 0; k < restarts; k++) {
      levels[0][k] = 50000 * exp(restart_sd * normal(key, k));
      levels[1][k] = 50000 * factor * exp(restart_sd * normal(key, 100 + k));
    }
    add_processes(&pair.base, &pair.base.records[0], levels[0], restarts);
    add_processes(&pair.other, &pair.other.records[0], levels[1], restarts);
    pair.base.count = pair.other.count = 1;
    pair_compare(&pair);
    const struct compare_cell *cell = &pair.compare.rows[0].cells[0];
    tally.words[cell->word]++;
    tally.noisy += cell->gap == GAP_NOISY;
    tally.beyond += cell->beyond;
    tally.covered += cell->ratio.lo95 * factor < 1 && cell->ratio.hi95 * factor > 1;
    tally.count++;
    pair.base.count = pair.other.count = 15;
    pair_close(&pair);
  }
  return tally;
}

/* At a confidence of 99%, 1% of the verdicts on identical code may be false. With 1500 pairs a rate of 5% is detected,
 * and 2.5% nearly always. For a sanitizer, which checks memory, 150 pairs suffice. */
static void identical_code_gets_few_false_words(void) {
#ifdef __SANITIZE_ADDRESS__
  enum { PAIRS = 150 };
#else
  enum { PAIRS = 1500 };
#endif
  static const struct {
    uint32_t restarts;
    double sd;
  } runs[] = {{1, 0.003}, {2, 0.003}, {3, 0.003}, {5, 0.003}, {3, 0.01}, {3, 0.0005}};
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    struct tally tally = simulate(runs[i].restarts, runs[i].sd, 1, PAIRS);
    size_t wrong = tally.words[VERDICT_FASTER] + tally.words[VERDICT_SLOWER];
    if (wrong > PAIRS / 40) UNIT_FAIL("%u restarts, sd %g: %zu false words", runs[i].restarts, runs[i].sd, wrong);
    if (tally.covered < PAIRS * 92 / 100)
      UNIT_FAIL("%u restarts, sd %g: %zu cover", runs[i].restarts, runs[i].sd, tally.covered);
    ASSERT_EQ_INT(tally.words[VERDICT_NONE], tally.noisy);
    if (tally.beyond > 0 && runs[i].sd <= 0.003) UNIT_FAIL("%u restarts: %zu beyond", runs[i].restarts, tally.beyond);
  }
}

static void slower_code_is_found(void) {
  struct tally five = simulate(5, 0.003, 1.03, 300), one = simulate(1, 0.003, 1.05, 300);
  if (five.words[VERDICT_SLOWER] < 290) UNIT_FAIL("5 restarts: 3%% found in %zu", five.words[VERDICT_SLOWER]);
  if (one.beyond < 290) UNIT_FAIL("1 restart: 5%% found in %zu", one.beyond);
}

/* ---- Differences between the runs ------------------------------------------------------------------------------- */

static void assert_unlike(const char *key, const char *value, bool unlike) {
  pair_open(&pair);
  pair_scale(&pair.other.records[1], 1.2);
  pair_set(&pair.base, "locked_clocks", "none reported");
  pair_set(&pair.other, "locked_clocks", "none reported");
  pair_set(&pair.base, "quick", "0");
  pair_set(&pair.other, "quick", "0");
  pair_set(&pair.other, key, value);
  pair_compare(&pair);
  const struct compare_run *run = &pair.compare.runs[0];
  if ((run->against->unlike_count == 1) != unlike)
    UNIT_FAIL("%s=%s: %zu count", key, value, run->against->unlike_count);
  ASSERT_EQ_INT(run->against->difference_count, 1);
  ASSERT_EQ_INT(run->judged, !unlike);
  ASSERT_EQ_INT(compare_verdict(&pair.compare), unlike ? AGAINST_UNJUDGED : AGAINST_SLOWER);
  ASSERT_EQ_INT(run->gaps[GAP_UNLIKE], unlike ? 14 : 0);
  ASSERT_NEAR(cell_of("gpt2-1k", "flash")->ratio.speedup, 1 / 1.2, 1e-12);
  pair.options.force = true;
  pair_compare(&pair);
  ASSERT_EQ_INT(compare_verdict(&pair.compare), AGAINST_SLOWER);
  pair_close(&pair);
}

static void what_makes_runs_unlike(void) {
  assert_unlike("device_name", "NVIDIA B200", true);
  assert_unlike("driver", "590.10", true);
  assert_unlike("power_limit_w", "500", true);
  assert_unlike("ecc", "off", true);
  assert_unlike("precision", "0.01", true);
  assert_unlike("quick", "1", true);
  assert_unlike("option.trajectory", "1000", true);
  assert_unlike("seed", "2", true);
  assert_unlike("locked_clocks", "held by a setting", true);
  assert_unlike("host", "node18", false);
  assert_unlike("kernel", "6.2", false);
  assert_unlike("gpubench_version", "0.2.0", false);
}

static void the_unlike_are_named(void) {
  pair_open(&pair);
  pair_set(&pair.other, "driver", "590.10");
  pair_set(&pair.other, "power_limit_w", "500");
  pair_scale(&pair.other.records[1], 1.25);
  pair_compare(&pair);
  const struct compare_run *run = &pair.compare.runs[0];
  ASSERT_EQ_INT(run->against->unlike_count, 2);
  ASSERT_EQ_STR(run->against->differences[0].what, "driver");
  ASSERT_EQ_STR(run->against->differences[0].base, "580.65.06");
  ASSERT_EQ_STR(run->against->differences[0].other, "590.10");
  ASSERT_EQ_STR(run->against->differences[1].base, "700 W");
  assert_sentence("Not judged, the runs differ in driver and power limit; 14 ratios from 0.800x to 1.000x.");
  pair_close(&pair);
}

static void a_new_plugin_is_the_normal_case(void) {
  pair_open(&pair);
  for (size_t i = 0; i < 15; i++) {
    record_set(&pair.base.records[i].plugin_sha256, "0123456789abcdef");
    record_set(&pair.other.records[i].plugin_sha256, "0123456789abcdef");
  }
  pair_compare(&pair);
  ASSERT_TRUE(pair.compare.runs[0].same_files);
  for (size_t i = 0; i < 15; i += 3) { /* the other run has one more plugin */
    record_set(&pair.other.records[i].provider, "further");
    record_set(&pair.other.records[i].plugin, "further");
  }
  pair_compare(&pair);
  ASSERT_TRUE(!pair.compare.runs[0].same_files);
  pair_close(&pair);
  pair_open(&pair);
  for (size_t i = 0; i < 15; i++) {
    record_set(&pair.base.records[i].plugin_sha256, "0123456789abcdef");
    record_set(&pair.other.records[i].plugin_sha256, "fedcba9876543210");
  }
  pairs_add_text(&pair.base.tags, "commit", "abc");
  pairs_add_text(&pair.other.tags, "commit", "def");
  pair_compare(&pair);
  const struct compare_run *run = &pair.compare.runs[0];
  ASSERT_TRUE(pair.compare.runs[0].judged && !run->same_files);
  ASSERT_EQ_INT(run->against->unlike_count, 0);
  ASSERT_EQ_INT(run->against->difference_count, 3); /* both providers and the commit */
  ASSERT_EQ_STR(run->against->differences[0].what, "plugin attention");
  ASSERT_EQ_STR(run->against->differences[0].base, "0.1.0 (0123456789ab)");
  ASSERT_EQ_STR(run->against->differences[0].other, "0.1.0 (fedcba987654)");
  ASSERT_EQ_STR(run->against->differences[2].what, "tag commit");
  pair_close(&pair);
}

/* If each run has two builds of a plugin, the build that changed is named. */
static void builds_are_plugins_of_their_own(void) {
  char variant[ID_SIZE];
  pair_open(&pair);
  for (size_t i = 0; i < 15; i++) {
    struct record *sides[] = {&pair.base.records[i], &pair.other.records[i]};
    snprintf(variant, sizeof variant, "%s@%s", i % 3 ? "flash" : "standard", i % 3 == 1 ? "old" : "new");
    for (size_t side = 0; side < 2; side++) {
      record_set(&sides[side]->provider, "attention");
      record_set(&sides[side]->variant, variant);
      record_set(&sides[side]->plugin_sha256, i % 3 == 1 ? "0123456789abcdef"
                                              : side     ? "aaaaaaaaaaaaaaaa"
                                                         : "bbbbbbbbbbbb");
    }
  }
  pair_compare(&pair);
  const struct compare_run *run = &pair.compare.runs[0];
  ASSERT_TRUE(!run->same_files);
  ASSERT_EQ_INT(run->against->difference_count, 1);
  ASSERT_EQ_STR(run->against->differences[0].what, "plugin attention@new");
  pair_close(&pair);
}

/* If there is only results.csv, its columns are compared, and everything else is reported as unknown. */
static void what_is_not_known_is_not_held_against_it(void) {
  pair_open(&pair);
  pairs_free(&pair.other.environment);
  pair_compare(&pair);
  const struct compare_run *run = &pair.compare.runs[0];
  ASSERT_TRUE(run->judged);
  ASSERT_TRUE(run->unknown.count >= 3);
  ASSERT_EQ_STR(run->unknown.items[1], "power limit");
  ASSERT_EQ_STR(pair.compare.base_label, "old/results.csv");
  record_set(&pair.other.records[0].driver, "590.10");
  pair_compare(&pair);
  ASSERT_TRUE(!pair.compare.runs[0].judged);
  pair_close(&pair);
}

static void a_row_of_another_contract_gets_no_word(void) {
  pair_open(&pair);
  pair_scale(&pair.other.records[1], 1.2);
  record_set(&pair.other.records[1].contract, "gpubench.org/attention/forward/2");
  pair_compare(&pair);
  ASSERT_EQ_INT(cell_of("gpt2-1k", "flash")->word, VERDICT_NONE);
  assert_sentence("Not all judged: none of 13 slower by more than 2%; 13 same; 1 not judged (not alike).");
  pair.options.force = true;
  pair_compare(&pair);
  ASSERT_EQ_INT(cell_of("gpt2-1k", "flash")->word, VERDICT_SLOWER);
  pair_close(&pair);
}

static void what_was_measured_beside_others_gets_no_word(void) {
  for (int side = 0; side < 2; side++) {
    pair_open(&pair);
    pair_scale(&pair.other.records[1], 1.2);
    (side == 0 ? &pair.base : &pair.other)->records[1].contended = 1;
    (side == 0 ? &pair.other : &pair.base)->records[1].contended = 0;
    pair_compare(&pair);
    ASSERT_EQ_INT(cell_of("gpt2-1k", "flash")->word, VERDICT_NONE);
    ASSERT_EQ_INT(pair.compare.runs[0].contended, 1);
    assert_sentence("Not all judged: none of 13 slower by more than 2%; 13 same; 1 not judged (busy machine).");
    pair.options.force = true;
    pair_compare(&pair);
    ASSERT_EQ_INT(cell_of("gpt2-1k", "flash")->word, VERDICT_SLOWER);
    pair_close(&pair);
  }
}

/* ---- Rows that are not judged ------------------------------------------------------------------------------------ */

static void assert_gap(enum gap gap, enum against_verdict verdict, const char *says) {
  pair_compare(&pair);
  const struct compare_run *run = &pair.compare.runs[0];
  ASSERT_EQ_INT(run->gaps[gap], compare_unjudged(run));
  ASSERT_TRUE(run->gaps[gap] > 0);
  ASSERT_EQ_INT(run->verdict, verdict);
  ASSERT_HAS(sentence(), says);
}

/* A slowdown of 30% in rows that cannot be judged must not pass. */
static void a_planted_regression_never_passes(void) {
  for (int kind = 0; kind < 6; kind++) {
    pair_open(&pair);
    struct record *row = &pair.other.records[1];
    pair_scale(row, 1.3);
    if (kind == 0) row->contended = 1;
    if (kind == 1) row->rounds = 5;
    if (kind == 2) row->rounds = -1;
    if (kind == 3) record_set(&row->stop_reason, "interrupted");
    if (kind == 4) record_set(&row->driver, "590.10"); /* only in this row, as after resuming the run */
    if (kind == 5) row->ci95_hi_ns = 2 * row->median_raw_ns, row->ci95_lo_ns = 0.5 * row->median_raw_ns;
    static const enum gap gaps[] = {GAP_CONTENDED, GAP_ROUNDS, GAP_ROUNDS, GAP_CUT, GAP_UNLIKE, GAP_NOISY};
    assert_gap(gaps[kind], AGAINST_PARTLY, gap_name(gaps[kind]));
    ASSERT_EQ_INT(cell_of("gpt2-1k", "flash")->word, VERDICT_NONE);
    pair_close(&pair);
  }
}

/* If the time of one run is unproven, there is no verdict, because the difference may come from that. There is one if
 * both times are unproven for the same reason, or if untimed work would only make the difference larger. */
static void words_that_nothing_proves_are_not_judged(void) {
  static const struct {
    double scale;
    const char *base, *other;
    enum verdict word;
  } tries[] = {{1.3, "untimed", NULL, VERDICT_NONE},   {1.3, NULL, "untimed", VERDICT_SLOWER},
               {1.3, "few", "few", VERDICT_SLOWER},    {0.7, NULL, "untimed", VERDICT_NONE},
               {0.7, "untimed", NULL, VERDICT_FASTER}, {1, "few", NULL, VERDICT_NONE},
               {1, NULL, "few;clock", VERDICT_NONE},   {1, "few", "few", VERDICT_SAME}};
  for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
    pair_open(&pair);
    record_set(&pair.base.records[1].unproven, tries[i].base);
    record_set(&pair.other.records[1].unproven, tries[i].other);
    pair_scale(&pair.other.records[1], tries[i].scale);
    if (tries[i].word == VERDICT_NONE)
      assert_gap(GAP_UNPROVEN, AGAINST_PARTLY, "1 not judged (unproven)");
    else
      pair_compare(&pair);
    ASSERT_EQ_INT(cell_of("gpt2-1k", "flash")->word, tries[i].word);
    pair_close(&pair);
  }
}

static void is_scripted(struct pairs *environment) {
  for (size_t i = 0; i < environment->count; i++)
    if (strcmp(environment->items[i].name, "device") == 0) {
      free(environment->items[i].value);
      environment->items[i].value = xstrdup("fake:a.ini");
    }
}

/* On CPUs, one or two processes cannot show how much the load of other programs matters, so there is no verdict. A
 * scripted device has no such load. */
static void processors_are_judged_by_three_processes(void) {
  static const struct {
    int64_t base, other;
    bool scripted, judged;
  } cases[] = {
      {1, 1, false, false}, {5, 2, false, false}, {2, 5, false, false}, {3, 3, false, true}, {1, 1, true, true}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct record *rows[2];
    pair_open(&pair);
    rows[0] = &pair.base.records[1], rows[1] = &pair.other.records[1];
    pair_scale(rows[1], 1.3);
    for (int side = 0; side < 2; side++) {
      record_set(&rows[side]->backend, "cpu");
      rows[side]->restarts = side == 0 ? cases[i].base : cases[i].other;
      rows[side]->restart_sd = 0.003;
    }
    if (cases[i].scripted) {
      is_scripted(&pair.base.environment);
      is_scripted(&pair.other.environment);
    }
    if (cases[i].judged)
      pair_compare(&pair);
    else
      assert_gap(GAP_PROCESSES, AGAINST_PARTLY, "1 not judged (undecided (one process)).");
    ASSERT_EQ_INT(cell_of("gpt2-1k", "flash")->word, cases[i].judged ? VERDICT_SLOWER : VERDICT_NONE);
    pair_close(&pair);
  }
}

static void slower_by_an_unsure_amount_is_not_judged(void) {
  pair_open(&pair);
  struct record *row = &pair.other.records[1];
  pair_scale(row, 1.3);
  row->ci95_lo_ns = row->median_raw_ns / 1.21, row->ci95_hi_ns = row->median_raw_ns * 1.21; /* p = 0.007 */
  assert_gap(GAP_UNSURE, AGAINST_PARTLY, "(slower by an unsure amount)");
  ASSERT_EQ_INT(cell_of("gpt2-1k", "flash")->word, VERDICT_SLOWER);
  pair_close(&pair);
}

static void rows_that_the_base_has_timed_are_to_be_judged(void) {
  pair_open(&pair);
  sample_unusual(&pair.other.records[1], "skipped", "needs 137 GB");
  assert_gap(GAP_UNTIMED, AGAINST_PARTLY,
             "Not all judged: none of 13 slower by more than 2%; 13 same; 1 not judged (not timed).");
  ASSERT_EQ_INT(pair.compare.runs[0].unchecked, 1);
  pair_close(&pair);
  pair_open(&pair);
  record_set(&pair.other.records[1].variant, "renamed");
  assert_gap(GAP_ABSENT, AGAINST_PARTLY,
             "Not all judged: none of 13 slower by more than 2%; 13 same; 1 not judged (missing).");
  pair_close(&pair);
  pair_open(&pair); /* rows that the base did not time may be missing in the newer run */
  record_set(&pair.other.records[12].variant, "renamed");
  pair_compare(&pair);
  ASSERT_EQ_INT(pair.compare.runs[0].verdict, AGAINST_CLEAR);
  pair_close(&pair);
}

static void several_gaps_are_counted(void) {
  pair_open(&pair);
  for (size_t i = 0; i < 15; i++)
    pair.base.records[i].contended = i < 9, pair.other.records[i].rounds = 3;
  pair_compare(&pair);
  assert_sentence("Not judged (9 busy machine, 5 too few rounds); 14 ratios of 1.000x.");
  ASSERT_EQ_INT(pair.compare.runs[0].verdict, AGAINST_UNJUDGED);
  pair.options.force = true; /* even with --force, too few rounds give no verdict */
  pair_compare(&pair);
  assert_sentence("Not judged (too few rounds); 14 ratios of 1.000x.");
  pair_close(&pair);
}

static void nothing_timed_in_both_is_nothing_compared(void) {
  pair_open(&pair);
  for (size_t i = 0; i < 15; i++)
    sample_unusual(&pair.other.records[i], "skipped", "needs 137 GB");
  pair_compare(&pair);
  ASSERT_EQ_INT(pair.compare.runs[0].verdict, AGAINST_NOTHING);
  assert_sentence("Nothing compared: none of 15 timed in both.");
  pair_close(&pair);
}

/* ---- Status, order, yardsticks ------------------------------------------------------------------------------- */

static void what_is_no_longer_correct_comes_first(void) {
  pair_open(&pair);
  sample_unusual(&pair.other.records[11], "wrong", "out[7] is 3");
  sample_unusual(&pair.other.records[10], "crashed", "SIGSEGV");
  sample_unusual(&pair.base.records[2], "wrong", "was off");
  sample_unusual(&pair.other.records[6], "skipped", "needs 137 GB");
  pair_scale(&pair.other.records[0], 1.1);
  pair_scale(&pair.other.records[1], 1 / 1.3);
  pair_scale(&pair.other.records[3], 1.2);
  pair_compare(&pair);
  const struct compare_row *rows = pair.compare.rows;
  ASSERT_EQ_INT(rows[0].cells[0].outcome, AGAINST_BROKEN);
  ASSERT_EQ_INT(rows[1].cells[0].outcome, AGAINST_BROKEN);
  ASSERT_TRUE(rows[2].base == &pair.base.records[3]); /* the larger regression */
  ASSERT_TRUE(rows[3].base == &pair.base.records[0]);
  ASSERT_TRUE(rows[4].base == &pair.base.records[1]); /* an improvement comes after regressions, even if it is larger */
  ASSERT_EQ_INT(rows[5].cells[0].outcome, AGAINST_FIXED);
  ASSERT_EQ_INT(rows[6].cells[0].outcome, AGAINST_UNTIMED);
  ASSERT_TRUE(rows[14].base == &pair.base.records[12]); /* skipped in both */
  ASSERT_EQ_INT(compare_verdict(&pair.compare), AGAINST_INCORRECT);
  ASSERT_HAS(sentence(),
             "2 of 15 no longer correct: flash at llama3-8b-8k crashed, mine at llama3-8b-8k wrong; 2 of 10 slower");
  pair_close(&pair);
}

static void a_lost_row_is_lost_on_another_machine_too(void) {
  pair_open(&pair);
  pair_set(&pair.other, "driver", "590.10");
  sample_unusual(&pair.other.records[1], "timeout", "run took 120 s");
  pair_compare(&pair);
  ASSERT_EQ_INT(compare_verdict(&pair.compare), AGAINST_INCORRECT);
  ASSERT_HAS(sentence(),
             "1 of 15 no longer correct: flash at gpt2-1k timed out; not judged, the runs differ in driver;");
  pair_close(&pair);
}

/* Yardsticks (rows for comparison only, such as a plain copy) show what the machine can do. If one changes, this is no
 * regression, but is mentioned. */
static void yardsticks_are_kept_apart(void) {
  pair_open(&pair);
  for (size_t i = 0; i < 3; i++) {
    record_set(&pair.base.records[i].contract, "gpubench.org/calibrate/copy/1");
    record_set(&pair.other.records[i].contract, "gpubench.org/calibrate/copy/1");
    pair_scale(&pair.other.records[i], 1.1);
  }
  pair_compare(&pair);
  ASSERT_EQ_INT(pair.compare.row_count, 12);
  ASSERT_EQ_INT(pair.compare.yardstick_count, 3);
  ASSERT_TRUE(compare_verdict(&pair.compare) < AGAINST_SLOWER);
  ASSERT_EQ_INT(pair.compare.yardsticks[0].cells[0].word, VERDICT_SLOWER);
  pair_close(&pair);
}

static void labels_tell_cases_apart(void) {
  pair_open(&pair);
  for (size_t i = 0; i < 3; i++) {
    record_set(&pair.base.records[i].preset, "bert-large-512"); /* now two cases have the same preset */
    record_set(&pair.base.records[12 + i].preset, NULL);
  }
  pair_compare(&pair);
  for (size_t i = 0; i < pair.compare.row_count; i++) {
    const struct compare_row *row = &pair.compare.rows[i];
    if (strstr(row->base->case_key, "s=512,") != NULL) ASSERT_EQ_STR(row->label, "bert-large-512 b=8 h=16 s=512");
    if (strstr(row->base->case_key, "s=1024,") != NULL) ASSERT_EQ_STR(row->label, "bert-large-512 b=16 h=12 s=1024");
    if (strstr(row->base->case_key, "s=4096,") != NULL) ASSERT_EQ_STR(row->label, "llama3-8b-4k");
    if (strstr(row->base->case_key, "s=32768,") != NULL)
      ASSERT_EQ_STR(row->label, "[b=1,h=32,s=32768,d=128,dtype=bf16,causal=yes]");
  }
  pair_close(&pair);
}

static void several_runs_are_judged_each(void) {
  struct run_data third;
  struct compare compare;
  pair_open(&pair);
  sample_run(&third, false);
  pair_set(&pair.base, "name", "main");
  pair_set(&pair.other, "name", "a");
  pair_set(&third, "name", "b");
  pair_scale(&pair.other.records[1], 1.1);
  pair_scale(&third.records[4], 1 / 1.1);
  pair_set(&third, "driver", "590.10");
  record_set(&third.records[1].variant, "elsewhere");
  const struct compare_input base = {"x", &pair.base, NULL};
  const struct compare_input others[] = {{"y", &pair.other, NULL}, {"z", &third, NULL}};
  compare_build(&pair.options, &base, others, 2, &compare);
  ASSERT_EQ_STR(compare.runs[1].label, "b");
  ASSERT_TRUE(compare.runs[0].judged && !compare.runs[1].judged);
  ASSERT_EQ_INT(compare.runs[0].slower, 1);
  ASSERT_EQ_INT(compare.runs[1].only_base_count, 1);
  ASSERT_EQ_INT(compare.rows[0].cells[0].word, VERDICT_SLOWER);
  ASSERT_EQ_INT(compare.rows[0].cells[1].outcome, AGAINST_ONLY_BASE);
  /* no verdict, although this change is larger than all others */
  ASSERT_EQ_INT(compare.rows[1].cells[1].word, VERDICT_NONE);
  ASSERT_NEAR(compare.rows[1].cells[1].ratio.speedup, 1.1, 1e-12);
  compare_free(&compare);
  run_data_free(&third);
  pair_close(&pair);
}

UNIT_MAIN("compare", UNIT_TEST(joins_by_name_not_by_place), UNIT_TEST(counts_what_is_on_one_side_only),
          UNIT_TEST(of_a_row_that_is_there_twice_the_later_counts),
          UNIT_TEST(devices_are_told_apart_where_there_are_several), UNIT_TEST(nothing_in_common_is_said),
          UNIT_TEST(a_known_difference_is_found), UNIT_TEST(a_small_difference_is_no_regression),
          UNIT_TEST(many_rows_are_judged_together), UNIT_TEST(words_are_lost_among_many),
          UNIT_TEST(a_gate_loses_nothing_among_many), UNIT_TEST(without_an_interval_there_is_no_word),
          UNIT_TEST(the_restart_is_the_unit), UNIT_TEST(one_restart_takes_over_the_cases_noise),
          UNIT_TEST(only_the_rows_own_processes_count), UNIT_TEST(identical_code_gets_few_false_words),
          UNIT_TEST(slower_code_is_found), UNIT_TEST(what_makes_runs_unlike), UNIT_TEST(the_unlike_are_named),
          UNIT_TEST(a_new_plugin_is_the_normal_case), UNIT_TEST(builds_are_plugins_of_their_own),
          UNIT_TEST(what_is_not_known_is_not_held_against_it), UNIT_TEST(a_row_of_another_contract_gets_no_word),
          UNIT_TEST(what_was_measured_beside_others_gets_no_word), UNIT_TEST(a_planted_regression_never_passes),
          UNIT_TEST(words_that_nothing_proves_are_not_judged), UNIT_TEST(slower_by_an_unsure_amount_is_not_judged),
          UNIT_TEST(processors_are_judged_by_three_processes), UNIT_TEST(rows_that_the_base_has_timed_are_to_be_judged),
          UNIT_TEST(several_gaps_are_counted), UNIT_TEST(nothing_timed_in_both_is_nothing_compared),
          UNIT_TEST(what_is_no_longer_correct_comes_first), UNIT_TEST(a_lost_row_is_lost_on_another_machine_too),
          UNIT_TEST(yardsticks_are_kept_apart), UNIT_TEST(labels_tell_cases_apart),
          UNIT_TEST(several_runs_are_judged_each))
