/* What a run is to do: from what is asked for to the cases of the device whose turn it is. */
#ifndef RUN_PLANNING_H
#define RUN_PLANNING_H

#include "options/options.h"
#include "plan/plan.h"

struct planning {
  struct selection typed;       /* the command line's, which narrows those of suites */
  struct selection *selections; /* of suites; without one a copy of what was typed */
  size_t selection_count;
  struct catalog catalog; /* what the plugins offer */
  struct strings refused; /* plugins, by why */
  struct strings
      elsewhere; /* plugins without a part here: no variant for such a device, or no Python; a sentence each */
  double max_time_s;
  struct plan plan;    /* on the device whose turn it is */
  struct plan others;  /* cases of other jobs, which this one may take over */
  char *claims;        /* the folder of what jobs have begun; NULL: nothing is taken over from this one */
  struct shard shard;  /* the part of the whole plan that this is; of 0: all of it */
  size_t whole;        /* cases that the whole plan asks for */
  size_t first_plugin; /* whose case is its first */
  uint64_t identity;   /* of it and the backend: plan_identity() */
};

/* Is it a shard without a case? It measures nothing, and is whole. */
static inline bool planning_is_empty(const struct planning *planning) {
  return planning->shard.of > 0 && planning->plan.count == 0;
}

/* DESCRIBE: selections, and the plugins that they name, which become absolute paths there. */
int planning_select(struct planning *planning, const struct options *options, struct err *err);
void planning_free(struct planning *planning);

#endif
