/* Asks worker processes which variants of which cases can run, and how much memory the tensors of a case take. */
#pragma once

#include "worker/pool.h"

/* Asks for every variant without a status whether its `supports` accepts the case, and stores the answer. Returns -1 if
 * there is no worker or the run was stopped. */
int ask_supports(struct pool *pool, struct plan_case *cases, size_t count, struct err *err);

/* Computes the bytes of the tensors that the bench's `setup` declares, without allocating them; 0 if it declares none
 * or fails. Returns -1 if there is no worker. */
int ask_footprint(struct pool *pool, const struct plan_case *plan_case, double *bytes, struct err *err);
