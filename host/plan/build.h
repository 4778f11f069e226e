/* Builds the plan: turns the user's selections and the plugins' descriptions into the cases of a run. No I/O. */
#pragma once

#include "base/err.h"
#include "options/selection.h"
#include "plan/plan.h"

/* Makes the cases and variants of `backend` for all selections. Fails with exit code 2 if a filter matches nothing (the
 * message lists the names that exist), if a bench has no value for an axis, or if no plugin has the bench that a
 * variant is for. */
int plan_build(const struct catalog *catalog, const struct selection *selections, size_t selection_count,
               const char *backend, struct plan *plan, struct err *err);
void plan_free(struct plan *plan);
void plan_case_free(struct plan_case *plan_case);

/* Returns true if variant `i` of the case may be the baseline of variant `j`. */
bool plan_serves(const struct plan_case *plan_case, size_t i, size_t j);

/* Appends the default case of the bench with this contract (name of the bench's interface) as a yardstick: a case that
 * is measured only because its rate is a ceiling (a highest rate) of the device. Does nothing if no plugin offers the
 * contract. If several presets or values apply, only the first case is added. */
int plan_add_yardstick(const struct catalog *catalog, const char *contract, const char *backend, struct plan *plan,
                       struct err *err);
