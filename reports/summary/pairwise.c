/* Computes verdicts for all pairs of variants, and which edges (one variant is faster than another) follow from
 * others. */
#include "summary/pairwise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/record.h"
#include "stats/fastest.h"
#include "stats/gap.h"
#include "summary/bench.h"

enum { RATIOS_MAX = 5000 }; /* at most this many ratios are computed from samples, which takes about half a second */

const struct versus *pairwise_pair(const struct pairwise *pairwise, size_t variant, size_t over) {
  return &pairwise->pairs[variant * pairwise->count + over];
}

size_t pairwise_cases(const struct versus *versus) {
  return versus->faster + versus->slower + versus->same + versus->undecided;
}

double pairwise_ratio(const struct versus *versus) {
  size_t cases = pairwise_cases(versus);
  return cases > 0 ? exp(versus->log_ratio / (double)cases) : (double)NAN;
}

/* ---- Verdicts of pairs ---- */

struct opinion {
  enum verdict verdict;
  double ratio;    /* how many times faster the variant `of` is than `over` */
  double p;        /* the p-value; NaN: the verdict is from a row, where Holm's rule has been applied already */
  size_t of, over; /* the two variants: `of` is compared with `over` */
};

struct opinions {
  struct opinion *items;
  size_t count;
};

static enum verdict parse_row_verdict(const char *word) {
  return gap_is_undecided(gap_parse(text_or_empty(word))) ? VERDICT_UNDECIDED : stats_verdict_parse(word);
}

/* Returns a row's verdict about its variant and its baseline. */
static struct opinion by_row(const struct record *row) {
  struct opinion opinion = {.verdict = parse_row_verdict(row_verdict(row)), .ratio = row->speedup, .p = (double)NAN};
  if (!(row->speedup > 0) || !isfinite(row->speedup)) opinion.verdict = VERDICT_NONE;
  return opinion;
}

static struct opinion turn_opinion(struct opinion opinion) {
  enum verdict verdict = opinion.verdict;
  if (verdict == VERDICT_FASTER) opinion.verdict = VERDICT_SLOWER;
  if (verdict == VERDICT_SLOWER) opinion.verdict = VERDICT_FASTER;
  opinion.ratio = 1 / opinion.ratio;
  return opinion;
}

static struct entrant pairwise_entrant(const struct run_samples *samples, const struct record *row) {
  return (struct entrant){samples->slots, samples->count, row->median_raw_ns, isnan(row->median_ns),
                          fmax(0, (double)row->kernels)};
}

static bool is_unchecked(const struct record *row) {
  return gap_is_unchecked(gap_parse(row_verdict(row)));
}

static struct opinion by_samples(const struct run_samples *a, const struct run_samples *b, const struct record *row,
                                 const struct record *other) {
  const struct opinion none = {.verdict = VERDICT_NONE, .ratio = (double)NAN, .p = (double)NAN};
  struct duel duel;
  double tick_ns = row->tick_ns > 0 ? row->tick_ns : 0;
  if (a == NULL || b == NULL) return none;
  const struct entrant x = pairwise_entrant(a, row), y = pairwise_entrant(b, other);
  const struct launch_overhead overhead = record_overhead(row);
  if (stats_duel(&y, &x, &overhead, tick_ns, (uint64_t)row->seed, &duel) != 0) return none;
  const bool contended = row->contended > 0 || other->contended > 0;
  /* after few rounds or on a busy machine the p-value counts only if the interval is far from 1 */
  const bool sure =
      gap_of_row(contended, (int64_t)duel.raw.rounds) == GAP_NONE || gap_is_beyond(duel.raw.lo99, duel.raw.hi99);
  enum verdict verdict = parse_row_verdict(stats_duel_word(&duel, contended));
  const bool unchecked = is_unchecked(row) || is_unchecked(other);
  if (verdict != VERDICT_NONE && unchecked && record_is_between(row, other)) verdict = VERDICT_UNDECIDED;
  if (record_word_taken(verdict, row, other) != 0) verdict = VERDICT_UNDECIDED;
  return (struct opinion){
      .verdict = verdict, .ratio = duel.raw.speedup, .p = sure ? stats_word_p(&duel.raw) : (double)NAN};
}

static void count_opinion(struct versus *versus, struct opinion opinion) {
  versus->faster += opinion.verdict == VERDICT_FASTER;
  versus->slower += opinion.verdict == VERDICT_SLOWER;
  versus->same += opinion.verdict == VERDICT_SAME;
  versus->undecided += opinion.verdict == VERDICT_UNDECIDED;
  if (opinion.verdict != VERDICT_NONE) versus->log_ratio += log(opinion.ratio);
}

