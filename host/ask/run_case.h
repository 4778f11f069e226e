/* RUN, parent side: one case through a worker, and through another one without the culprit when something dies. */
#ifndef ASK_RUN_CASE_H
#define ASK_RUN_CASE_H

#include "model/result.h"
#include "worker/pool.h"

struct run_case_settings {
  /* A slot as it arrives, before it is known whether its epoch will count; NULL: nobody listens. */
  void (*slot)(void *user, const struct plan_case *plan_case, size_t variant, const struct slot *slot);
  void *user;
  uint32_t epochs_used; /* of this case by an interrupted run: ours are numbered after them */
  double precision, case_time_s, leak_bytes;
  double energy_s;       /* length of a window of the energy counter; 0: it is not asked */
  uint64_t memory_limit; /* bytes; 0: none */
  uint64_t seed;
  uint32_t restarts, trajectory;
  bool quick, verify_only, profile;
};

/* Runs the case; every variant ends with a status. -1: no worker could be had; what is not settled is ROW_NOT_RUN. */
int ask_run_case(struct pool *pool, const struct plan_case *plan_case, const struct run_case_settings *settings,
                 struct case_result *result, struct err *err);

#endif
