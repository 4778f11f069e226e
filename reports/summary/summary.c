/* Judging and counting the rows that summary/sort_rows.c has sorted. summary/sentence.c says the result. */
#include "summary/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "summary/baseline.h"
#include "summary/foreign.h"
#include "summary/sort_rows.h"

/* Index of the text in a list of unowned texts, appended where it is new. */
static size_t intern(const char ***list, size_t *count, const char *text) {
  for (size_t i = 0; i < *count; i++)
    if (strcmp((*list)[i], text) == 0) return i;
  *list = xrealloc(*list, *count + 1, sizeof **list);
  (*list)[*count] = text;
  return (*count)++;
}

static void find_axes(struct run_bench *bench) {
  for (size_t i = 0; i < bench->case_count; i++)
    for (size_t j = 0; j < bench->cases[i].axes.count; j++)
      intern(&bench->axes, &bench->axis_count, bench->cases[i].axes.items[j].name);
  bench->varies = xcalloc(bench->axis_count, sizeof *bench->varies);
  for (size_t a = 0; a < bench->axis_count; a++)
    for (size_t i = 1; i < bench->case_count; i++)
      if (!text_same(pairs_get(&bench->cases[i].axes, bench->axes[a]),
                     pairs_get(&bench->cases[0].axes, bench->axes[a])))
        bench->varies[a] = true;
}

/* In rows of old, that do not say who is the fastest: where one is the other's baseline the paired verdict answers,
 * else the medians' intervals must not touch. */
static bool clearly_faster(const struct run_case *point, const struct record *a, const struct record *b) {
  if (b == baseline_of(point, a) && a->verdict != NULL) return strcmp(a->verdict, "faster") == 0;
  if (a == baseline_of(point, b) && b->verdict != NULL) return strcmp(b->verdict, "slower") == 0;
  if (isnan(a->ci95_hi_ns) || isnan(b->ci95_lo_ns)) return a->median_raw_ns < b->median_raw_ns;
  return a->ci95_hi_ns < b->ci95_lo_ns;
}

/* Of raw times alone, as rows of old are. */
static bool is_half_known(const struct record *row) {
  return row_floored(row) && isnan(row->median_lo_ns);
}

static bool is_fastest(const struct run_bench *bench, const struct run_case *point, const struct record *best) {
  for (size_t i = 0; i < bench->variant_count; i++) {
    const struct record *row = point->rows[i];
    if (row == NULL || !row_contends(row)) continue;
    if ((row_gap(row) != GAP_NONE && best->fastest != 1) || is_half_known(row)) return false;
    if (row != best && best->fastest < 0 && !clearly_faster(point, best, row)) return false;
  }
  return best->fastest != 0;
}

static void find_winner(const struct run_bench *bench, struct run_case *point) {
  const struct record *best = NULL;
  size_t timed = 0;
  for (size_t i = 0; i < bench->variant_count; i++) {
    const struct record *row = point->rows[i];
    if (row == NULL || !row_contends(row) || row_cut(row)) continue;
    timed++;
    if (best == NULL || row->median_raw_ns < best->median_raw_ns) best = row;
  }
  const bool clear = timed >= 2 && is_fastest(bench, point, best);
  point->winner = clear ? best : NULL;
  point->tie = timed >= 2 && !clear;
}

/* Is it memory that holds the bench's rows up, where any is near a roof? */
static bool bound_by_memory(const struct run_bench *bench) {
  bool memory = false;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    if (text_same(at.row->bound, "compute")) return false;
    memory = memory || text_same(at.row->bound, "memory");
  }
  return memory;
}

/* Work with under 4 operations a byte moved is bound by memory on every machine we know: GB/s says more there, and so
 * it does where the rows were found to be. */
static enum rate choose_rate(const struct run_bench *bench) {
  enum rate rate = RATE_NONE;
  const bool memory = bound_by_memory(bench);
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    if (!row_timed(at.row)) continue;
    const bool flops = at.row->tflops > 0, bytes = at.row->gb_per_s > 0;
    const bool few = memory || at.row->tflops * 1e3 < 4 * at.row->gb_per_s;
    if (flops && (!bytes || !few)) return RATE_TFLOPS;
    if (bytes) rate = RATE_GB;
  }
  return rate;
}

