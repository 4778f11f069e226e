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

/* Epilogues: what is stored in row i and column j of c when s is the sum of the products. */
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
  const void *extra; /* the input of the epilogue: bias or r, in the type of c; NULL if there is no epilogue */
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

#define MATMUL_VECTORS 4 /* number of random vectors in Freivalds' check of the product */

/* Arguments of Freivalds' check on a GPU (explained in check_sums.c). All memory is device memory. */
struct matmul_sums {
  const void *a, *b, *c;
  int64_t n, k;
  /* numbers of the rows of a and c, and of the columns of c (rows of b), that take part in the check; NULL: all */
  const int64_t *row, *column;
  int64_t rows, columns;
  int64_t blocks, width; /* number of blocks into which the columns are divided, and columns in a block; the last block
                            may have fewer */
  const double *weight;  /* random weight of each column in each vector: [columns][MATMUL_VECTORS] */
  double *vectors;       /* for each block and each random vector, the weighted sum of the block's rows of b:
                            [blocks][MATMUL_VECTORS][depth] */
  int64_t depth;         /* how many values of k are processed in one pass */
  double *sums;          /* expected weighted sums of c, computed from a and b: [rows][blocks][MATMUL_VECTORS] */
  double *measured;      /* the same sums, computed from c, then the sum of the squares of the elements in the sums:
                            [rows][blocks][MATMUL_VECTORS + 1] */
  unsigned long long *wrong; /* index row * blocks + block of the first wrong sum; ULLONG_MAX: none */
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

/* Convert `count` elements, starting with element `first` of the stored array. The first function converts stored
 * elements of type `dtype` to float. The second converts float to the type that c has for inputs of type `dtype`. */
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

/* Copies a product with padded rows to c: the first n elements of each row at `from`. Rows at `from` begin `pitch`
 * elements apart and are aligned to 16 bytes. Not for e4m3. */
int matmul_cuda_unpad(const struct matmul_problem *p, const void *from, int64_t pitch, struct CUstream_st *stream);

/* Kinds of arithmetic of the kernels that use the instruction wgmma. These kernels need compute capability 9.0, and the
 * rows of a and b must be multiples of 16 bytes long. A plan (struct matmul_wgmma) is a tile shape for one kind of
 * arithmetic, with the tensor maps of a problem. */
#define MATMUL_WGMMA_FP16 0
#define MATMUL_WGMMA_BF16 1
#define MATMUL_WGMMA_TF32 2
#define MATMUL_WGMMA_3XTF32 3    /* needs a `workspace` of (m + n) k floats of device memory, aligned to 16 bytes */
#define MATMUL_WGMMA_E4M3 4      /* the tensor cores accumulate 128 products at a time */
#define MATMUL_WGMMA_E4M3_FAST 5 /* the tensor cores accumulate all products */
#define MATMUL_WGMMA_BF16_BIAS_GELU 6 /* needs an n that is a multiple of 8, as does MATMUL_WGMMA_BF16_ADD */
#define MATMUL_WGMMA_BF16_ADD 7
#define MATMUL_WGMMA_MATHS 8

/* For each problem, this many tile shapes are timed, and the fastest is used. They are those that matmul_wgmma_cycles()
 * estimates as fastest. */
#define MATMUL_WGMMA_TIMED 4

struct matmul_wgmma;
/* A shape (of the tiles into which c is divided) is a number from 0 to matmul_wgmma_shapes(math) - 1.
 * matmul_wgmma_open() and matmul_wgmma_run() return a cudaError_t. After a success of matmul_wgmma_open(), the caller
 * must close the plan, which refers to the arrays of the problem. */
int matmul_wgmma_here(void); /* true if this build has code for the device */
int matmul_wgmma_shapes(int math);
const char *matmul_wgmma_name(int math, int shape);
/* returns an estimate of the clock cycles that the product takes with this shape */
double matmul_wgmma_cycles(const struct matmul_problem *p, int math, int shape);
int matmul_wgmma_open(const struct matmul_problem *p, int math, int shape, struct matmul_wgmma **plan);
int matmul_wgmma_run(const struct matmul_wgmma *plan, struct CUstream_st *stream);
void matmul_wgmma_close(struct matmul_wgmma *plan);

/* First half of Freivalds' check: computes from a and b the weighted sums that a correct c must have, and stores them
 * in s->sums. Uses s->vectors for intermediate results. */
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

/* For libraries without this epilogue: applies the problem's epilogue to all elements of c, which holds the plain
 * product. */
int matmul_cuda_finish(const struct matmul_problem *p, struct CUstream_st *stream);

/* Copies the elements of c in the rows sample_row and the columns sample_column to s->sample. */
int matmul_cuda_take_sample(const struct matmul_sums *s, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#endif
