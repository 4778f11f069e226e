#include "stats/fastest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/gap.h"
#include "stats/restarts.h"

int stats_duel(const struct entrant *base, const struct entrant *other, const struct launch_overhead *overhead,
               double tick_ns, uint64_t seed, struct duel *duel) {
  duel->less = RATIO_NONE;
  duel->launch_limited = overhead_counts(overhead, base->median_ns) || overhead_counts(overhead, other->median_ns);
  if (stats_ratio_restarts(base->slots, base->count, other->slots, other->count, tick_ns, seed, &duel->raw) != 0)
    return -1;
  duel->raw.alone =
      stats_alone(fmin(base->median_ns, other->median_ns), overhead->ns * fmax(1, fmax(base->kernels, other->kernels)));
  if (!base->lost && !other->lost)
    stats_ratio_overhead(base->slots, base->count, other->slots, other->count, tick_ns, seed, overhead, &duel->less);
  return 0;
}

const char *stats_duel_word(const struct duel *duel, bool contended) {
  return gap_or_word(&duel->raw, duel->launch_limited ? &duel->less : NULL, contended);
}

/* Returns true if the verdict is that `a` is faster than `b`. Also returns true, and sets `*lacks`, if only more
 * processes are needed for that verdict. */
static bool is_faster(const struct entrant *a, const struct entrant *b, const struct launch_overhead *overhead,
                      double tick_ns, uint64_t seed, bool contended, bool *lacks) {
  struct duel duel;
  if (stats_duel(b, a, overhead, tick_ns, seed, &duel) != 0) return false;
  const char *word = stats_duel_word(&duel, contended);
  const bool few = gap_parse(word) == GAP_PROCESSES && stats_verdict(&duel.raw) == VERDICT_FASTER;
  *lacks = *lacks || few;
  return few || strcmp(word, stats_verdict_name(VERDICT_FASTER)) == 0;
}

size_t stats_fastest(const struct entrant *entrants, size_t count, const struct launch_overhead *overhead,
                     double tick_ns, uint64_t seed, bool contended, bool *lacks_processes) {
  size_t best = 0;
  bool lacks = false;
  if (lacks_processes != NULL) *lacks_processes = false;
  for (size_t i = 1; i < count; i++)
    if (entrants[i].median_ns < entrants[best].median_ns) best = i;
  for (size_t i = 0; i < count; i++)
    if (i != best && !is_faster(&entrants[best], &entrants[i], overhead, tick_ns, seed, contended, &lacks))
      return SIZE_MAX;
  if (lacks_processes != NULL) *lacks_processes = lacks;
  return count >= 2 && !lacks ? best : SIZE_MAX;
}

/* A subset of a variant's slots. */
struct part {
  struct slot *slots;
  size_t count;
};

/* Returns some of the slots. If `choose` is set, they are those of the first third of the rounds of each process, from
 * which the denominator of ratios is chosen. Otherwise they are those of all later rounds, from which the ratios are
 * computed. The caller frees part.slots. */
static struct part part_of(const struct slot *slots, size_t count, bool choose) {
  struct part part = {xcalloc(count, sizeof *part.slots), 0};
  for (size_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && slots[end].epoch == slots[begin].epoch)
      end++;
    const uint32_t choosing = (slots[end - 1].round + 1) / 3;
    for (size_t i = begin; i < end; i++)
      if ((slots[i].round < choosing) == choose) part.slots[part.count++] = slots[i];
  }
  return part;
}

double choice_median(const struct slot *slots, size_t count, double tick_ns, uint64_t seed) {
  const struct part first = part_of(slots, count, true);
  double median = NAN;
  struct interval ci95;
  if (stats_median_interval(first.slots, first.count, tick_ns, seed, &median, &ci95) != 0) median = NAN;
  free(first.slots);
  return median;
}

int choice_ratio(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                 double tick_ns, uint64_t seed, struct ratio *ratio) {
  const struct part a = part_of(base, base_count, false), b = part_of(other, other_count, false);
  const int rc = stats_ratio_restarts(a.slots, a.count, b.slots, b.count, tick_ns, seed, ratio);
  free(a.slots);
  free(b.slots);
  return rc;
}

int choice_duel(const struct entrant *base, const struct entrant *other, const struct launch_overhead *overhead,
                double tick_ns, uint64_t seed, struct duel *duel) {
  const struct part a = part_of(base->slots, base->count, false), b = part_of(other->slots, other->count, false);
  const struct entrant x = {a.slots, a.count, base->median_ns, base->lost, base->kernels};
  const struct entrant y = {b.slots, b.count, other->median_ns, other->lost, other->kernels};
  const int rc = stats_duel(&x, &y, overhead, tick_ns, seed, duel);
  free(a.slots);
  free(b.slots);
  return rc;
}
