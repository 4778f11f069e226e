/* How much of the processors there is for us now: what a short spin on them gets. */
#ifndef MACHINE_CPU_SHARE_H
#define MACHINE_CPU_SHARE_H

#include <stddef.h>

/* A share, above 0 and at most 1, of what so many threads ask for: 20 ms where nobody else runs, and two fifths of
 * a second where somebody does. */
double cpu_share_measure(size_t threads);

#endif
