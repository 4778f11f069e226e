/* Means of ratios over the cases of a bench. */
#include "summary/geomean.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "summary/baseline.h"

/* Sums over rows of ln(ratio) and of ln(its ends); NaN where a row has none. */
struct ends {
  double ratio, lo95, hi95, lo99, hi99;
};

struct sums {
  struct geomean mean;
  double log_ratio, alone;          /* alone: the most of any */
  struct ends raw, less;            /* of times less the floor, where that is known or counts */
  int64_t rounds, processes;        /* the fewest */
  bool contended, medians, floored; /* any */
};

static const struct sums NOTHING = {.rounds = INT64_MAX, .processes = INT64_MAX};

static void add_ends(struct ends *sums, double ratio, double lo95, double hi95, double lo99, double hi99) {
  sums->ratio += log(ratio);
  sums->lo95 += log(lo95);
  sums->hi95 += log(hi95);
  sums->lo99 += log(lo99);
  sums->hi99 += log(hi99);
}

static struct ratio ratio_of(const struct sums *sums, const struct ends *ends) {
  const double n = (double)sums->mean.count;
  return (struct ratio){.rounds = (size_t)sums->rounds,
                        .restarts = (size_t)sums->processes,
                        .alone = sums->alone,
                        .speedup = exp(ends->ratio / n),
                        .lo95 = exp(ends->lo95 / n),
                        .hi95 = exp(ends->hi95 / n),
                        .lo99 = exp(ends->lo99 / n),
                        .hi99 = exp(ends->hi99 / n)};
}

static int64_t least(int64_t least, int64_t value, int64_t unknown) {
  if (value < 0) value = unknown;
  return value < least ? value : least;
}

static void add_paired(struct sums *sums, const struct record *row) {
  const enum verdict words[] = {VERDICT_SAME, VERDICT_FASTER, VERDICT_SLOWER};
  bool decided = false;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    decided = decided || strcmp(row_verdict(row), stats_verdict_name(words[i])) == 0;
  sums->mean.undecided += !decided;
  add_ends(&sums->raw, row->speedup, row->speedup_lo, row->speedup_hi, row->speedup_lo99, row->speedup_hi99);
  if (row_floored(row) || row->speedup_corrected > 0)
    add_ends(&sums->less, row->speedup_corrected, row->speedup_corrected_lo, row->speedup_corrected_hi,
             row->speedup_corrected_lo99, row->speedup_corrected_hi99);
  else
    add_ends(&sums->less, row->speedup, row->speedup_lo, row->speedup_hi, row->speedup_lo99, row->speedup_hi99);
  sums->floored = sums->floored || row_floored(row) || gap_parse(row_verdict(row)) == GAP_FLOOR;
  sums->alone = fmax(sums->alone, row_alone(row));
  sums->rounds = least(sums->rounds, row->rounds, WORD_ROUNDS);
  sums->processes = least(sums->processes, row->restarts, 1);
  sums->contended = sums->contended || row_gap(row) == GAP_CONTENDED;
}

static void add(struct sums *sums, double ratio, const struct record *paired) {
  if (!(ratio > 0)) return;
  sums->mean.count++;
  sums->log_ratio += log(ratio);
  sums->medians = sums->medians || paired == NULL;
  if (paired != NULL) add_paired(sums, paired);
}

static struct geomean mean_of(struct sums *sums) {
  struct geomean *mean = &sums->mean;
  const double n = (double)mean->count;
  mean->ratio = mean->count != 0 ? exp(sums->log_ratio / n) : (double)NAN;
  mean->lo = mean->hi = (double)NAN;
  mean->word = "";
  if (mean->count < 2 || sums->medians) return *mean;
  const struct ratio ratio = ratio_of(sums, &sums->raw), less = ratio_of(sums, &sums->less);
  if (!(ratio.lo95 > 0) || !isfinite(ratio.hi95)) return *mean;
  mean->lo = ratio.lo95;
  mean->hi = ratio.hi95;
  mean->word = gap_or_word(&ratio, sums->floored ? &less : NULL, sums->contended);
  return *mean;
}

struct geomean geomean_over(const struct run_bench *bench, size_t variant, size_t over) {
  struct sums sums = NOTHING;
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct run_case *point = &bench->cases[i];
    const struct record *a = point->rows[variant], *b = point->rows[over];
    if (!row_contends(a) || !row_contends(b)) continue;
    const bool paired = b == baseline_of(point, a) && bench->baseline != NULL && a->speedup > 0;
    add(&sums, paired ? a->speedup : b->median_raw_ns / a->median_raw_ns, paired ? a : NULL);
  }
  return mean_of(&sums);
}

struct geomean geomean_named(const struct run_bench *bench, size_t variant, const char *base) {
  struct sums sums = NOTHING;
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct run_case *point = &bench->cases[i];
    const struct record *row = point->rows[variant];
    if (!row_timed(row) || baseline_is(point, row)) continue;
    if (base == NULL || text_same(row->baseline, base)) add(&sums, row->speedup, row);
  }
  return mean_of(&sums);
}

static bool baselines_differ(const struct run_bench *bench, size_t variant) {
  const char *first = NULL;
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct record *row = bench->cases[i].rows[variant];
    if (!row_timed(row) || baseline_is(&bench->cases[i], row) || row->baseline == NULL) continue;
    if (first != NULL && strcmp(first, row->baseline) != 0) return true;
    first = row->baseline;
  }
  return false;
}

struct geomean geomean_base(const struct run_bench *bench, size_t variant) {
  struct sums none = NOTHING;
  if (baselines_differ(bench, variant) && !bench->fastest_named) return mean_of(&none);
  return geomean_named(bench, variant, NULL);
}

void geomean_count_text(const struct geomean *mean, char *to, size_t size) {
  const int used = snprintf(to, size, "%zu case%s", mean->count, mean->count == 1 ? "" : "s");
  if (mean->undecided != 0 && mean->count > 1 && used > 0 && (size_t)used < size)
    snprintf(to + used, size - (size_t)used, ", %zu undecided", mean->undecided);
}
