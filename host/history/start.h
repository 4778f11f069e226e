/* When a night began: nights stand in this order, and the last of them is what gates look at. */
#ifndef HISTORY_START_H
#define HISTORY_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Can a night have begun then, seen from `now` (seconds since 1970)? False with the reason in `why`: it is no time
 * like 2026-11-21T07:15:03Z, one before there were such nights, or one more than a day ahead. */
bool history_start_is_possible(const char *started, int64_t now, char *why, size_t size);

#endif
