/* The kernels of the matmul plugin. They take raw pointers and sizes; neither the plugin ABI nor a CUDA header is
 * needed. The CUDA launchers enqueue on `stream` and return a cudaError_t as int, 0 for success; the CPU functions
 * return when c is written. a is [m][k], b is [n][k], c is [m][n]; all are dense and their first elements are aligned
 * to 16 bytes. */
#ifndef MATMUL_KERNELS_H
#define MATMUL_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

#define MATMUL_FP32 0
#define MATMUL_FP16 1
#define MATMUL_BF16 2
#define MATMUL_E4M3 3 /* a and b are e4m3, c is bf16 */

/* Epilogues: the value that is stored for a sum s in row i and column j. */
#define MATMUL_PLAIN 0
#define MATMUL_BIAS_GELU 1 /* GELU(s + bias[j]), tanh approximation */
#define MATMUL_ADD 2       /* s + r[i][j] */

/* Returns the name of the extra input tensor of an epilogue. */
static inline const char *matmul_extra_name(int32_t epilogue) {
  return epilogue == MATMUL_ADD ? "r" : "bias";
}

struct matmul_problem {
  const void *a;
  const void *b;
  const void *extra; /* bias or r, in the type of c; NULL for the plain product */
  void *c;
  float *workspace; /* CPU: matmul_cpu_*_workspace floats, aligned to 64 bytes; CUDA: only for MATMUL_WGMMA_3XTF32 */
  int64_t m, n, k;  /* each at least 1 and below 2^24; m * n at most 2^38 */
  int32_t dtype;
  int32_t epilogue;
  int32_t threads;         /* number of threads, for CPU functions only */
  int32_t multiprocessors; /* for CUDA functions only: number of SMs, by which a tile shape is chosen */
  int32_t shared_bytes;    /* shared memory that a block may use */
};

/* Applies the problem's epilogue to `count` sums of a row, starting at `column`. */
void matmul_cpu_epilogue(const struct matmul_problem *p, int64_t row, int64_t column, float *values, int64_t count);

#define MATMUL_VECTORS 4 /* random vectors in Freivalds' check */

/* Arguments of Freivalds' check on a GPU (explained in check_sums.c). All memory is device memory. */
struct matmul_sums {
  const void *a, *b, *c;
  int64_t n, k;
  /* numbers of the rows of a and c, and of the columns of c, that take part in the check; NULL: all */
  const int64_t *row, *column;
  int64_t rows, columns;
  int64_t blocks, width; /* blocks of columns; each has `width` columns, the last one may have fewer */
  const double *weight;  /* random weights of the columns: [columns][MATMUL_VECTORS] */
  double *vectors;       /* [blocks][MATMUL_VECTORS][depth]: weighted sums of each block's rows of b */
  int64_t depth;         /* number of terms along k that are processed in one pass */
  double *sums;          /* [rows][blocks][MATMUL_VECTORS]: sums of weighted elements that c should have */
  double *measured; /* [rows][blocks][MATMUL_VECTORS + 1]: the sums that c has, and those of the elements' squares */
  unsigned long long *wrong; /* index row * blocks + block of the first mismatch; ULLONG_MAX: none */
  const int64_t *sample_row, *sample_column;
  int64_t sample_rows, sample_columns;
  double *sample; /* the elements of c in the sample: [sample_rows][sample_columns] */
  int32_t dtype;  /* type of a and b */
};

void matmul_cpu_naive(const struct matmul_problem *p);
int64_t matmul_cpu_naive_workspace(const struct matmul_problem *p);
void matmul_cpu_blocked(const struct matmul_problem *p);
int64_t matmul_cpu_blocked_workspace(const struct matmul_problem *p);
const char *matmul_cpu_blocked_kernel(const struct matmul_problem *p); /* returns the name of the kernel used here */

/* Ends the OpenMP threads that the CPU functions left waiting for more work. */
void matmul_cpu_stop_threads(void);

/* Convert `count` elements, starting at index `first`. The first function converts from a storage type to float, the
 * second from float to the type of c. */
void matmul_cpu_to_float(float *to, const void *from, int64_t first, int64_t count, int32_t dtype);
void matmul_cpu_from_float(void *to, int64_t first, const float *from, int64_t count, int32_t dtype);