static void finish_bench(struct run_bench *bench) {
  find_axes(bench);
  baseline_find(bench);
  for (size_t i = 0; i < bench->case_count; i++)
    find_winner(bench, &bench->cases[i]);
  bench->rate = choose_rate(bench);
  bench->rate_unit = bench_rate_unit(bench);
}

static double used_share(const struct record *record) {
  return record->verify_tolerance > 0 ? record->verify_error / record->verify_tolerance : record->verify_error;
}

static void count_rounds(struct run_summary *summary, int64_t rounds) {
  if (rounds < 0) return;
  if (summary->rounds_min < 0 || rounds < summary->rounds_min) summary->rounds_min = rounds;
  if (rounds > summary->rounds_max) summary->rounds_max = rounds;
}

/* A case stops at its precision also where an interval is as narrow as 20 ns or a step of the clock, whatever that is
 * of the median: see measure/rounds.c. */
static void count_precision(struct run_summary *summary, const struct record *record, double asked) {
  enum { NARROWEST_NS = 20 };
  const double half = (record->ci95_hi_ns - record->ci95_lo_ns) / 2, slack = 1 + 1e-9;
  const bool stopped = text_same(record->stop_reason, "precision");
  const bool narrow = row_reached(record, asked);
  if (!summary->asked) summary->precision = asked;
  if (summary->precision != asked) summary->precision = (double)NAN;
  summary->asked = summary->asked || !isnan(asked);
  summary->reached += narrow; /* also where the case went on for the sake of a ratio */
  summary->hurried += text_same(record->stop_reason, "budget");
  summary->stepped += stopped && !narrow && half <= fmax(NARROWEST_NS, record->tick_ns) * slack;
}

static void count_row(struct run_summary *summary, const struct record *record, double asked) {
  enum row_status status = row_status_of(record);
  if (status == ROW_OK && row_is_yardstick(record)) return; /* no result; where it failed it counts */
  summary->rows++;
  summary->statuses[status]++;
  if (row_timed(record)) {
    summary->timed++;
    summary->cut += row_cut(record);
    summary->in_slots += record->verified_slots > 0;
    count_precision(summary, record, asked);
    count_rounds(summary, record->rounds);
  } else {
    summary->untimed += status == ROW_OK && row_cut(record);
  }
  if (isnan(record->verify_error)) return;
  summary->checked++;
  if (status != ROW_OK) return;
  summary->verified++;
  if (summary->worst == NULL || used_share(record) > used_share(summary->worst)) summary->worst = record;
}

void summary_build(const struct run_data *data, struct run_summary *summary) {
  *summary = (struct run_summary){.rounds_min = -1, .rounds_max = -1, .precision = (double)NAN};
  sort_rows(data, summary);
  for (size_t i = 0; i < summary->bench_count; i++) {
    struct run_bench *bench = &summary->benches[i];
    bench->fastest_named = run_data_get(data, "baselines") != NULL;
    finish_bench(bench);
    if (bench->yardstick) continue;
    for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
      count_row(summary, at.row, row_asked(at.row, run_data_environment(data, at.row)));
  }
  foreign_place(data, summary);
}

bool summary_failed(const struct run_data *data, const struct run_summary *summary, const struct record *record) {
  if (summary->has_yardsticks && row_is_calibration(record)) return false;
  const bool failed = row_status_failed(row_status_of(record)) && !row_left_out(record);
  return failed || record_required(data, record);
}

void summary_free(struct run_summary *summary) {
  for (size_t i = 0; i < summary->bench_count; i++) {
    struct run_bench *bench = &summary->benches[i];
    foreign_place_free(bench);
    for (size_t j = 0; j < bench->case_count; j++) {
      pairs_free(&bench->cases[j].axes);
      free(bench->cases[j].rows);
      free(bench->cases[j].bases);
    }
    free(bench->cases);
    free(bench->variants);
    free(bench->axes);
    free(bench->varies);
  }
  free(summary->benches);
  *summary = (struct run_summary){0};
}
