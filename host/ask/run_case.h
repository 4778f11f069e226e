/* RUN, parent side: one case through a worker, and through another one without the culprit when something dies. */
#ifndef ASK_RUN_CASE_H
#define ASK_RUN_CASE_H

#include <math.h>

#include "ask/extras.h"
#include "stats/energy.h"
#include "stats/stats.h"
#include "worker/pool.h"

struct variant_result {
  enum row_status status;
  bool settled; /* its status is final */
  uint64_t extra_bytes;
  double error, tolerance, interleave_shift, leak_bytes_per_call;
  struct energy_figures energy; /* of the first process that asked for them */
  int64_t kernels;
  char math[ID_SIZE];
  char message[MSG_SIZE];
  struct slot *slots; /* owned samples */
  size_t slot_count;
  struct graph_desc *graph; /* what its `prepare` stated; owned; NULL: nothing */
  struct variant_extras extras;
};

#define VARIANT_RESULT_NONE                            \
  ((struct variant_result){.status = ROW_NOT_RUN,      \
                           .error = NAN,               \
                           .tolerance = NAN,           \
                           .interleave_shift = NAN,    \
                           .leak_bytes_per_call = NAN, \
                           .energy = ENERGY_UNKNOWN,   \
                           .kernels = -1})

struct case_result {
  struct variant_result *variants; /* as in the plan's case */
  size_t count;
  struct case_report report; /* of the last epoch */
};

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
void case_result_free(struct case_result *result);

#endif
