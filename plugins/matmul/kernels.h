/* The kernels of the matmul plugin: raw pointers and sizes, nothing of the plugin ABI, no CUDA header. The CUDA
 * launchers enqueue on `stream` and return a cudaError_t as int, 0 is success; the cpu functions return when c is
 * written. a is [m][k], b is [n][k], c is [m][n], all dense, first elements aligned to 16 bytes. */
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
#define MATMUL_E4M3 3 /* c is bf16 */

/* What becomes of a sum s of row i and column j before it is stored. */
#define MATMUL_PLAIN 0
#define MATMUL_BIAS_GELU 1 /* GELU(s + bias[j]), the form by tanh */
#define MATMUL_ADD 2       /* s + r[i][j] */

/* The tensor that an epilogue takes. */
static inline const char *matmul_extra_name(int32_t epilogue) {
  return epilogue == MATMUL_ADD ? "r" : "bias";
}

struct matmul_problem {
  const void *a;
  const void *b;
  const void *extra; /* bias or r, of c's type; NULL where the epilogue is plain */
  void *c;
  float *workspace; /* cpu: matmul_cpu_*_workspace floats, aligned to 64 bytes; cuda: of wgmma's 3xtf32 */
  int64_t m, n, k;  /* each at least 1 and below 2^24; m * n at most 2^38 */
  int32_t dtype;
  int32_t epilogue;
  int32_t threads;         /* cpu only */
  int32_t multiprocessors; /* cuda only: decides between tile shapes, as does */
  int32_t shared_bytes;    /* what a block may have of shared memory */
};

/* `count` sums of a row, from `column` on, as the problem's epilogue has them. */
void matmul_cpu_epilogue(const struct matmul_problem *p, int64_t row, int64_t column, float *values, int64_t count);

#define MATMUL_VECTORS 4 /* random vectors of Freivalds' check */

/* What the check needs on a GPU. All memory is the device's. */
struct matmul_sums {
  const void *a, *b, *c;
  int64_t n, k;
  const int64_t *row, *column; /* `rows` of a and c, and `columns` of c, that take part; NULL: all, one after another */
  int64_t rows, columns;
  int64_t blocks, width;     /* of columns; `width` of them in each but the last */
  const double *weight;      /* [columns][MATMUL_VECTORS] */
  double *vectors;           /* [blocks][MATMUL_VECTORS][depth]: for each block the weighted sums of its rows of b */
  int64_t depth;             /* terms of a product that are taken in one go */
  double *sums;              /* [rows][blocks][MATMUL_VECTORS]: what the weighted elements of c should add up to */
  double *measured;          /* [rows][blocks][MATMUL_VECTORS + 1]: what they do, and their squares */
  unsigned long long *wrong; /* the first row * blocks + block where that is not so; the largest number: none */
  const int64_t *sample_row, *sample_column;
  int64_t sample_rows, sample_columns;
  double *sample; /* [sample_rows][sample_columns] */
  int32_t dtype;  /* of a and b */
};

void matmul_cpu_naive(const struct matmul_problem *p);
int64_t matmul_cpu_naive_workspace(const struct matmul_problem *p);
void matmul_cpu_blocked(const struct matmul_problem *p);
int64_t matmul_cpu_blocked_workspace(const struct matmul_problem *p);
const char *matmul_cpu_blocked_kernel(const struct matmul_problem *p); /* its name */

/* Ends the threads that the functions above left waiting for more work. */
void matmul_cpu_stop_threads(void);

/* `count` elements of a storage type from element `first` as floats, and floats as the storage type of c. */
void matmul_cpu_to_float(float *to, const void *from, int64_t first, int64_t count, int32_t dtype);
void matmul_cpu_from_float(void *to, int64_t first, const float *from, int64_t count, int32_t dtype);

int matmul_cuda_naive(const struct matmul_problem *p, struct CUstream_st *stream);
int matmul_cuda_tiled(const struct matmul_problem *p, struct CUstream_st *stream);
int matmul_cuda_register(const struct matmul_problem *p, struct CUstream_st *stream); /* fp32 */
int matmul_cuda_ring_prepare(const struct matmul_problem *p);
int matmul_cuda_ring(const struct matmul_problem *p, struct CUstream_st *stream); /* fp32 */
int matmul_cuda_tensor_prepare(const struct matmul_problem *p);
int matmul_cuda_tensor(const struct matmul_problem *p, struct CUstream_st *stream); /* fp32 in tf32, fp16, bf16 */
const char *matmul_cuda_error(int code);

/* Fills c from rows of `pitch` elements at `from`, which are aligned to 16 bytes; not for e4m3. */
int matmul_cuda_unpad(const struct matmul_problem *p, const void *from, int64_t pitch, struct CUstream_st *stream);

/* wgmma: compute capability 9.0 alone, rows of a and b of whole 16 bytes. A plan is a shape of tiles for an arithmetic,
 * with the tensor maps of a problem. */
#define MATMUL_WGMMA_FP16 0
#define MATMUL_WGMMA_BF16 1
#define MATMUL_WGMMA_TF32 2
#define MATMUL_WGMMA_3XTF32 3         /* `workspace`: (m + n) k floats of the device, aligned to 16 bytes */
#define MATMUL_WGMMA_E4M3 4           /* the tensor cores add up 128 products at a time */
#define MATMUL_WGMMA_E4M3_FAST 5      /* all of them */
#define MATMUL_WGMMA_BF16_BIAS_GELU 6 /* with an epilogue n is a multiple of 8 */
#define MATMUL_WGMMA_BF16_ADD 7
#define MATMUL_WGMMA_MATHS 8

#define MATMUL_WGMMA_TIMED 4 /* shapes that the model puts first; the fastest of them is taken */

struct matmul_wgmma;
int matmul_wgmma_here(void); /* whether this build has code for the device */
int matmul_wgmma_shapes(int math);
const char *matmul_wgmma_name(int math, int shape);
double matmul_wgmma_cycles(const struct matmul_problem *p, int math, int shape); /* of a product, as a model says */
int matmul_wgmma_open(const struct matmul_problem *p, int math, int shape, struct matmul_wgmma **plan);
int matmul_wgmma_run(const struct matmul_wgmma *plan, struct CUstream_st *stream);
void matmul_wgmma_close(struct matmul_wgmma *plan);

/* Fills `sums`, by way of `vectors`. */
int matmul_cuda_state_sums(const struct matmul_sums *s, struct CUstream_st *stream);

/* Fills `measured` and `wrong`. Right is a sum that is off by no more than `factor` times the norm of its elements and
 * of as many of size `rms`. */
int matmul_cuda_compare_sums(const struct matmul_sums *s, double factor, double rms, struct CUstream_st *stream);

/* Fills `wrong` with the first element of c, row * n + column, that is not within `factor` times its own size and `rms`
 * of what a plain product in fp32 makes of a, b and extra; the largest number: none. */
int matmul_cuda_compare_elements(const struct matmul_problem *p, double factor, double rms, unsigned long long *wrong,
                                 struct CUstream_st *stream);

/* The epilogue of a plain product, which c holds. */
int matmul_cuda_finish(const struct matmul_problem *p, struct CUstream_st *stream);

/* Fills `sample` from c. */
int matmul_cuda_take_sample(const struct matmul_sums *s, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#endif
