/* How much memory a case's tensors take. */
#pragma once

#include "worker/pool.h"

/* Computes the bytes that the bench's `setup` declares, without allocating them; 0 if it declares none or fails.
 * Returns -1 if there is no worker. */
int ask_footprint(struct pool *pool, const struct plan_case *plan_case, double *bytes, struct err *err);
