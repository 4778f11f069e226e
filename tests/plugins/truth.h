/* Functions that launch the kernels of truth.cu. They return the cudaError_t of the launch. */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdint.h>

struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

/* Lets every multiprocessor of a large GPU wait for this many clock cycles, and then writes 1 to y. */
int truth_spin(int32_t *y, int64_t cycles, struct CUstream_st *stream);

/* Computes y = x, or y = GELU(x) if `is_gelu`, for n floats. n must be a multiple of 4. */
int truth_map(const float *x, float *y, int64_t n, int is_gelu, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#endif
