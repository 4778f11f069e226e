/* The kernels take raw pointers and sizes, and know nothing of gpubench. Each enqueues on `stream` and returns its
 * cudaError_t as an int. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

int kernel_plain(const float *x, const float *y, float *z, int64_t n, struct CUstream_st *stream);
int kernel_vector(const float *x, const float *y, float *z, int64_t n, struct CUstream_st *stream); /* n % 4 == 0 */
const char *kernel_error(int code);

#ifdef __cplusplus
}
#endif
#endif
