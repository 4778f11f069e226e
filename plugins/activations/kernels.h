/* Declares the kernels of the activations plugin. They take raw pointers and sizes and do not use the plugin interface.
 * README.md states what each operation computes. */
#ifndef ACTIVATIONS_KERNELS_H
#define ACTIVATIONS_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum activations_dtype { ACTIVATIONS_FP32, ACTIVATIONS_FP16, ACTIVATIONS_BF16 };
enum activations_form { ACTIVATIONS_ERF, ACTIVATIONS_TANH };

#define ACTIVATIONS_EPSILON 1e-5f /* epsilon of the norms */
/* Limits that all kernels can index: elements of a tensor, rows of a matrix, and elements of a row. The limit of rows
 * is that of a grid's blocks divided by 8, because a row may need a cluster of 8 blocks. */
#define ACTIVATIONS_MAX_COUNT ((int64_t)1 << 34)
#define ACTIVATIONS_MAX_M (((int64_t)1 << 28) - 1)
#define ACTIVATIONS_MAX_N ((int64_t)1 << 30)

/* Row lengths that the variants support. `lanes` supports multiples of 16 bytes, up to LANES_BYTES. `whole` supports
 * multiples of WHOLE_STEP elements, and `staged` of STAGED_STEP elements, both up to WHOLE_MAX. */
#define ACTIVATIONS_LANES_BYTES 2048
#define ACTIVATIONS_WHOLE_STEP 1024
#define ACTIVATIONS_STAGED_STEP 2048
#define ACTIVATIONS_WHOLE_MAX 16384
/* Powers of two from TENSOR_LEAST to TENSOR_SHORT are row lengths that the variant `tensor` supports in addition to the
 * row lengths of `staged`. */
#define ACTIVATIONS_TENSOR_LEAST 32
#define ACTIVATIONS_TENSOR_SHORT 256

struct CUstream_st;

/* The arguments of all functions below. Matrices are dense [m, n] arrays. Their first element is aligned to 16 bytes,
 * but later rows may start at any address. Elementwise functions use only the product m * n. */
struct activations_call {
  const void *x;
  /* Same shape as x. Set for swiglu and the add_* operations only; else NULL. */
  const void *z;
  const void *gamma; /* [n]; only for norms, else NULL */
  const void *beta;  /* [n]; only for the kinds of LayerNorm, else NULL */
  const void *bias;  /* [n]; only for bias_gelu, else NULL */
  void *y;
  /* Where x + z is stored, in the shape of x. Set for the add_* operations only; else NULL. */
  void *s;
  float *mean;  /* [m]; the mean of each row, only for layernorm_saved */
  float *rstd;  /* [m]; 1 / standard deviation of each row, only for the *_saved operations */
  void *middle; /* same shape as x: the array between the two kernels of `unfused` */
  int64_t m, n;
  enum activations_dtype dtype;
  enum activations_form form; /* which form of GELU, for gelu and bias_gelu */
  int threads;                /* number of threads, for CPU functions only */
  /* activations_cpu_scratch(n) floats for each thread. Set for the fused norms on the CPU only. */
  float *scratch;
  struct CUstream_st *stream;
};

/* All return 0 or a cudaError_t; the CPU functions return when y is written. The variants:
 *   naive    one element at a time; norms make one pass over memory for each step
 *   vector   16-byte accesses, the functions of naive
 *   fast     16-byte accesses, the functions of approx.h
 *   pack     as fast, but with one or two 16-byte accesses of each kind per thread
 *   fused    one read of x; the row stays in registers (CUDA) or in the cache (CPU)
 *   lanes    as fused, for short rows: a group of lanes holds a row
 *   whole    the row stays in registers; its length makes bounds checks unnecessary
 *   staged   as whole, but the row is in shared memory; from compute capability 9.0 on, 16-bit types only
 *   tensor   as whole, but elements stay packed and tensor cores add them up; 16-bit types only
 *   unfused  layernorm_fused into `middle`, then gelu_fast
 *   copy     y = x
 *   copy_saved  y = x, and zeros for the statistics
 *   copy_pair  s = x, y = z
 *   add      y = x + z */
