/* How much of the processors there is for us now: what a short spin on them gets. Work of several threads waits for the
 * last of them. */
#ifndef MACHINE_CPU_SHARE_H
#define MACHINE_CPU_SHARE_H

#include <stddef.h>

/* The least share, from 0.1 to 1, that one of so many threads gets of a processor: 20 ms where nobody else runs, and
 * two fifths of a second where somebody does. */
double cpu_share_measure(size_t threads);

#endif
