/* Launchers of the attention kernels, and the problem they share with the CPU code. Knows nothing of the plugin ABI
 * and needs no CUDA header: statuses are cudaError_t as int, 0 is success. Tensors are dense row-major [heads][s][d];
 * of keys and values a head is that of `group` heads of queries in a row.
 */
#ifndef ATTENTION_KERNELS_H
#define ATTENTION_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

struct attention_problem {
  const void *q;
  const void *k;
  const void *v;
  void *o;
  void *workspace; /* of attention_*_workspace bytes, aligned to 256; flash on CUDA needs none */
  int64_t heads;   /* batch times heads of queries */
  int32_t group;   /* heads of queries that share keys and values, at least 1; divides the heads of a batch */
  int32_t s;       /* sequence length, at least 1 */
  int32_t d;       /* head size: 64 or 128 */
  int32_t causal;  /* query i sees keys 0 .. i */
  int32_t bf16;    /* storage: bf16, else fp32 */
  int32_t threads; /* CPU only */
};

uint64_t attention_cpu_standard_workspace(const struct attention_problem *p);
void attention_cpu_standard(const struct attention_problem *p);
uint64_t attention_cpu_flash_workspace(const struct attention_problem *p);
void attention_cpu_flash(const struct attention_problem *p);

/* Ends the threads that the functions above left waiting for more work. */
void attention_cpu_stop_threads(void);

/* `prepare` sets function attributes on the current device; `run` only launches. */
uint64_t attention_cuda_standard_workspace(const struct attention_problem *p);
int attention_cuda_standard_prepare(const struct attention_problem *p);
int attention_cuda_standard_run(const struct attention_problem *p, struct CUstream_st *stream);
int attention_cuda_flash_prepare(const struct attention_problem *p);
int attention_cuda_flash_run(const struct attention_problem *p, struct CUstream_st *stream);
const char *attention_cuda_error(int status);

#ifdef __cplusplus
}
#endif
#endif
