/* An epoch with one process per provider (--isolate): each process has the bench's owner and the variants of one
 * plugin, and the processes measure their slots in turn. A fault in a process is blamed on the provider that it belongs
 * to. */
#pragma once

#include "ask/epoch.h"

/* Runs an epoch with one process per provider. Calls `end` to settle the variants of each process that has ended.
 * Returns false if the device is lost or no process can be started. */
bool seats_run_epoch(struct pool *pool, struct epoch *e,
                     void (*end)(struct epoch *seat, struct pool_worker *member, struct ending *ending),
                     struct err *err);

/* Returns how many processes a case has at a time: the number of providers with a variant that runs. */
size_t seats_of(const struct plan_case *plan_case);
