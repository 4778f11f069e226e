/* The CPU kernels of the md plugin, and the size of their workspace. This file does not use the plugin interface. */
#ifndef MD_CPU_H
#define MD_CPU_H

#include <stdint.h>

#include "kernels.h"

/* Returns the size in bytes of the memory that `call->cpu` must point to, for the methods MD_ALL_PAIRS, MD_CELLS and
 * MD_LIST. */
uint64_t md_cpu_bytes(const struct md_call *call, enum md_method method);

/* Runs one iteration on `call->threads` threads. If a neighbour list overflows, sets the clock to MD_OVERFLOWN, as the
 * CUDA kernels do. */
void md_cpu_run(const struct md_call *call, enum md_method method);

#endif
