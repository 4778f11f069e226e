/* Shards of a plan: parts that are alike in time and run each by themselves, perhaps on different machines. Which case
 * is whose follows from the plan alone. Pure. */
#ifndef PLAN_SHARD_H
#define PLAN_SHARD_H

#include <stdint.h>

#include "options/options.h"
#include "plan/plan.h"

/* Who gets which case, by the milliseconds that each is reckoned to take: the longest first, each to the shard that has
 * the least so far; of equals it is the first. `shard` of each case is a number from 1. */
void shard_divide(const uint64_t *milliseconds, size_t count, uint32_t of, uint32_t *shard);

/* Leaves in the plan what one shard has: its cases, in the plan's order, with all variants, and the yardsticks, unless
 * it has no case. `milliseconds` are of all cases, those of yardsticks do not count. `alone`, or NULL: cases that are
 * all the last shard's, which has no others. `others`, or NULL: gets what other shards have that is not alone; the plan
 * keeps room for it. */
void plan_cut(struct plan *plan, const uint64_t *milliseconds, const bool *alone, struct shard shard,
              struct plan *others);

/* Is this a case that a neighbour on another GPU would disturb by nature: the host takes part in what is timed, or it
 * is on several devices itself? */
bool plan_is_alone(const struct plan_case *plan_case, const struct catalog *catalog);

/* A number that two plans share only if they have the same cases, variants, baselines and settings of cases, in the
 * same order. */
uint64_t plan_identity(const struct plan *plan, const struct catalog *catalog);

/* Is this pair of run.ini the same in all shards of a plan: a plugin, its setting, gpubench itself, an option that
 * changes what is measured? */
bool plan_holds_for(const char *pair);

#endif
