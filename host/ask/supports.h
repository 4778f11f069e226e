/* SUPPORTS, parent side: which variants of which cases will run. */
#ifndef ASK_SUPPORTS_H
#define ASK_SUPPORTS_H

#include "worker/pool.h"

/* Asks `supports` for every variant whose fate is open and notes it. -1: no worker could be had, or a stop. */
int ask_supports(struct pool *pool, struct plan_case *cases, size_t count, struct err *err);

#endif
