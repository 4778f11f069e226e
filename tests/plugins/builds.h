/* Declares the function that launches the kernel of builds.cu. It returns the cudaError_t of the launch. */
#ifndef BUILDS_H
#define BUILDS_H

#include <stdint.h>

struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

/* Computes y = 2 * x for n floats; n must be a multiple of 256. To take longer, each thread first multiplies and adds
 * `steps` times in a row. */
int builds_launch(const float *x, float *y, int64_t n, int steps, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#endif
