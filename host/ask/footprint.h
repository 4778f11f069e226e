/* How much memory a case's tensors take. */
#ifndef ASK_FOOTPRINT_H
#define ASK_FOOTPRINT_H

#include "worker/pool.h"

/* By what the bench's `setup` declares, which nothing is allocated for; 0 where it says nothing or cannot. -1: no
 * worker could be had. */
int ask_footprint(struct pool *pool, const struct plan_case *plan_case, double *bytes, struct err *err);

#endif
