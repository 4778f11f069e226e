/* Measures variants of one provider (the plugin that they come from) alone, in a worker process that has loaded only
 * that plugin and the bench's owner (the plugin that defines the bench). Variants are set up, verified and timed as
 * they are together with others, but for a shorter time. */
#pragma once

#include "ask/epoch.h"

/* Measures variants of one provider (plugin) in that provider's worker. `variants`: for each plan index, true if the
 * variant should be measured; only variants of this provider may be true. The samples get the epoch number
 * `settings->epochs_used` + 1. Then each measured variant in `result` has ROW_OK and its samples, or another status and
 * a reason; the caller frees `result`. Returns -1 if there is no worker or the run was interrupted; `err` says why. */
int ask_alone(struct pool *pool, const struct plan_case *plan_case, size_t provider, const bool *variants,
              const struct run_case_settings *settings, double cooldown, struct case_result *result, struct err *err);
