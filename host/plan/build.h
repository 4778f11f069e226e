/* The plan: selections and descriptions in, cases out. Pure. */
#ifndef PLAN_BUILD_H
#define PLAN_BUILD_H

#include "base/err.h"
#include "options/selection.h"
#include "plan/plan.h"

/* Cases and variants of `backend` for every selection. A filter that matches nothing, an axis value that a bench does
 * not have, a guest without its bench: exit 2 and the message lists what exists. */
int plan_build(const struct catalog *catalog, const struct selection *selections, size_t selection_count,
               const char *backend, struct plan *plan, struct err *err);
void plan_free(struct plan *plan);
void plan_case_free(struct plan_case *plan_case);

/* May the speedup of variant `j` of the case divide by variant `i`? */
bool plan_serves(const struct plan_case *plan_case, size_t i, size_t j);

/* Appends the default cases of the bench with this contract as yardsticks, or nothing where no plugin offers it. With
 * several presets or values only the first case is taken. */
int plan_add_yardstick(const struct catalog *catalog, const char *contract, const char *backend, struct plan *plan,
                       struct err *err);

#endif
