/* Requests to a worker about a case: translates the parent's indices into the worker's. */
#pragma once

#include "model/result.h"
#include "options/options.h"
#include "worker/pool.h"

/* How a case is measured. */
struct run_case_settings {
  /* Receives each slot (consecutive samples of a variant) as it arrives, before it is known whether it will count: if
   * its process fails later, it does not. NULL: no receiver. */
  void (*slot)(void *user, const struct plan_case *plan_case, size_t variant, const struct slot *slot);
  void *user;
  /* number of epochs (see ask/epoch.h) in which an interrupted run has measured this case; further epochs are numbered
   * after them */
  uint32_t epochs_used;
  double precision, case_time_s, leak_bytes;
  int64_t until_ns; /* when the last process of the case should end, on the monotonic clock; 0: no limit */
  int64_t last_ns;  /* when all processes of the case must have ended; after that they would use the time of later
                       cases; 0: no limit */
  int64_t suspects_until_ns; /* from this time on, suspects (see blame.h) are no longer measured alone; 0: no limit */
  double energy_s; /* how long one measurement with the device's energy counter lasts; 0: energy is not measured */
  uint64_t memory_limit; /* largest number of bytes that a worker may use; 0: no limit */
  uint64_t seed;
  uint32_t restarts;
  uint32_t trajectory;
  bool quick, verify_only, profile;
  bool others_wait; /* true if later cases need the time that this case does not use */
  bool isolated;    /* true if the variants of each plugin get a separate process (--isolate) */
};

/* Takes the settings from the options. The caller sets `slot`, `user`, `epochs_used`, `until_ns` and
 * `suspects_until_ns`. */
struct run_case_settings request_settings(const struct options *options, const struct bench_desc *bench,
                                          const struct plan_case *plan_case);

/* Returns a request without variants. The caller frees it. */
struct case_request *request_new(const struct pool_worker *member, const struct plan_case *plan_case);

/* Appends a variant to the request. Its `against` is copied as it is: the index of a twin (the same variant in another
 * build of its plugin) in it still refers to the plan, not to the request. Returns false if the request has
 * CASE_VARIANTS_MAX variants already. */
bool request_add(struct case_request *request, const struct pool_worker *member, const struct plan_variant *variant);

/* Copies the settings into the request. */
void request_set(struct case_request *request, const struct run_case_settings *settings);
