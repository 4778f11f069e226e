/* The plan of a run: the selections of the user, the plugins, and the cases on the present device. */
#pragma once

#include "options/options.h"
#include "plan/plan.h"

struct planning {
  struct selection typed;       /* the selection on the command line; it narrows the selections of suites */
  struct selection *selections; /* selections of the suites; without suites, a copy of `typed` */
  size_t selection_count;
  struct catalog catalog; /* what the plugins offer */
  struct strings refused; /* one reason for each plugin that was refused */
  /* a sentence for each plugin that is left out because it has no variant for the run's kind of device, or because it
   * is a script and there is no Python */
  struct strings unsupported;
  double max_time_s;
  struct plan plan;   /* the plan for the present device */
  struct plan others; /* cases of other jobs (runs that measure other parts of the plan) that this one may take over */
  char *claims;       /* folder of the files by which jobs claim cases; NULL: jobs take over no cases */
  /* the part of the whole plan that this run measures; `of` is 0 if it measures the whole plan */
  struct shard shard;
  size_t whole;        /* number of cases in the plan of all shards together */
  size_t first_plugin; /* catalog index of the plugin that defines the bench of the first case */
  /* a number that is the same in all shards of one run; made from plan_identity() of the whole plan and from the
   * backend */
  uint64_t identity;
};

/* Returns true for a shard (part of a divided plan) without cases. Such a run measures nothing and is complete. */
static inline bool planning_is_empty(const struct planning *planning) {
  return planning->shard.of > 0 && planning->plan.count == 0;
}

/* Reads the selections and describes the plugins that they name. Names of plugins in the selections become absolute
 * paths. */
int planning_select(struct planning *planning, const struct options *options, struct err *err);
void planning_free(struct planning *planning);
