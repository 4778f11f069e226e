/* Fills a GPU's L2 cache with data that the kernel timed next does not use. For the bundled plugins; built with CUDA
 * only. */
#ifndef PLUGINS_COLD_H
#define PLUGINS_COLD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/* Enqueues a kernel that reads `bytes` of device memory; their contents do not matter. Returns a cudaError_t as int. */
int cold_read(void *memory, uint64_t bytes, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#endif
