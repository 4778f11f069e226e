/* Launchers of the CUDA kernels of "decode", and the problem that they share with the CPU code. Like kernels.h, this is
 * independent of the plugin ABI and of CUDA headers; statuses are cudaError_t as int.
 *
 * The heads of queries that share keys and values form a unit. Queries and outputs are [units][rows][d], where row r is
 * query r % s_q of head r / s_q of the unit; keys and values are [units][s][d]. */
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
  void *workspace; /* *_workspace bytes, aligned to 256 */
  int64_t units;   /* number of units: batch times heads of keys */
  int32_t rows;    /* number of rows of queries in a unit: its heads of queries times s_q */
  int32_t s_q;     /* number of queries of a head; query i sees keys 0 .. s - s_q + i */
  int32_t s;       /* number of keys, at least s_q */
  int32_t d;       /* head size: 64 or 128 */
  int32_t bf16;    /* true: elements are bf16, else fp32 */
  int32_t workers; /* number of threads on the CPU, or of SMs on CUDA */
  /* How many keys a share has (a part of a unit's keys that is processed on its own). Set it to the result of
   * *_share_keys() before other functions are called. */
  int32_t share_keys;
  void *plan; /* allocated by *_prepare, if any; the caller frees it with free() */
};

int32_t decode_cpu_standard_share_keys(const struct decode_problem *p);
uint64_t decode_cpu_standard_workspace(const struct decode_problem *p);
void decode_cpu_standard(const struct decode_problem *p);

int decode_cuda_naive_run(const struct decode_problem *p, struct CUstream_st *stream);

/* The CUDA variant `split`, bf16 only, on devices whose blocks can have decode_cuda_split_shared_memory() bytes of
 * shared memory. `prepare` sets function attributes and zeroes the counters in the workspace; `run` only launches. */
int64_t decode_cuda_split_shared_memory(const struct decode_problem *p);
int32_t decode_cuda_split_share_keys(const struct decode_problem *p);
uint64_t decode_cuda_split_workspace(const struct decode_problem *p);
int decode_cuda_split_prepare(struct decode_problem *p, struct CUstream_st *stream);
int decode_cuda_split_run(const struct decode_problem *p, struct CUstream_st *stream);

/* The CUDA variant `wgmma`, bf16 only, on compute capability 9.0; decode_wgmma_here() returns whether this build has
 * code for it. */
int decode_wgmma_here(void);
int32_t decode_wgmma_share_keys(const struct decode_problem *p);
uint64_t decode_wgmma_workspace(const struct decode_problem *p);
int decode_wgmma_prepare(struct decode_problem *p, struct CUstream_st *stream);
int decode_wgmma_run(const struct decode_problem *p, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#endif
