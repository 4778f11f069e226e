#include "stats/fastest.h"

#include <string.h>

#include "stats/gap.h"
#include "stats/restarts.h"

int stats_duel(const struct entrant *base, const struct entrant *other, const struct floor_time *floor, double tick_ns,
               uint64_t seed, struct duel *duel) {
  duel->less = RATIO_NONE;
  duel->floored = floor_counts(floor, base->median_ns) || floor_counts(floor, other->median_ns);
  if (stats_ratio_restarts(base->slots, base->count, other->slots, other->count, tick_ns, seed, &duel->raw) != 0)
    return -1;
  duel->raw.alone =
      stats_alone(fmin(base->median_ns, other->median_ns), floor->ns * fmax(1, fmax(base->kernels, other->kernels)));
  if (!base->lost && !other->lost)
    stats_ratio_floor(base->slots, base->count, other->slots, other->count, tick_ns, seed, floor, &duel->less);
  return 0;
}

const char *stats_duel_word(const struct duel *duel, bool contended) {
  return gap_or_word(&duel->raw, duel->floored ? &duel->less : NULL, contended);
}

/* Is `a` faster than `b`, but for processes that the word lacks? */
static bool is_faster(const struct entrant *a, const struct entrant *b, const struct floor_time *floor, double tick_ns,
                      uint64_t seed, bool contended, bool *lacks) {
  struct duel duel;
  if (stats_duel(b, a, floor, tick_ns, seed, &duel) != 0) return false;
  const char *word = stats_duel_word(&duel, contended);
  const bool few = gap_parse(word) == GAP_PROCESSES && stats_verdict(&duel.raw) == VERDICT_FASTER;
  *lacks = *lacks || few;
  return few || strcmp(word, stats_verdict_name(VERDICT_FASTER)) == 0;
}

size_t stats_fastest(const struct entrant *entrants, size_t count, const struct floor_time *floor, double tick_ns,
                     uint64_t seed, bool contended, bool *lacks_processes) {
  size_t best = 0;
  bool lacks = false;
  if (lacks_processes != NULL) *lacks_processes = false;
  for (size_t i = 1; i < count; i++)
    if (entrants[i].median_ns < entrants[best].median_ns) best = i;
  for (size_t i = 0; i < count; i++)
    if (i != best && !is_faster(&entrants[best], &entrants[i], floor, tick_ns, seed, contended, &lacks))
      return SIZE_MAX;
  if (lacks_processes != NULL) *lacks_processes = lacks;
  return count >= 2 && !lacks ? best : SIZE_MAX;
}
