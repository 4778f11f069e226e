/* Launcher of truth.cu. */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdint.h>

struct CUstream_st;

#ifdef __cplusplus
extern "C"
#endif
    /* Spins `ns` nanoseconds on every multiprocessor of a large GPU, then writes 1. Returns the launch's cudaError_t.
     */
    int
    truth_spin(int32_t *y, int64_t ns, struct CUstream_st *stream);

#endif
