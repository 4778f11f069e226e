/* What of a row is not timed, and what that keeps it from proving. */
#ifndef ANALYSE_UNTIMED_H
#define ANALYSE_UNTIMED_H

#include "model/result.h"
#include "plan/plan.h"
#include "record/record.h"

/* Sets `untimed_ns`, adds to `unseen` what `after` may do, and UNPROVEN_UNTIMED where nothing bounds it. */
void untimed_set(struct record *r, const struct catalog_plugin *provider, const struct plan_variant *pv,
                 const struct variant_result *v);

/* Adds what threads did ahead of its calls, as seen in processes where nothing but its provider ran. */
void untimed_add_ahead(struct record *r, const struct untimed_times *times);

#endif
