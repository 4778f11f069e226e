/* Runs work in pieces on as many threads as there are processors. The threads end before the function returns, so that
 * none of them exists while something is measured. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns how many processors the calling thread may use; at least 1. */
size_t parallel_processors(void);

/* Calls `work` once for each of the pieces 0 to `count` - 1, in any order and on any thread, so results must not depend
 * on either. The calling thread works too, and does all pieces if no thread can be started. */
void parallel_each(size_t count, void (*work)(void *context, size_t piece), void *context);

/* Returns the CPU time that helper threads have used in this process so far. The threads that called parallel_each()
 * are not included. */
int64_t parallel_helpers_ns(void);