static void compare_case(struct opinions *opinions, size_t count, const struct run_case *point,
                         const struct run_samples *const *samples) {
  for (size_t a = 0; a < count; a++)
    for (size_t b = a + 1; b < count; b++) {
      const struct record *x = point->rows[a], *y = point->rows[b];
      if (!row_contends(x) || !row_contends(y)) continue;
      struct opinion opinion = y == baseline_of(point, x)   ? by_row(x)
                               : x == baseline_of(point, y) ? turn_opinion(by_row(y))
                                                            : by_samples(samples[a], samples[b], x, y);
      opinion.of = a;
      opinion.over = b;
      opinions->items = xgrow(opinions->items, opinions->count, sizeof *opinions->items);
      opinions->items[opinions->count++] = opinion;
    }
}

/* Counts all verdicts. Holm's rule is applied to the verdicts computed from samples (between two variants that are not
 * the baseline); to the verdicts of rows it has been applied already. */
static void count_opinions(struct pairwise *pairwise, const struct opinions *opinions) {
  SCOPED double *p = xcalloc(opinions->count, sizeof *p);
  SCOPED bool *sure = xcalloc(opinions->count, sizeof *sure);
  for (size_t i = 0; i < opinions->count; i++)
    p[i] = opinions->items[i].p;
  stats_holm(p, opinions->count, STATS_FAMILY_ERROR, sure);
  for (size_t i = 0; i < opinions->count; i++) {
    struct opinion opinion = opinions->items[i];
    const bool differs = opinion.verdict == VERDICT_FASTER || opinion.verdict == VERDICT_SLOWER;
    if (differs && p[i] >= 0 && !sure[i]) opinion.verdict = VERDICT_UNDECIDED;
    count_opinion(&pairwise->pairs[opinion.of * pairwise->count + opinion.over], opinion);
    count_opinion(&pairwise->pairs[opinion.over * pairwise->count + opinion.of], turn_opinion(opinion));
  }
}

static void find_samples(const struct run_data *data, const struct run_case *point, size_t count,
                         const struct run_samples **samples) {
  for (size_t v = 0; v < count; v++) {
    const struct record *row = point->rows[v];
    bool needed = row_contends(row) && row != point->base;
    samples[v] = needed ? run_data_samples_of(data, row) : NULL;
  }
}

/* ---- Edges between variants ---- */

/* Returns true if there is a path from `from` to `to` that does not use the direct edge. */
static bool reaches(const bool *edges, size_t count, size_t from, size_t to) {
  SCOPED bool *seen = xcalloc(count, sizeof *seen);
  SCOPED size_t *waiting = xcalloc(count, sizeof *waiting);
  size_t waits = 1;
  bool found = false;
  waiting[0] = from;
  seen[from] = true;
  while (waits > 0 && !found) {
    size_t at = waiting[--waits];
    for (size_t next = 0; next < count && !found; next++) {
      if (!edges[at * count + next] || seen[next] || (at == from && next == to)) continue;
      found = next == to;
      seen[next] = true;
      waiting[waits++] = next;
    }
  }
  return found;
}

void pairwise_reduce(const bool *edges, size_t count, bool *kept) {
  memcpy(kept, edges, count * count * sizeof *kept);
  for (size_t a = 0; a < count; a++)
    for (size_t b = 0; b < count; b++)
      if (kept[a * count + b] && !reaches(edges, count, b, a) && reaches(kept, count, a, b))
        kept[a * count + b] = false;
}

void pairwise_build(const struct run_data *data, const struct run_bench *bench, struct pairwise *pairwise) {
  size_t count = bench->variant_count;
  SCOPED const struct run_samples **samples = xcalloc(count, sizeof *samples);
  struct opinions opinions = {0};
  *pairwise = (struct pairwise){.count = count,
                                .pairs = xcalloc(count * count, sizeof *pairwise->pairs),
                                .edges = xcalloc(count * count, sizeof *pairwise->edges),
                                .shown = xcalloc(count * count, sizeof *pairwise->shown)};
  size_t ratios = data->sample_count > 0 && count > 2 ? (count - 1) * (count - 2) / 2 : 1, most = RATIOS_MAX / ratios;
  bool all = data->sample_count == 0 || bench->case_count <= most;
  pairwise->cases = all ? bench->case_count : most > 0 ? most : 1;
  for (size_t i = 0; i < pairwise->cases; i++) {
    const struct run_case *point = &bench->cases[all ? i : i * bench->case_count / pairwise->cases];
    find_samples(data, point, count, samples);
    compare_case(&opinions, count, point, samples);
  }
  count_opinions(pairwise, &opinions);
  free(opinions.items);
  for (size_t i = 0; i < count * count; i++) {
    pairwise->edges[i] = pairwise->pairs[i].faster > 0 && pairwise->pairs[i].slower == 0;
    pairwise->compared += pairwise_cases(&pairwise->pairs[i]) > 0;
  }
  pairwise->compared /= 2;
  pairwise_reduce(pairwise->edges, count, pairwise->shown);
}

void pairwise_free(struct pairwise *pairwise) {
  free(pairwise->pairs);
  free(pairwise->edges);
  free(pairwise->shown);
  *pairwise = (struct pairwise){0};
}
