/* Work in pieces, on as many threads as there are processors for. The threads end with the call: none stands by while
 * something is measured. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

/* How many processors the calling thread may use; at least 1. */
size_t parallel_processors(void);

/* Calls `work` for the pieces 0 to `count` - 1, each once. Which thread has which, and when, is left open: what comes
 * out must not depend on that. The caller works with the others, and alone where no thread can be started. */
void parallel_each(size_t count, void (*work)(void *context, size_t piece), void *context);

/* Processors' time that its threads have had in this process, beside those that called it. */
int64_t parallel_helpers_ns(void);

#endif
