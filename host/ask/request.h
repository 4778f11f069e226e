/* What a worker is asked about a case: the parent's indices as the worker knows them. */
#ifndef ASK_REQUEST_H
#define ASK_REQUEST_H

#include "model/result.h"
#include "options/options.h"
#include "worker/pool.h"

/* How a case is to be run. */
struct run_case_settings {
  /* A slot as it arrives, before it is known whether its epoch will count; NULL: nobody listens. */
  void (*slot)(void *user, const struct plan_case *plan_case, size_t variant, const struct slot *slot);
  void *user;
  uint32_t epochs_used; /* of this case by an interrupted run: ours are numbered after them */
  double precision, case_time_s, leak_bytes;
  int64_t until_ns;        /* when its last process is to end, by the monotonic clock; 0: whenever it does */
  int64_t last_ns;         /* when nothing of it may go on, or later cases have no time; 0: whenever it ends */
  int64_t trials_until_ns; /* when variants that are suspected of something are no longer tried apart; 0: never */
  double energy_s;         /* length of a window of the energy counter; 0: it is not asked */
  uint64_t memory_limit;   /* bytes; 0: none */
  uint64_t seed;
  uint32_t restarts;
  uint32_t trajectory;
  bool quick, verify_only, profile;
  bool others_wait; /* rows come after it */
  bool isolated;    /* a process for each provider */
};

/* As it was asked for; `slot`, `user`, `epochs_used`, `until_ns` and `trials_until_ns` are the caller's. */
struct run_case_settings request_settings(const struct options *options, const struct bench_desc *bench,
                                          const struct plan_case *plan_case);

/* Of no variant yet. The caller frees. */
struct case_request *request_new(const struct pool_worker *member, const struct plan_case *plan_case);

/* At the end; false when CASE_VARIANTS_MAX are there. Its `against` is still the plan's. */
bool request_add(struct case_request *request, const struct pool_worker *member, const struct plan_variant *variant);

/* As the settings have it. */
void request_set(struct case_request *request, const struct run_case_settings *settings);

#endif
