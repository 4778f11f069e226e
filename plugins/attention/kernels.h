/* Launchers of the attention kernels, and the problem that they share with the CPU code. Independent of the plugin ABI;
 * needs no CUDA header: statuses are cudaError_t as int, 0 is success. Tensors are dense row-major [heads][s][d], or
 * [s][heads][d] for packed sequences. Each `group` consecutive heads of queries share one head of keys and values. */
#ifndef ATTENTION_KERNELS_H
#define ATTENTION_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "stored.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

struct attention_problem {
  const void *q;
  const void *k;
  const void *v;
  void *o;
  void *workspace;        /* attention_*_workspace bytes, aligned to 256; flash on CUDA needs none */
  const int32_t *offsets; /* [sequences + 1] for packed sequences: the first row of each, then s; else NULL */
  /* Batch times heads of queries; for packed sequences, which have no batch, the heads of queries. */
  int64_t heads;
  /* Number of pairs of a query and a key that the query sees. The number of operations is proportional to it. */
  uint64_t pairs;
  int32_t group; /* number of heads of queries that share one head of keys and values, at least 1; divides the number of
                    heads of queries in a batch */
  /* Sequence length, at least 1; for packed sequences the number of rows of all of them. */
  int32_t s;
  int32_t d;         /* head size: 64, 128 or 256 */
  int32_t causal;    /* true: query i sees keys 0 .. i only */
  int32_t window;    /* if causal, a query sees only the last `window` keys up to its own; 0: no window */
  int32_t sequences; /* number of packed sequences */
  int32_t longest;   /* number of rows of the longest packed sequence */
  /* STORED_*: the type of q, k and v. The type of o is stored_result(stored). */
  int32_t stored;
  int32_t threads; /* number of threads, for CPU variants only */
};

uint64_t attention_cpu_standard_workspace(const struct attention_problem *p);
void attention_cpu_standard(const struct attention_problem *p);
uint64_t attention_cpu_flash_workspace(const struct attention_problem *p);
void attention_cpu_flash(const struct attention_problem *p);

/* Ends the OpenMP threads that the CPU functions left waiting for more work. */
void attention_cpu_stop_threads(void);

/* The CUDA variants. The functions *_prepare set function attributes on the current device; the functions *_run only
 * launch kernels. `standard` and `flash` do not support e4m3. Windows and packed sequences are supported by flash
 * attention in bf16 with heads of 64 or 128 only; flash attention in fp32 does not support heads of 256. */
uint64_t attention_cuda_standard_workspace(const struct attention_problem *p);
int attention_cuda_standard_prepare(const struct attention_problem *p);
int attention_cuda_standard_run(const struct attention_problem *p, struct CUstream_st *stream);
int attention_cuda_flash_prepare(const struct attention_problem *p);
int attention_cuda_flash_run(const struct attention_problem *p, struct CUstream_st *stream);
const char *attention_cuda_error(int status);

/* The variant `wgmma`: bf16, fp16 and e4m3 on compute capability 9.0, without windows and packed sequences.
 * attention_wgmma_here() returns whether this build has code for the current device. `open` allocates `*plan` for
 * `run`, which the caller frees with free(), and zeroes the counters in the workspace on the stream. */
int attention_wgmma_here(void);
uint64_t attention_wgmma_workspace(const struct attention_problem *p);
int attention_wgmma_open(const struct attention_problem *p, struct CUstream_st *stream, void **plan);
int attention_wgmma_run(const void *plan, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#endif
