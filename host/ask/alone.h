/* A look at variants of one provider alone, in a worker that has nothing else loaded but the bench's owner: they are
 * set up, verified and timed as in company, only shorter. */
#ifndef ASK_ALONE_H
#define ASK_ALONE_H

#include "ask/epoch.h"

/* `variants`: by the plan's index, those of the provider that are looked at. The settings are those of the look; its
 * slots have the epoch `settings->epochs_used` + 1. What became of each is in `result`, which the caller frees: ROW_OK
 * with its slots, or a status and why. -1: no worker could be had, or it was interrupted; the error says why. */
int ask_alone(struct pool *pool, const struct plan_case *plan_case, size_t provider, const bool *variants,
              const struct run_case_settings *settings, double rest, struct case_result *result, struct err *err);

#endif
