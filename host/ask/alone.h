/* Measures variants of one provider alone, in a worker that has loaded nothing but the bench's owner and that provider.
 * Variants are set up, verified and timed as they are together with others, but for a shorter time. */
#pragma once

#include "ask/epoch.h"

/* Measures variants of a provider in its worker. `variants`: for each plan index, true if the variant should be
 * measured; all of these are of the provider. The slots get the epoch number `settings->epochs_used` + 1. In `result`,
 * which the caller frees, each of these variants has ROW_OK with its slots, or another status and a reason. Returns -1
 * if there is no worker or the run was interrupted; `err` says why. */
int ask_alone(struct pool *pool, const struct plan_case *plan_case, size_t provider, const bool *variants,
              const struct run_case_settings *settings, double cooldown, struct case_result *result, struct err *err);
