/* Launchers of what decodes, and the problem they share with the CPU code. As in kernels.h: no plugin ABI, no CUDA
 * header, statuses are cudaError_t as int.
 *
 * Heads of queries that share keys and values are one unit: their queries lie behind each other, [units][rows][d], row
 * r being query r % s_q of head r / s_q, and so do the outputs; keys and values are [units][s][d]. */
#ifndef ATTENTION_DECODE_KERNELS_H
#define ATTENTION_DECODE_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

struct decode_problem {
  const void *q;
  const void *k;
  const void *v;
  void *o;
  void *workspace;    /* of *_workspace bytes, aligned to 256 */
  int64_t units;      /* batch times heads of keys */
  int32_t rows;       /* heads that share them times s_q */
  int32_t s_q;        /* query i sees keys 0 .. s - s_q + i */
  int32_t s;          /* keys, at least s_q */
  int32_t d;          /* head size: 64 or 128 */
  int32_t bf16;       /* storage: bf16, else fp32 */
  int32_t workers;    /* CPU: threads; CUDA: multiprocessors */
  int32_t share_keys; /* keys of a share, by *_share_keys, which all else here takes as given */
  void *plan;         /* what *_prepare made, if anything: for free() */
};

int32_t decode_cpu_standard_share_keys(const struct decode_problem *p);
uint64_t decode_cpu_standard_workspace(const struct decode_problem *p);
void decode_cpu_standard(const struct decode_problem *p);

int decode_cuda_naive_run(const struct decode_problem *p, struct CUstream_st *stream);

/* `prepare` sets what holds for all runs, also in the workspace; `run` only launches. bf16 alone, on a device whose
 * blocks have *_shared_memory bytes. */
int64_t decode_cuda_split_shared_memory(const struct decode_problem *p);
int32_t decode_cuda_split_share_keys(const struct decode_problem *p);
uint64_t decode_cuda_split_workspace(const struct decode_problem *p);
int decode_cuda_split_prepare(struct decode_problem *p, struct CUstream_st *stream);
int decode_cuda_split_run(const struct decode_problem *p, struct CUstream_st *stream);

/* For compute capability 9.0; whether this build has it, is asked by `here`. bf16. */
int decode_wgmma_here(void);
int32_t decode_wgmma_share_keys(const struct decode_problem *p);
uint64_t decode_wgmma_workspace(const struct decode_problem *p);
int decode_wgmma_prepare(struct decode_problem *p, struct CUstream_st *stream);
int decode_wgmma_run(const struct decode_problem *p, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#endif
