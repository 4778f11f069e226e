/* The problem of "backward" and the functions that compute it; independent of the plugin ABI. Tensors are dense
 * row-major [heads][s][d], lse is [heads][s]. Each `group` consecutive heads of queries share one head of keys and
 * values, and of their gradients. */
#ifndef ATTENTION_BACKWARD_KERNELS_H
#define ATTENTION_BACKWARD_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

struct backward_problem {
  const void *q, *k, *v; /* the inputs of the forward pass */
  const void *o;         /* the output of "forward" */
  const void *d_o;       /* gradient of o */
  const float *lse;      /* for each query the natural logarithm of its sum of exp(score) */
  void *dq, *dk, *dv;    /* gradients of q, k, v */
  void *workspace;       /* backward_*_workspace bytes, aligned to 256 */
  int64_t heads;         /* batch times heads of queries */
  int32_t group;         /* heads of queries that share keys and values, at least 1 */
  int32_t s;             /* sequence length, at least 1 */
  int32_t d;             /* head size: 64 or 128 */
  int32_t causal;        /* true: query i sees keys 0 .. i only */
  int32_t bf16;          /* true: all tensors but lse are stored as bf16; else as fp32 */
  int32_t threads;       /* number of threads; used by the CPU variants only */
};

uint64_t backward_cpu_standard_workspace(const struct backward_problem *p);
void backward_cpu_standard(const struct backward_problem *p);
uint64_t backward_cpu_flash_workspace(const struct backward_problem *p);
void backward_cpu_flash(const struct backward_problem *p);

/* The CUDA functions take bf16 only; statuses are cudaError_t as int. `open` allocates `*plan` for `run`, which the
 * caller frees with free(), and sets function attributes on the current device; `run` only launches. The `wgmma`
 * functions need compute capability 9.0: backward_wgmma_here() returns whether this build has code for the current
 * device. Their workspace is sized for the number of SMs of that device. */
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
