#include "stats/fastest.h"

#include "stats/gap.h"
#include "stats/restarts.h"

/* Is `a` faster than `b`, but for processes that the word lacks? */
static bool is_faster(const struct entrant *a, const struct entrant *b, double tick_ns, uint64_t seed, bool *lacks) {
  struct ratio ratio;
  if (stats_ratio_restarts(b->slots, b->count, a->slots, a->count, tick_ns, seed, &ratio) != 0) return false;
  *lacks = *lacks || stats_needs_processes(&ratio);
  return ratio.rounds >= WORD_ROUNDS && stats_verdict(&ratio) == VERDICT_FASTER;
}

size_t stats_fastest(const struct entrant *entrants, size_t count, double tick_ns, uint64_t seed,
                     bool *lacks_processes) {
  size_t best = 0;
  bool lacks = false;
  *lacks_processes = false;
  for (size_t i = 1; i < count; i++)
    if (entrants[i].median_ns < entrants[best].median_ns) best = i;
  for (size_t i = 0; i < count; i++)
    if (i != best && !is_faster(&entrants[best], &entrants[i], tick_ns, seed, &lacks)) return SIZE_MAX;
  *lacks_processes = lacks;
  return count >= 2 && !lacks ? best : SIZE_MAX;
}
