/* What the variants of a case say of each other: speedups with their words, and which is the fastest. */
#include "run/speedup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/precision.h"
#include "stats/choice.h"
#include "stats/fastest.h"
#include "stats/gap.h"
#include "stats/restarts.h"

/* The ratio of what is left without the floor, and how far the floor's uncertainty can move it. */
static void set_corrected(struct record *r, const struct record *base) {
  double unc = r->floor_unc_ns;
  if (isnan(r->median_ns) || isnan(base->median_ns)) return;
  r->speedup_corrected = base->median_ns / r->median_ns;
  double high = (base->median_ns + unc) / (r->median_ns + unc), low = (base->median_ns - unc) / (r->median_ns - unc);
  r->speedup_corrected_unc = fabs(high - low) / 2;
}

static void set_speedup(struct record *r, const struct record *base, const struct variant_result *v,
                        const struct variant_result *base_result, bool chosen, double tick_ns, uint64_t seed) {
  struct ratio ratio;
  if (v == base_result) {
    r->speedup = 1;
    return;
  }
  if ((chosen ? choice_ratio : stats_ratio_restarts)(base_result->slots, base_result->slot_count, v->slots,
                                                     v->slot_count, tick_ns, seed, &ratio) != 0) {
    if (ratio.rounds == 0)
      record_set(&r->message, "no speedup: the baseline was measured in another process after a crash");
    return;
  }
  r->speedup = ratio.speedup;
  r->speedup_lo = ratio.lo95;
  r->speedup_hi = ratio.hi95;
  r->speedup_lo99 = ratio.lo99;
  r->speedup_hi99 = ratio.hi99;
  set_corrected(r, base);
  record_set(&r->verdict, gap_or_word(&ratio, r->contended > 0 || base->contended > 0));
  if (precision_bits(r->math) < precision_bits(base->math)) {
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%s against a baseline in %s", r->math, base->math);
    record_set(&r->message, text);
  }
}

/* Each row's over its own denominator, which it names whether or not there is a ratio. */
static void set_speedups(const struct plan_case *p, const struct case_result *result, double tick_ns, uint64_t seed,
                         struct record *records) {
  struct denominator *against = xcalloc(p->variant_count, sizeof *against);
  double *medians = xcalloc(p->variant_count, sizeof *medians);
  for (size_t i = 0; i < p->variant_count; i++) {
    const struct variant_result *v = &result->variants[i];
    against[i] = p->variants[i].against;
    medians[i] = records[i].median_raw_ns > 0 ? choice_median(v->slots, v->slot_count, tick_ns, seed) : (double)NAN;
  }
  for (size_t i = 0; i < p->variant_count; i++) {
    const size_t at = denominator_of(against, medians, p->variant_count, i);
    if (at == SIZE_MAX) continue;
    record_set(&records[i].baseline, p->variants[at].name);
    const struct variant_result *v = &result->variants[i], *base = &result->variants[at];
    bool both_ok = base->status == ROW_OK && v->status == ROW_OK && records[i].yardstick != 1;
    both_ok = both_ok && !(records[i].above_roof > 0) && !(records[at].above_roof > 0);
    if (both_ok && base->slot_count > 0 && v->slot_count > 0)
      set_speedup(&records[i], &records[at], v, base, denominator_is_chosen(against, p->variant_count, i), tick_ns,
                  seed);
  }
  free(against);
  free(medians);
}

/* Whoever was timed takes part, whatever else is said of it: nobody is called the fastest beside one that is in doubt.
 */
static bool takes_part(const struct record *r) {
  return r->median_raw_ns > 0 && r->yardstick != 1;
}

static bool words_agree(const struct plan_case *p, const struct record *records, size_t best) {
  const struct record **rows = xcalloc(p->variant_count, sizeof *rows);
  for (size_t i = 0; i < p->variant_count; i++)
    rows[i] = &records[i];
  const bool agree = record_star_agrees(rows, p->variant_count, &records[best]);
  free(rows);
  return agree;
}

static bool set_fastest(const struct plan_case *p, const struct case_result *result, double tick_ns, uint64_t seed,
                        struct record *records) {
  struct entrant *entrants = xcalloc(p->variant_count, sizeof *entrants);
  size_t *rows = xcalloc(p->variant_count, sizeof *rows), count = 0;
  bool doubt = false, lacks = false;
  for (size_t i = 0; i < p->variant_count; i++) {
    const struct variant_result *v = &result->variants[i];
    if (!takes_part(&records[i])) continue;
    doubt = doubt || records[i].above_roof > 0 || records[i].contended > 0;
    rows[count] = i;
    entrants[count++] = (struct entrant){v->slots, v->slot_count, records[i].median_raw_ns};
  }
  size_t best = doubt ? SIZE_MAX : stats_fastest(entrants, count, tick_ns, seed, &lacks);
  if (best != SIZE_MAX && !words_agree(p, records, rows[best])) best = SIZE_MAX;
  for (size_t i = 0; i < count && count >= 2; i++)
    records[rows[i]].fastest = i == best;
  free(rows);
  free(entrants);
  return lacks;
}

bool speedup_case(const struct plan_case *p, const struct case_result *result, double tick_ns, uint64_t seed,
                  struct record *records) {
  bool lacks = false;
  set_speedups(p, result, tick_ns, seed, records);
  for (size_t i = 0; i < p->variant_count; i++)
    lacks = lacks || gap_parse(text_or_empty(records[i].verdict)) == GAP_PROCESSES;
  return set_fastest(p, result, tick_ns, seed, records) || lacks;
}