int activations_cuda_gelu_naive(const struct activations_call *call);
int activations_cuda_gelu_vector(const struct activations_call *call);
int activations_cuda_gelu_fast(const struct activations_call *call);
int activations_cuda_gelu_pack(const struct activations_call *call);
int activations_cuda_swish_naive(const struct activations_call *call);
int activations_cuda_swish_vector(const struct activations_call *call);
int activations_cuda_swish_fast(const struct activations_call *call);
int activations_cuda_swish_pack(const struct activations_call *call);
int activations_cuda_copy(const struct activations_call *call);
int activations_cuda_bias_gelu_naive(const struct activations_call *call);
int activations_cuda_bias_gelu_pack(const struct activations_call *call);
int activations_cuda_copy_saved(const struct activations_call *call);
int activations_cuda_layernorm_saved_naive(const struct activations_call *call);
int activations_cuda_layernorm_saved_lanes(const struct activations_call *call);
int activations_cuda_layernorm_saved_whole(const struct activations_call *call);
int activations_cuda_layernorm_saved_tensor(const struct activations_call *call);
int activations_cuda_rmsnorm_saved_naive(const struct activations_call *call);
int activations_cuda_rmsnorm_saved_lanes(const struct activations_call *call);
int activations_cuda_rmsnorm_saved_whole(const struct activations_call *call);
int activations_cuda_rmsnorm_saved_tensor(const struct activations_call *call);
int activations_cuda_swiglu_naive(const struct activations_call *call);
int activations_cuda_swiglu_pack(const struct activations_call *call);
int activations_cuda_add(const struct activations_call *call);
int activations_cuda_layernorm_naive(const struct activations_call *call);
int activations_cuda_layernorm_fused(const struct activations_call *call);
int activations_cuda_layernorm_lanes(const struct activations_call *call);
int activations_cuda_layernorm_whole(const struct activations_call *call);
int activations_cuda_layernorm_staged(const struct activations_call *call);
int activations_cuda_layernorm_tensor(const struct activations_call *call);
int activations_cuda_rmsnorm_naive(const struct activations_call *call);
int activations_cuda_rmsnorm_fused(const struct activations_call *call);
int activations_cuda_rmsnorm_lanes(const struct activations_call *call);
int activations_cuda_rmsnorm_whole(const struct activations_call *call);
int activations_cuda_rmsnorm_staged(const struct activations_call *call);
int activations_cuda_rmsnorm_tensor(const struct activations_call *call);
int activations_cuda_add_layernorm_naive(const struct activations_call *call);
int activations_cuda_add_layernorm_whole(const struct activations_call *call);
int activations_cuda_add_layernorm_tensor(const struct activations_call *call);
int activations_cuda_add_rmsnorm_naive(const struct activations_call *call);
int activations_cuda_add_rmsnorm_whole(const struct activations_call *call);
int activations_cuda_add_rmsnorm_tensor(const struct activations_call *call);
int activations_cuda_copy_pair(const struct activations_call *call);
int activations_cuda_layernorm_gelu_unfused(const struct activations_call *call);
int activations_cuda_layernorm_gelu_fused(const struct activations_call *call);
int activations_cuda_layernorm_gelu_lanes(const struct activations_call *call);
int activations_cuda_layernorm_gelu_whole(const struct activations_call *call);
int activations_cuda_layernorm_gelu_staged(const struct activations_call *call);
int activations_cuda_layernorm_gelu_tensor(const struct activations_call *call);
const char *activations_cuda_error(int code);
/* Returns the longest row that the variant `fused` keeps on chip. From compute capability 9.0 on (written as 90), the
 * blocks of a cluster may share a row. */
int64_t activations_cuda_fused_limit(int64_t compute_capability);

int activations_cpu_gelu_naive(const struct activations_call *call);
int activations_cpu_gelu_fast(const struct activations_call *call);
int activations_cpu_swish_naive(const struct activations_call *call);
int activations_cpu_swish_fast(const struct activations_call *call);
int activations_cpu_copy(const struct activations_call *call);
int activations_cpu_bias_gelu_naive(const struct activations_call *call);
int activations_cpu_bias_gelu_fast(const struct activations_call *call);
int activations_cpu_copy_saved(const struct activations_call *call);
int activations_cpu_layernorm_saved_naive(const struct activations_call *call);
int activations_cpu_layernorm_saved_fused(const struct activations_call *call);
int activations_cpu_rmsnorm_saved_naive(const struct activations_call *call);
int activations_cpu_rmsnorm_saved_fused(const struct activations_call *call);
int activations_cpu_swiglu_naive(const struct activations_call *call);
int activations_cpu_swiglu_fast(const struct activations_call *call);
int activations_cpu_add(const struct activations_call *call);
int activations_cpu_layernorm_naive(const struct activations_call *call);
int activations_cpu_layernorm_fused(const struct activations_call *call);
int activations_cpu_rmsnorm_naive(const struct activations_call *call);
int activations_cpu_rmsnorm_fused(const struct activations_call *call);
int activations_cpu_add_layernorm_naive(const struct activations_call *call);
int activations_cpu_add_layernorm_fused(const struct activations_call *call);
int activations_cpu_add_rmsnorm_naive(const struct activations_call *call);
int activations_cpu_add_rmsnorm_fused(const struct activations_call *call);
int activations_cpu_copy_pair(const struct activations_call *call);
int activations_cpu_layernorm_gelu_unfused(const struct activations_call *call);
int activations_cpu_layernorm_gelu_fused(const struct activations_call *call);
int64_t activations_cpu_scratch(int64_t n);

#ifdef __cplusplus
}
#endif
#endif
