/* Shards of a plan: parts that take about the same time and run independently, perhaps on different machines. The
 * division follows from the plan alone. No I/O. */
#pragma once

#include <stdint.h>

#include "options/options.h"
#include "plan/plan.h"

/* Assigns cases to shards. `milliseconds` says how long each case is expected to take. The longest cases are assigned
 * first, each to the shard that has the least time so far; of several such shards, to the first. `shard[i]` becomes the
 * number of the shard of case i, from 1. */
void shard_divide(const uint64_t *milliseconds, size_t count, uint32_t of, uint32_t *shard);

/* Leaves only one shard's cases in the plan, in the plan's order and with all their variants. Cases that measure
 * ceilings (yardsticks) stay as well, unless the shard has no other case. `milliseconds` has the expected time of each
 * case; those of yardsticks are ignored. `alone` (may be NULL) marks cases that need the machine to themselves: all of
 * them form the last shard. `others` (may be NULL) receives the cases of the other shards except the last. */
void plan_cut(struct plan *plan, const uint64_t *milliseconds, const bool *alone, struct shard shard,
              struct plan *others);

/* Returns true if work on another GPU would disturb this case, because the host takes part in the timed work or the
 * case itself uses several devices. */
bool plan_is_alone(const struct plan_case *plan_case, const struct catalog *catalog);

/* Returns a number that two plans share only if they have the same cases, variants, baselines and settings of cases, in
 * the same order. */
uint64_t plan_identity(const struct plan *plan, const struct catalog *catalog);

/* Returns true if this key of run.ini must have the same value in all shards of a plan. Such keys describe a plugin, a
 * setting of a plugin, gpubench itself, or an option that changes the measurement. */
bool plan_holds_for(const char *pair);
