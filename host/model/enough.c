#include "model/enough.h"

#include <math.h>

#include "stats/fastest.h"
#include "stats/gap.h"
#include "stats/stats.h"

/* Returns a half width in ns. An interval with at most this half width is narrow enough, however high the precision is
 * that is asked for. */
static double narrowest_ns(const struct enough_terms *terms) {
  enum { LEAST_NS = 20 };
  return fmax(LEAST_NS, terms->tick_ns);
}

/* Computes the median of each variant from its slots so far, NaN if there is none, and whether the confidence interval
 * of that median is as narrow as asked. */
static void find_medians(const struct enough_terms *terms, const struct enough_variant *variants, uint32_t count,
                         double *medians, bool *narrow) {
  for (uint32_t i = 0; i < count; i++) {
    const struct enough_variant *v = &variants[i];
    struct interval ci95;
    medians[i] = NAN;
    narrow[i] = false;
    if (!v->alive ||
        stats_median_interval(v->slots, v->slot_count, terms->tick_ns, terms->seed, &medians[i], &ci95) != 0)
      continue;
    narrow[i] =
        terms->precision > 0 && (ci95.hi - ci95.lo) / 2 <= fmax(terms->precision * medians[i], narrowest_ns(terms));
  }
}

/* Finds, for each variant, the index of its denominator (the variant that it is compared with); SIZE_MAX: it has none.
 * If several candidates compete, their times in the first rounds choose one of them. */
static void find_denominators(const struct enough_terms *terms, const struct enough_variant *variants, uint32_t count,
                              const double *medians, size_t *at, bool *chosen) {
  double choice[CASE_VARIANTS_MAX];
  struct denominator against[CASE_VARIANTS_MAX];
  for (uint32_t i = 0; i < count; i++) {
    const struct enough_variant *v = &variants[i];
    against[i] = v->against;
    choice[i] = NAN;
    if (v->against.common != 0 && !isnan(medians[i]))
      choice[i] = choice_median(v->slots, v->slot_count, terms->tick_ns, terms->seed);
  }
  for (uint32_t i = 0; i < count; i++) {
    at[i] = denominator_of(against, choice, count, i);
    chosen[i] = denominator_is_chosen(against, count, i);
  }
}

/* Returns true if the interval of the ratio of `base` and `v` is narrow enough: half its width is at most 0.7 times the
 * precision that is asked of a median. */
static bool is_narrow_ratio(const struct enough_terms *terms, const struct enough_variant *base,
                            const struct enough_variant *v, bool chosen, double median) {
  struct ratio ratio;
  if ((chosen ? choice_ratio : stats_ratio)(base->slots, base->slot_count, v->slots, v->slot_count, terms->tick_ns,
                                            terms->seed, &ratio) != 0)
    return false;
  return ratio.half_width95 <= fmax(0.7 * terms->precision, narrowest_ns(terms) / median);
}

/* If the times of several candidates decide which of them the other variants are compared with, sets `partner` for all
 * variants that are still measured. So each of them is sampled until all are precise. */
bool enough_precise(const struct enough_terms *terms, struct enough_variant *variants, uint32_t count) {
  double medians[CASE_VARIANTS_MAX];
  size_t over[CASE_VARIANTS_MAX];
  bool narrow[CASE_VARIANTS_MAX], chosen[CASE_VARIANTS_MAX], all = true, any_chosen = false;
  find_medians(terms, variants, count, medians, narrow);
  find_denominators(terms, variants, count, medians, over, chosen);
  for (uint32_t i = 0; i < count; i++)
    variants[i].partner = false;
  for (uint32_t i = 0; i < count; i++) {
    struct enough_variant *v = &variants[i];
    const size_t at = over[i];
    const bool compared = at < count && at != i && !isnan(medians[at]);
    if (!v->alive) continue;
    v->precise =
        v->precise || (narrow[i] && (!compared || is_narrow_ratio(terms, &variants[at], v, chosen[i], medians[i])));
    if (!v->precise && compared) variants[at].partner = true;
    any_chosen = any_chosen || chosen[i];
    all = all && v->precise;
  }
  for (uint32_t i = 0; i < count && any_chosen; i++)
    if (variants[i].alive) variants[i].partner = true;
  return all;
}

bool enough_wants_slot(bool precise, bool partner) {
  return !precise || partner;
}

/* ---- Time ---- */

int64_t enough_more_ns(const struct enough_times *times) {
  return (times->until_ns - times->started_ns) / 2;
}

/* Returns true if the case's time is used up. A verdict (faster, slower or same) needs WORD_ROUNDS rounds. A case that
 * has fewer may take 1.5 times as long as planned. */
static bool budget_is_over(const struct enough_times *times, uint32_t rounds) {
  const int64_t more = rounds < WORD_ROUNDS ? enough_more_ns(times) : 0;
  return times->until_ns != 0 && times->now_ns + (int64_t)(times->left_s * 1e9) > times->until_ns + more;
}

enum stop_reason enough_time(const struct enough_times *times, uint32_t rounds) {
  if (rounds < ROUNDS_LEAST) return STOP_NONE;
  const double most_s = times->case_time_s * (times->lacks_verifications ? VERIFICATION_TIMES : 1);
  if ((double)(times->now_ns - times->sampling_ns) * 1e-9 > most_s) return STOP_CASE_TIME;
  return budget_is_over(times, rounds) ? STOP_BUDGET : STOP_NONE;
}
