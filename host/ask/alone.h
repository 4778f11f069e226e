/* Measures variants of one provider alone, in a worker that has loaded nothing but the bench's owner and that provider:
 * sets up, verifies and times them as among others, only for a shorter time. */
#pragma once

#include "ask/epoch.h"

/* `variants`: by plan index, true for the provider's variants to measure. The slots have the epoch
 * `settings->epochs_used` + 1. The caller frees `result`: each of these variants has ROW_OK with its slots, or a status
 * and a reason. Returns -1 if there is no worker or the run was interrupted; `err` says why. */
int ask_alone(struct pool *pool, const struct plan_case *plan_case, size_t provider, const bool *variants,
              const struct run_case_settings *settings, double rest, struct case_result *result, struct err *err);
