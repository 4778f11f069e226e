/* The CPU kernels of md, and their workspace. Independent of the plugin ABI. */
#ifndef MD_CPU_H
#define MD_CPU_H

#include <stdint.h>

#include "kernels.h"

/* Returns the size of `call->cpu` in bytes for MD_ALL_PAIRS, MD_CELLS or MD_LIST. */
uint64_t md_cpu_bytes(const struct md_call *call, enum md_method method);

/* Runs one iteration on `call->threads` threads. If a list overflows, the clock is set to MD_OVERFLOWN, as on the
 * device. */
void md_cpu_run(const struct md_call *call, enum md_method method);

#endif
