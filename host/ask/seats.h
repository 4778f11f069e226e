/* An epoch (one measurement of a case) with one process per plugin (--isolate). Each process has loaded the plugin that
 * defines the bench, and measures the variants of one plugin. The processes measure in turn, a series of samples at a
 * time. A fault in a process is blamed on the plugin that the process was started for. */
#pragma once

#include "ask/epoch.h"

/* Runs an epoch with one process for each plugin that has variants in the case. Calls `end`, which gives variants their
 * status, for each process that has ended. Returns false if the device is lost or no process can be started. */
bool seats_run_epoch(struct pool *pool, struct epoch *e,
                     void (*end)(struct epoch *seat, struct pool_worker *member, struct ending *ending),
                     struct err *err);

/* Returns how many processes a case has at a time: the number of plugins with a variant that runs. */
size_t seats_of(const struct plan_case *plan_case);
