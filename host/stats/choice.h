/* Which of several denominators is the fastest, told by other rounds than those that make the ratios. What is chosen
 * for having been fast was lucky as well, and all that is divided by it would look slower than it is. So the first
 * third of each process's rounds chooses and the rest is divided; a third in a row, as noise with memory is shared by
 * neighbours. Pure. */
#ifndef STATS_CHOICE_H
#define STATS_CHOICE_H

#include "stats/fastest.h"
#include "stats/stats.h"

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
