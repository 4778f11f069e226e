/* Row softmax kernels of the softmax plugin: raw pointers and sizes, nothing of the plugin ABI. The CUDA launchers
 * enqueue on `stream` and return a cudaError_t as int; the cpu functions return when y is written.
 * x and y are dense [m, n] arrays whose first elements are aligned to 16 bytes; rows may start anywhere. */
#ifndef SOFTMAX_KERNELS_H
#define SOFTMAX_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SOFTMAX_FP32 0
#define SOFTMAX_BF16 1
#define SOFTMAX_FP16 2

/* Longest row that every kernel can index. */
#define SOFTMAX_MAX_N ((int64_t)1 << 30)
/* Most rows of one CUDA launch: a row may take a cluster of 8 blocks. */
#define SOFTMAX_MAX_ROWS (((int64_t)1 << 28) - 1)

struct CUstream_st;

int softmax_cuda_naive(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);
int softmax_cuda_online(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);
int softmax_cuda_fused(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);
int softmax_cuda_copy(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream); /* y = x */
int softmax_cuda_staged(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);
int softmax_cuda_both(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);
int softmax_cuda_paced(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);
int softmax_cuda_pieces(const void *x, void *y, int64_t m, int64_t n, int dtype, struct CUstream_st *stream);

/* Longest row that the fused kernel keeps on chip: clusters need compute capability 9.0 (90). */
int64_t softmax_cuda_fused_limit(int64_t compute_capability);
/* Shared memory of a block that has its share of a row of n elements of `size` bytes in the staged function, which
 * needs compute capability 9.0; SOFTMAX_STAGED_RESERVE more is its own. */
#define SOFTMAX_STAGED_RESERVE 2048
int64_t softmax_cuda_staged_bytes(int64_t n, int64_t size);
/* The same of the functions `both`, `paced` and `pieces`, which are for rows of more bytes than these. */
#define SOFTMAX_BOTH_ABOVE 36864
#define SOFTMAX_PIECES_ABOVE 65536 /* below it a row has one block, which has nobody to tell anything */
int64_t softmax_cuda_both_bytes(int64_t n, int64_t size);
const char *softmax_cuda_error(int code);

/* `scratch` holds softmax_cpu_scratch(n) floats for each thread; only the fused function uses it. */
void softmax_cpu_naive(const void *x, void *y, int64_t m, int64_t n, int dtype, int threads, float *scratch);
void softmax_cpu_online(const void *x, void *y, int64_t m, int64_t n, int dtype, int threads, float *scratch);
void softmax_cpu_fused(const void *x, void *y, int64_t m, int64_t n, int dtype, int threads, float *scratch);
void softmax_cpu_copy(const void *x, void *y, int64_t m, int64_t n, int dtype, int threads, float *scratch); /* y = x */
int64_t softmax_cpu_scratch(int64_t n);

/* ---- Cross-entropy: loss[i] = log(sum exp(x[i])) - x[i, target[i]] ---------------------------------------------- */

struct cross_entropy_call {
  const void *x; /* [m, n], as above */
  const int32_t *target;
  float *loss;
  int64_t m, n;
  int dtype;
  int threads; /* cpu */
  struct CUstream_st *stream;
};

/* All return 0 or a cudaError_t.
 *   naive    two passes: maximum, sum
 *   online   one pass: running maximum and sum
 *   read     the sum of each row: the same bytes, next to nothing computed */
int cross_entropy_cuda_naive(const struct cross_entropy_call *call);
int cross_entropy_cuda_online(const struct cross_entropy_call *call);
int cross_entropy_cuda_read(const struct cross_entropy_call *call);
int cross_entropy_cpu_naive(const struct cross_entropy_call *call);
int cross_entropy_cpu_online(const struct cross_entropy_call *call);
int cross_entropy_cpu_read(const struct cross_entropy_call *call);

/* ---- Rows of which a mask hides elements: hidden ones count as -inf, whatever they are -------------------------- */

/* Longest row that the fused function for CUDA keeps in a block's registers. */
#define MASKED_FUSED_MAX 16384

struct masked_call {
  const void *x;       /* [rows, n] */
  const uint8_t *mask; /* [m, n], 0: hidden; of row i its row i % m counts. NULL: row i hides what is behind i % m */
  void *y;
  int64_t rows, m, n; /* m divides rows */
  int dtype;
  int threads;    /* cpu */
  float *scratch; /* cpu, fused: softmax_cpu_scratch(n) floats for each thread */
  struct CUstream_st *stream;
};

/* All return 0 or a cudaError_t.
 *   naive    three passes: maximum, sum, result
 *   fused    one read: the row stays in registers (cuda) or in the cache (cpu)
 *   copy     x where it is seen, 0 elsewhere */
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
