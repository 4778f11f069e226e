/* The untimed work of a variant, that is work outside its timed calls, and the marks that its row gets for it. */
#pragma once

#include "model/result.h"
#include "plan/plan.h"
#include "record/record.h"

/* Sets the row's `untimed_ns`, the time of the variant's work outside its timed calls. Notes in the row's
 * `unverified_work` if the variant may do work in its callback `after`, which is not timed. Marks the row
 * UNPROVEN_UNTIMED if the time of the untimed work has no bound. */
void untimed_set(struct record *r, const struct catalog_plugin *provider, const struct plan_variant *pv,
                 const struct variant_result *v);

/* Adds to the row's `untimed_ns` the time that threads of its provider (plugin) worked before a call began. The times
 * must be from processes that ran only this provider. */
void untimed_add_ahead(struct record *r, const struct untimed_times *times);
