#include "stats/choice.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/restarts.h"

/* Some slots of a variant. */
struct part {
  struct slot *slots;
  size_t count;
};

/* Those that choose, or the others. */
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

int choice_duel(const struct entrant *base, const struct entrant *other, const struct floor_time *floor, double tick_ns,
                uint64_t seed, struct duel *duel) {
  const struct part a = part_of(base->slots, base->count, false), b = part_of(other->slots, other->count, false);
  const struct entrant x = {a.slots, a.count, base->median_ns, base->lost, base->kernels};
  const struct entrant y = {b.slots, b.count, other->median_ns, other->lost, other->kernels};
  const int rc = stats_duel(&x, &y, floor, tick_ns, seed, duel);
  free(a.slots);
  free(b.slots);
  return rc;
}
