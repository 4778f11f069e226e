/* The kernels of md for the CPU, and what they work in. Nothing of the plugin ABI. */
#ifndef MD_CPU_H
#define MD_CPU_H

#include <stdint.h>

#include "kernels.h"

/* Bytes of `call->cpu` for MD_ALL_PAIRS, MD_CELLS or MD_LIST. */
uint64_t md_cpu_bytes(const struct md_call *call, enum md_method method);

/* One iteration on `call->threads` threads; lists overflow as on the device. */
void md_cpu_run(const struct md_call *call, enum md_method method);

#endif
