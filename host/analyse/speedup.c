/* Compares the variants of a case: speedups with their verdicts, and which one is the fastest. */
#include "analyse/speedup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/precision.h"
#include "record/record.h"
#include "stats/fastest.h"
#include "stats/gap.h"

static struct entrant duel_entrant(const struct record *r, const struct variant_result *v) {
  return (struct entrant){v->slots, v->slot_count, r->median_raw_ns, isnan(r->median_ns), fmax(0, (double)r->kernels)};
}

/* Returns `end`, or NaN if it is infinite. An end of an interval may be infinite if only two processes were measured.
 */
static double known_end(double end) {
  return isfinite(end) ? end : NAN;
}

static void set_ratios(struct record *r, const struct duel *duel) {
  r->speedup = duel->raw.speedup;
  r->speedup_lo = duel->raw.lo95;
  r->speedup_hi = duel->raw.hi95;
  r->speedup_lo99 = known_end(duel->raw.lo99);
  r->speedup_hi99 = known_end(duel->raw.hi99);
  r->speedup_corrected = duel->less.speedup;
  r->speedup_corrected_lo = known_end(duel->less.lo95);
  r->speedup_corrected_hi = known_end(duel->less.hi95);
  r->speedup_corrected_lo99 = known_end(duel->less.lo99);
  r->speedup_corrected_hi99 = known_end(duel->less.hi99);
}

static void set_reasons(struct record *r, const struct record *base) {
  char text[UNPROVEN_TEXT];
  unproven_print(record_unproven(r, base), text, sizeof text);
  record_set(&r->unproven, text);
}

/* Sets the verdict `word`. If a mark of one of the two rows means that this verdict is not proven, sets the verdict
 * "unproven" instead. */
static void set_word(struct record *r, const struct record *base, const char *word) {
  set_reasons(r, base);
  const bool taken = record_word_taken(stats_verdict_parse(word), r, base) != 0;
  record_set(&r->verdict, taken ? gap_name(GAP_UNPROVEN) : word);
}

static void compare_to_base(struct record *r, const struct record *base, const struct variant_result *v,
                            const struct variant_result *base_result, bool chosen, double tick_ns, uint64_t seed) {
  const struct entrant other = duel_entrant(r, v), denominator = duel_entrant(base, base_result);
  const struct launch_overhead overhead = record_overhead(r);
  struct duel duel;
  if (v == base_result) {
    r->speedup = 1;
    return;
  }
  if ((chosen ? choice_duel : stats_duel)(&denominator, &other, &overhead, tick_ns, seed, &duel) != 0) {
    if (duel.raw.rounds == 0) record_add_message(r, "no speedup: the baseline was not measured in the same process");
    return;
  }
  const bool contended = r->contended > 0 || base->contended > 0;
  set_ratios(r, &duel);
  const char *word = stats_duel_word(&duel, contended);
  set_word(r, base, word);
  /* The p-value tests whether the two variants are equal. Equal variants have equal times both with the launch overhead
   * and without it, so the p-value of one of these ratios is enough. */
  if (gap_of_row(contended, (int64_t)duel.raw.rounds) == GAP_NONE || gap_is_beyond(duel.raw.lo99, duel.raw.hi99))
    r->speedup_p = stats_word_p(&duel.raw);
  if (precision_bits(r->math) < precision_bits(base->math)) {
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%s against a baseline in %s", r->math, base->math);
    record_add_message(r, text);
  }
}

/* Sets each row's speedup over its baseline. The row names the baseline even if no ratio can be computed. */
static void set_speedups(const struct plan_case *p, const struct case_result *result, double tick_ns, uint64_t seed,
                         struct record *records) {
  SCOPED struct denominator *against = xcalloc(p->variant_count, sizeof *against);
  SCOPED double *medians = xcalloc(p->variant_count, sizeof *medians);
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
    both_ok = both_ok && !(records[i].above_ceiling > 0) && !(records[at].above_ceiling > 0);
    if (both_ok && base->slot_count > 0 && v->slot_count > 0)
      compare_to_base(&records[i], &records[at], v, base, denominator_is_chosen(against, p->variant_count, i), tick_ns,
                      seed);
  }
}

/* Returns true if the row takes part in the search for the fastest variant. Every timed variant does, whatever its
 * marks, so that no variant is called the fastest while a doubtful row may be faster. */
static bool is_entrant(const struct record *r) {
  return r->median_raw_ns > 0 && r->yardstick != 1;
}

static bool words_agree(const struct plan_case *p, const struct record *records, size_t best) {
  SCOPED const struct record **rows = xcalloc(p->variant_count, sizeof *rows);
  for (size_t i = 0; i < p->variant_count; i++)
    rows[i] = &records[i];
  return record_star_agrees(rows, p->variant_count, &records[best]);
}

static void set_fastest(const struct plan_case *p, const struct case_result *result, double tick_ns, uint64_t seed,
                        struct record *records) {
  SCOPED struct entrant *entrants = xcalloc(p->variant_count, sizeof *entrants);
  SCOPED size_t *rows = xcalloc(p->variant_count, sizeof *rows);
  size_t count = 0;
  /* the launch overhead, which is the same for all variants of a case */
  struct launch_overhead overhead = {NAN, NAN};
  bool doubt = false, contended = false;
  for (size_t i = 0; i < p->variant_count; i++) {
    const struct variant_result *v = &result->variants[i];
    if (!is_entrant(&records[i])) continue;
    doubt = doubt || records[i].above_ceiling > 0;
    contended = contended || records[i].contended > 0;
    rows[count] = i;
    entrants[count++] = duel_entrant(&records[i], v);
    overhead = record_overhead(&records[i]);
  }
  size_t best = doubt ? SIZE_MAX : stats_fastest(entrants, count, &overhead, tick_ns, seed, contended, NULL);
  if (best != SIZE_MAX && !words_agree(p, records, rows[best])) best = SIZE_MAX;
  for (size_t i = 0; i < count && count >= 2; i++)
    records[rows[i]].fastest = i == best;
}

static const struct record *row_of_baseline(const struct plan_case *p, const struct record *records, size_t i) {
  for (size_t j = 0; j < p->variant_count; j++)
    if (j != i && strcmp(p->variants[j].name, text_or_empty(records[i].baseline)) == 0) return &records[j];
  return NULL;
}

void speedup_judge_again(const struct plan_case *p, struct record *records) {
  for (size_t i = 0; i < p->variant_count; i++) {
    const struct record *base = row_of_baseline(p, records, i);
    const enum verdict word = stats_verdict_parse(records[i].verdict);
    if (base == NULL || !(records[i].speedup > 0)) continue;
    if (word != VERDICT_NONE)
      set_word(&records[i], base, stats_verdict_name(word));
    else
      set_reasons(&records[i], base);
  }
}

void speedup_check_star(const struct plan_case *p, struct record *records) {
  for (size_t i = 0; i < p->variant_count; i++)
    if (records[i].fastest == 1 && !words_agree(p, records, i)) records[i].fastest = 0;
}

bool speedup_case(const struct plan_case *p, const struct case_result *result, double tick_ns, uint64_t seed,
                  struct record *records) {
  bool lacks = false;
  set_speedups(p, result, tick_ns, seed, records);
  for (size_t i = 0; i < p->variant_count; i++)
    lacks = lacks || gap_parse(text_or_empty(records[i].verdict)) == GAP_PROCESSES;
  set_fastest(p, result, tick_ns, seed, records);
  return lacks;
}
