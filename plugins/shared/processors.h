/* Spreads a computation on the CPU over all processors. The bundled plugins compute reference results with it. The
 * threads end before the call returns. OpenMP is not used, because its threads would spin for a while next to the
 * variant that is timed afterwards; and if that variant uses OpenMP itself, its first call would have to rebuild its
 * team of threads. */
#ifndef PLUGINS_PROCESSORS_H
#define PLUGINS_PROCESSORS_H

#include <stdint.h>

/* Returns how many processors the calling thread may use, at least 1. */
int64_t processors_count(void);

/* Calls `work` once for each piece from 0 to `count` - 1. Results must not depend on which thread runs a piece, nor on
 * the order. If no thread can be started, the caller does all the work. */
void processors_each(int64_t count, void (*work)(void *context, int64_t piece), void *context);

#endif
