/* Means of ratios over the cases of a bench. */
#include "summary/geomean.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "summary/bench.h"

/* Sums over rows of the logarithms of the ratio and of the ends of its 95% and 99% intervals; NaN if a row lacks the
 * value. */
struct ends {
  double ratio, lo95, hi95, lo99, hi99;
};

struct sums {
  struct geomean mean;
  double log_ratio, alone; /* alone: largest ln(ratio) that equal variants may show in one process; see row_alone() */
  /* raw: sums for ratios of raw times; less: for ratios of times without the launch overhead */
  struct ends raw, less;
  int64_t rounds, processes;                                    /* smallest numbers of any row */
  bool contended, medians, launch_limited, unproven, unchecked; /* each is true if it is true for any row */
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

static int64_t least_known(int64_t least, int64_t value, int64_t unknown) {
  if (value < 0) value = unknown;
  return value < least ? value : least;
}

static void add_paired(struct sums *sums, const struct record *row) {
  const enum verdict word = stats_verdict_parse(row_verdict(row));
  sums->mean.undecided += word == VERDICT_NONE || word == VERDICT_UNDECIDED;
  add_ends(&sums->raw, row->speedup, row->speedup_lo, row->speedup_hi, row->speedup_lo99, row->speedup_hi99);
  if (row_launch_limited(row) || row->speedup_corrected > 0)
    add_ends(&sums->less, row->speedup_corrected, row->speedup_corrected_lo, row->speedup_corrected_hi,
             row->speedup_corrected_lo99, row->speedup_corrected_hi99);
  else
    add_ends(&sums->less, row->speedup, row->speedup_lo, row->speedup_hi, row->speedup_lo99, row->speedup_hi99);
  sums->launch_limited = sums->launch_limited || row_launch_limited(row) || gap_parse(row_verdict(row)) == GAP_LAUNCH;
  sums->alone = fmax(sums->alone, row_alone(row));
  sums->rounds = least_known(sums->rounds, row->rounds, WORD_ROUNDS);
  sums->processes = least_known(sums->processes, row->restarts, 1);
  sums->contended = sums->contended || row->contended > 0;
  sums->unproven = sums->unproven || gap_parse(row_verdict(row)) == GAP_UNPROVEN;
  sums->unchecked = sums->unchecked || gap_parse(row_verdict(row)) == GAP_ALONE;
}

static void add_ratio(struct sums *sums, double ratio, const struct record *paired) {
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
  mean->word = gap_or_word(&ratio, sums->launch_limited ? &less : NULL, sums->contended);
  /* If a check of gpubench doubts a row's time (unproven), or variants of two plugins were not measured in separate
   * processes often enough (unchecked), that row has no verdict. The mean then has none either. */
  if ((sums->unproven || sums->unchecked) && gap_parse(mean->word) == GAP_NONE)
    mean->word = gap_name(sums->unproven ? GAP_UNPROVEN : GAP_ALONE);
  return *mean;
}

/* The comparison that a mean is about: a variant with another one, or with the rows' own baselines; if `base` is given,
 * only rows whose baseline has that name are used. */
struct against {
  size_t variant, over; /* over: SIZE_MAX for the rows' own baselines */
  const char *base;
};

/* Returns how many times faster the variant is in this case; NaN if that is not known. If the ratio is the paired
 * speedup that a row records, `*paired` becomes that row; otherwise NULL. */
static double ratio_in(const struct run_bench *bench, const struct run_case *point, const struct against *x,
                       const struct record **paired) {
  const struct record *row = point->rows[x->variant];
  *paired = NULL;
  if (x->over == SIZE_MAX) {
    if (!row_timed(row) || baseline_is(point, row) || (x->base != NULL && !text_same(row->baseline, x->base)))
      return (double)NAN;
    *paired = row;
    return row->speedup;
  }
  const struct record *other = point->rows[x->over];
  if (!row_contends(row) || !row_contends(other)) return (double)NAN;
  if (other == baseline_of(point, row) && bench->baseline != NULL && row->speedup > 0) *paired = row;
  return *paired != NULL ? row->speedup : other->median_raw_ns / row->median_raw_ns;
}

static struct geomean mean_but(const struct run_bench *bench, const struct against *x, const struct run_case *but) {
  struct sums sums = NOTHING;
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct record *paired;
    const double ratio = ratio_in(bench, &bench->cases[i], x, &paired);
    if (&bench->cases[i] != but) add_ratio(&sums, ratio, paired);
  }
  return mean_of(&sums);
}

static const struct run_case *farthest(const struct run_bench *bench, const struct against *x, double from) {
  const struct run_case *found = NULL;
  double most = 0;
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct record *paired;
    const double ratio = ratio_in(bench, &bench->cases[i], x, &paired), far = ratio > 0 ? fabs(log(ratio / from)) : 0;
    if (far > most) found = &bench->cases[i];
    most = fmax(most, far);
  }
  return found;
}

static struct geomean mean_against(const struct run_bench *bench, const struct against *x) {
  struct geomean mean = mean_but(bench, x, NULL);
  if (mean.count < 3 || (strcmp(mean.word, "faster") != 0 && strcmp(mean.word, "slower") != 0)) return mean;
  const struct run_case *one = farthest(bench, x, mean.ratio);
  const struct geomean without = mean_but(bench, x, one);
  if (strcmp(without.word, mean.word) == 0) return mean;
  mean.swayed = one;
  mean.without = without.ratio;
  return mean;
}

struct geomean geomean_over(const struct run_bench *bench, size_t variant, size_t over) {
  return mean_against(bench, &(struct against){variant, over, NULL});
}

struct geomean geomean_named(const struct run_bench *bench, size_t variant, const char *base) {
  return mean_against(bench, &(struct against){variant, SIZE_MAX, base});
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

void geomean_swayed_text(const struct run_bench *bench, const struct geomean *mean, char *to, size_t size) {
  to[0] = '\0';
  if (mean->swayed == NULL) return;
  snprintf(to, size, "%sx without %.255s", number_ratio(mean->without, mean->without).text,
           bench_case_label(bench, mean->swayed, mean->swayed->preset[0] == '\0').text);
}

void geomean_count_text(const struct run_bench *bench, const struct geomean *mean, char *to, size_t size) {
  char undecided[64] = "", swayed[KEY_SIZE];
  if (mean->undecided != 0 && mean->count > 1)
    snprintf(undecided, sizeof undecided, ", %zu undecided", mean->undecided);
  geomean_swayed_text(bench, mean, swayed, sizeof swayed);
  snprintf(to, size, "%zu case%s%s%s%s", mean->count, mean->count == 1 ? "" : "s", undecided,
           swayed[0] != '\0' ? "; " : "", swayed);
}
