/* The problem of "backward", and the code that computes it. Knows nothing of the plugin ABI. Tensors are dense
 * row-major [heads][s][d], lse is [heads][s]; of keys and values, and their gradients, a head is that of `group` heads
 * of queries in a row. */
#ifndef ATTENTION_BACKWARD_KERNELS_H
#define ATTENTION_BACKWARD_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

struct backward_problem {
  const void *q, *k, *v; /* as in forward */
  const void *o;         /* what forward returned */
  const void *d_o;       /* gradient of o */
  const float *lse;      /* ln of the sum of exp(score) of each query */
  void *dq, *dk, *dv;    /* gradients of q, k, v */
  void *workspace;       /* of backward_*_workspace bytes, aligned to 256 */
  int64_t heads;         /* batch times heads of queries */
  int32_t group;         /* heads of queries that share keys and values, at least 1 */
  int32_t s;             /* sequence length, at least 1 */
  int32_t d;             /* head size: 64 or 128 */
  int32_t causal;        /* query i sees keys 0 .. i */
  int32_t bf16;          /* storage, but for lse: bf16, else fp32 */
  int32_t threads;       /* CPU only */
};

uint64_t backward_cpu_standard_workspace(const struct backward_problem *p);
void backward_cpu_standard(const struct backward_problem *p);
uint64_t backward_cpu_flash_workspace(const struct backward_problem *p);
void backward_cpu_flash(const struct backward_problem *p);

/* On CUDA, bf16 alone; statuses are cudaError_t as int. `open` makes what `run` takes, which free() ends, and sets
 * function attributes on the current device; `run` only launches. `wgmma` is for compute capability 9.0: whether this
 * build has code for the current device. Its workspace is for as many multiprocessors as that has. */
uint64_t backward_cuda_workspace(const struct backward_problem *p);
int backward_flash_open(const struct backward_problem *p, void **plan);
int backward_flash_run(const void *plan, struct CUstream_st *stream);
int backward_wgmma_here(void);
uint64_t backward_wgmma_workspace(const struct backward_problem *p);
int backward_wgmma_open(const struct backward_problem *p, void **plan);
int backward_wgmma_run(const void *plan, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

#endif
