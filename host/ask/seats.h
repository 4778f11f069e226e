/* An epoch in several processes, one for each provider (--isolate): the bench's owner sits in each of them with the
 * variants of one plugin, and they take their slots in turn. What goes wrong in one is that provider's. */
#ifndef ASK_SEATS_H
#define ASK_SEATS_H

#include "ask/epoch.h"

/* `end`: what becomes of the variants of a process that has ended. False: the device is lost, or no process can be
 * started at all. */
bool seats_run_epoch(struct pool *pool, struct epoch *e,
                     void (*end)(struct epoch *seat, struct pool_worker *member, struct ending *ending),
                     struct err *err);

/* How many processes a case takes at a time: providers of which a variant runs. */
size_t seats_of(const struct plan_case *plan_case);

#endif
