/* Which of several variants that took turns is the fastest. Pure. */
#ifndef STATS_FASTEST_H
#define STATS_FASTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/slot.h"

struct entrant {
  const struct slot *slots;
  size_t count;
  double median_ns;
};

/* The one with the least median, if the word for it over each other one is "faster": none that may as well be equal is
 * called the fastest. SIZE_MAX: nobody, or fewer than two entrants. `lacks_processes`: with more of them it would be
 * the one. */
size_t stats_fastest(const struct entrant *entrants, size_t count, double tick_ns, uint64_t seed,
                     bool *lacks_processes);

#endif
