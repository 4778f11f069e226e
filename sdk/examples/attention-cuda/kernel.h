/* The kernel of this guest: raw pointers and sizes. Enqueues on `stream`; returns a cudaError_t as int. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

struct attention {
  const float *q, *k, *v; /* [heads][s][d] */
  float *o;
  int64_t heads, s, d; /* d at most 128, a multiple of 32 */
  int causal;
};

int attention_run(const struct attention *p, struct CUstream_st *stream);
const char *attention_error(int code);

#ifdef __cplusplus
}
#endif
#endif
