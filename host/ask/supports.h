/* SUPPORTS, parent side: which variants of which cases will run. */
#pragma once

#include "worker/pool.h"

/* Asks `supports` for every variant without a status and notes the answer. -1: there is no worker, or the run was
 * stopped. */
int ask_supports(struct pool *pool, struct plan_case *cases, size_t count, struct err *err);
