/* The tasks of a run: from the selections to the cases of the present device. */
#pragma once

#include "options/options.h"
#include "plan/plan.h"

struct planning {
  struct selection typed;       /* from the command line; it narrows those of suites */
  struct selection *selections; /* of suites; without suites a copy of `typed` */
  size_t selection_count;
  struct catalog catalog; /* what the plugins offer */
  struct strings refused; /* reasons, one per refused plugin */
  /* plugins without a part here, because there is no variant for such a device or no Python; a sentence each */
  struct strings elsewhere;
  double max_time_s;
  struct plan plan;    /* for the present device */
  struct plan others;  /* cases of other jobs, which this one may take over */
  char *claims;        /* folder of the jobs' claims; NULL: no case moves between jobs */
  struct shard shard;  /* its part of the whole plan; of 0: all of it */
  size_t whole;        /* number of cases in the whole plan */
  size_t first_plugin; /* plugin of its first case */
  uint64_t identity;   /* plan_identity() of the whole plan, with the backend */
};

/* Returns true for a shard without cases, which measures nothing and is complete. */
static inline bool planning_is_empty(const struct planning *planning) {
  return planning->shard.of > 0 && planning->plan.count == 0;
}

/* DESCRIBE: reads the selections and describes the plugins that they name, which become absolute paths there. */
int planning_select(struct planning *planning, const struct options *options, struct err *err);
void planning_free(struct planning *planning);
