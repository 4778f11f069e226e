/* The L2 cache of a GPU without anything of what is measured next. For the bundled plugins; built with CUDA only. */
#ifndef PLUGINS_COLD_H
#define PLUGINS_COLD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/* Reads `bytes` of the device's memory, whatever it holds; a cudaError_t as int, 0 where it is enqueued. */
int cold_read(void *memory, uint64_t bytes, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#endif