int matmul_cuda_naive(const struct matmul_problem *p, struct CUstream_st *stream);
int matmul_cuda_tiled(const struct matmul_problem *p, struct CUstream_st *stream);
int matmul_cuda_register(const struct matmul_problem *p, struct CUstream_st *stream); /* fp32 only */
int matmul_cuda_ring_prepare(const struct matmul_problem *p);
int matmul_cuda_ring(const struct matmul_problem *p, struct CUstream_st *stream); /* fp32 only */
int matmul_cuda_tensor_prepare(const struct matmul_problem *p);
int matmul_cuda_tensor(const struct matmul_problem *p, struct CUstream_st *stream); /* fp32 (as tf32), fp16, bf16 */
const char *matmul_cuda_error(int code);

/* Copies the first n elements of each row at `from` to c. Rows at `from` are `pitch` elements apart and aligned to 16
 * bytes. Not for e4m3. */
int matmul_cuda_unpad(const struct matmul_problem *p, const void *from, int64_t pitch, struct CUstream_st *stream);

/* Kinds of arithmetic of the wgmma kernels. These kernels need compute capability 9.0 and rows of a and b that are
 * multiples of 16 bytes. A plan (struct matmul_wgmma) is a tile shape for one kind, with the tensor maps of a
 * problem. */
#define MATMUL_WGMMA_FP16 0
#define MATMUL_WGMMA_BF16 1
#define MATMUL_WGMMA_TF32 2
#define MATMUL_WGMMA_3XTF32 3    /* needs a `workspace` of (m + n) k floats of device memory, aligned to 16 bytes */
#define MATMUL_WGMMA_E4M3 4      /* the tensor cores accumulate 128 products at a time */
#define MATMUL_WGMMA_E4M3_FAST 5 /* the tensor cores accumulate all products */
#define MATMUL_WGMMA_BF16_BIAS_GELU 6 /* needs an n that is a multiple of 8, as does MATMUL_WGMMA_BF16_ADD */
#define MATMUL_WGMMA_BF16_ADD 7
#define MATMUL_WGMMA_MATHS 8

/* Number of shapes that are timed: those whose duration a model estimates as shortest. The fastest of them is used. */
#define MATMUL_WGMMA_TIMED 4

struct matmul_wgmma;
/* A shape is a number from 0 to matmul_wgmma_shapes() - 1. matmul_wgmma_open() and matmul_wgmma_run() return a
 * cudaError_t; after a success the caller closes the plan, which refers to the problem's arrays. */
int matmul_wgmma_here(void); /* true if this build has code for the device */
int matmul_wgmma_shapes(int math);
const char *matmul_wgmma_name(int math, int shape);
double matmul_wgmma_cycles(const struct matmul_problem *p, int math, int shape); /* estimated clocks of a product */
int matmul_wgmma_open(const struct matmul_problem *p, int math, int shape, struct matmul_wgmma **plan);
int matmul_wgmma_run(const struct matmul_wgmma *plan, struct CUstream_st *stream);
void matmul_wgmma_close(struct matmul_wgmma *plan);

/* First half of Freivalds' check: computes from a and b the weighted sums of elements that a right c has, and stores
 * them in s->sums. Uses s->vectors for intermediate results. */
int matmul_cuda_state_sums(const struct matmul_sums *s, struct CUstream_st *stream);

/* Second half: computes the same weighted sums from the elements of c, stores them in s->measured, and compares them
 * with s->sums. Sets *s->wrong to the first sum that is wrong. A sum is right if it differs by at most factor * (e +
 * rms * sqrt(n)), where n is the number of elements in the sum, and e the square root of the sum of their squares. */
int matmul_cuda_compare_sums(const struct matmul_sums *s, double factor, double rms, struct CUstream_st *stream);

/* For products with an epilogue: computes each element with its epilogue by a plain fp32 kernel, and compares c with
 * it. Sets *wrong to the index row * n + column of the first element of c whose error exceeds factor * (its magnitude +
 * rms), or to ULLONG_MAX if there is none. */
int matmul_cuda_compare_elements(const struct matmul_problem *p, double factor, double rms, unsigned long long *wrong,
                                 struct CUstream_st *stream);

/* Applies the epilogue to a plain product that c already holds. */
int matmul_cuda_finish(const struct matmul_problem *p, struct CUstream_st *stream);

/* Copies the elements of c in the sampled rows and columns to `sample`. */
int matmul_cuda_take_sample(const struct matmul_sums *s, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#endif
