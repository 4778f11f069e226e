/* A reference's work on all processors, for the bundled plugins. By threads that end with the call: those of OpenMP
 * stay, and spin for a while, beside the variant that is timed next; and where that one has a team of its own, its
 * first call would be the one that puts it together again. */
#ifndef PLUGINS_PROCESSORS_H
#define PLUGINS_PROCESSORS_H

#include <stdint.h>

/* How many processors the calling thread may use; at least 1. */
int64_t processors_count(void);

/* Calls `work` for the pieces 0 to `count` - 1, each once. Which thread has which, and when, is left open: results must
 * not depend on that. Where no thread can be started the caller does all. */
void processors_each(int64_t count, void (*work)(void *context, int64_t piece), void *context);

#endif
