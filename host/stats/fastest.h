/* Which of several variants that took turns is the fastest. Pure. */
#ifndef STATS_FASTEST_H
#define STATS_FASTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/floor.h"
#include "stats/slot.h"
#include "stats/stats.h"

struct entrant {
  const struct slot *slots;
  size_t count;
  double median_ns;
  bool lost;      /* nothing is known of its time less the floor */
  double kernels; /* that follow each other in an iteration; 0: as one */
};

/* What two that took turns are to each other, of raw times and of times less the floor. */
struct duel {
  struct ratio raw, less;
  bool floored; /* the floor counts in a time: words need both */
};

/* Returns -1 where there is no ratio; then `raw.rounds` may be known. */
int stats_duel(const struct entrant *base, const struct entrant *other, const struct floor_time *floor, double tick_ns,
               uint64_t seed, struct duel *duel);
const char *stats_duel_word(const struct duel *duel, bool contended);

/* The one with the least median, if the word for it over each other one is "faster": none that may as well be equal is
 * called the fastest. SIZE_MAX: nobody, or fewer than two entrants. `lacks_processes` (may be NULL): with more of
 * them it would be the one. */
size_t stats_fastest(const struct entrant *entrants, size_t count, const struct floor_time *floor, double tick_ns,
                     uint64_t seed, bool contended, bool *lacks_processes);

/* Median of the rounds that choose; NaN: there are none. Slots of a process stand together, in order of their rounds.
 */
double choice_median(const struct slot *slots, size_t count, double tick_ns, uint64_t seed);

/* As stats_ratio_restarts, of the other rounds. */
int choice_ratio(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                 double tick_ns, uint64_t seed, struct ratio *ratio);

/* As stats_duel, of the other rounds. */
int choice_duel(const struct entrant *base, const struct entrant *other, const struct floor_time *floor, double tick_ns,
                uint64_t seed, struct duel *duel);

#endif
