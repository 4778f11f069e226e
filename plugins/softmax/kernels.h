/* Declares the kernels of the softmax plugin. They take raw pointers and sizes and do not use the plugin interface. The
 * CUDA functions enqueue a kernel on `stream` and return a cudaError_t as int. The CPU functions return when y is
 * written. x and y are dense [m, n] arrays. Their first elements are aligned to 16 bytes, but later rows may start at
 * any address. */
#ifndef SOFTMAX_KERNELS_H
#define SOFTMAX_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SOFTMAX_FP32 0
#define SOFTMAX_BF16 1
#define SOFTMAX_FP16 2

/* The longest row that every kernel can index. */
#define SOFTMAX_MAX_N ((int64_t)1 << 30)
/* The largest number of rows of one CUDA launch. A row may take a cluster of 8 blocks, and a grid has fewer than 2^31
 * blocks. */
#define SOFTMAX_MAX_ROWS (((int64_t)1 << 28) - 1)

struct CUstream_st;

/* Softmax of every row; all but `copy` compute the same.
 *   naive    three reads of x: maximum, sum, result
 *   online   two reads: running maximum and sum, result
 *   fused    one read: the row stays in registers of a warp, block or cluster
 *   staged   one read: the row stays in shared memory of a block or cluster
 *   both     one read: the row stays in registers and shared memory
 *   paced    like `both`, but the first rows begin one after the other
 *   pieces   like `paced`, but each part of a row is added up as soon as it arrives
 *   copy     y = x */
int softmax_cuda_naive(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);
int softmax_cuda_online(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);
int softmax_cuda_fused(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);
int softmax_cuda_copy(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);
int softmax_cuda_staged(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);
int softmax_cuda_both(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);
int softmax_cuda_paced(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);
int softmax_cuda_pieces(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);

/* Returns the longest row that the function `fused` keeps on chip. From compute capability 9.0 on (written as 90), a
 * cluster of blocks may share a row. */
int64_t softmax_cuda_fused_limit(int64_t compute_capability);
/* Returns how many bytes of dynamic shared memory a block of the function `staged` needs for its share of a row of n
 * elements of `size` bytes. In addition it has up to SOFTMAX_STAGED_RESERVE bytes of static shared memory. `staged`
 * needs compute capability 9.0. */
#define SOFTMAX_STAGED_RESERVE 2048
int64_t softmax_cuda_staged_bytes(int64_t n, int64_t size);
/* Returns how many bytes of dynamic shared memory a block of the functions `both`, `paced` and `pieces` needs. `both`
 * and `paced` are meant for rows of more than SOFTMAX_BOTH_ABOVE bytes, and `pieces` for rows of more than
 * SOFTMAX_PIECES_ABOVE bytes. */
#define SOFTMAX_BOTH_ABOVE 36864
#define SOFTMAX_PIECES_ABOVE 65536 /* up to this length a row has one block */
int64_t softmax_cuda_both_bytes(int64_t n, int64_t size);
const char *softmax_cuda_error(int code);

/* CPU functions of the same names. `scratch` holds softmax_cpu_scratch(n) floats for each thread, which only
 * softmax_cpu_fused() uses. */
void softmax_cpu_naive(const void *x, void *y, int64_t m, int64_t n, int dtype, int threads, float *scratch);
void softmax_cpu_online(const void *x, void *y, int64_t m, int64_t n, int dtype, int threads, float *scratch);
void softmax_cpu_fused(const void *x, void *y, int64_t m, int64_t n, int dtype, int threads, float *scratch);
void softmax_cpu_copy(const void *x, void *y, int64_t m, int64_t n, int dtype, int threads, float *scratch); /* y = x */
int64_t softmax_cpu_scratch(int64_t n);

/* ---- Cross-entropy: loss[i] = log(sum exp(x[i])) - x[i, target[i]] ---------------------------------------------- */

struct cross_entropy_call {
  const void *x; /* [m, n], dense */
  const int32_t *target;
  float *loss;
  int64_t m, n;
  int dtype;
  int threads; /* for CPU functions only */
  struct CUstream_st *stream;
};

/* All return 0 or a cudaError_t.
 *   naive    two passes: maximum, sum
 *   online   one pass: running maximum and sum
 *   read     the sum of each row: reads the same bytes and computes next to nothing */
int cross_entropy_cuda_naive(const struct cross_entropy_call *call);
int cross_entropy_cuda_online(const struct cross_entropy_call *call);
int cross_entropy_cuda_read(const struct cross_entropy_call *call);
int cross_entropy_cpu_naive(const struct cross_entropy_call *call);
int cross_entropy_cpu_online(const struct cross_entropy_call *call);
int cross_entropy_cpu_read(const struct cross_entropy_call *call);

/* ---- Softmax of rows with hidden elements: a hidden element counts as -inf, whatever its value ------------------- */

/* The longest row that masked_cuda_fused() keeps in the registers of a block. */
#define MASKED_FUSED_MAX 16384

struct masked_call {
  const void *x; /* [rows, n] */
  /* [m, n]: row i of x uses row i % m of the mask, in which 0 hides an element. NULL: the mask is causal, which means
   * that row i shows elements 0 to i % m only. */
  const uint8_t *mask;
  void *y;
  int64_t rows, m, n; /* rows: of all matrices together; m: rows of one matrix, a divisor of `rows` */
  int dtype;
  int threads;    /* for CPU functions only */
  float *scratch; /* softmax_cpu_scratch(n) floats for each thread; only for masked_cpu_fused() */
  struct CUstream_st *stream;
};

/* All return 0 or a cudaError_t.
 *   naive    three passes: maximum, sum, result
 *   fused    one read: the row stays in registers (CUDA) or in the cache (CPU)
 *   copy     x where the mask shows it, 0 elsewhere */
int masked_cuda_naive(const struct masked_call *call);
int masked_cuda_fused(const struct masked_call *call);
int masked_cuda_copy(const struct masked_call *call);
int masked_cpu_naive(const struct masked_call *call);
int masked_cpu_fused(const struct masked_call *call);
int masked_cpu_copy(const struct masked_call *call);

#ifdef __cplusplus
}
#endif
#endif
