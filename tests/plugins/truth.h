/* Launchers of truth.cu. They return the launch's cudaError_t. */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdint.h>

struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

/* Spins for that many clock cycles on every multiprocessor of a large GPU, then writes 1. */
int truth_spin(int32_t *y, int64_t cycles, struct CUstream_st *stream);

/* Computes y = x, or y = GELU(x), for n floats, a multiple of 4. */
int truth_map(const float *x, float *y, int64_t n, int is_gelu, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#endif
