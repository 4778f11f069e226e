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

struct matmul_problem {
  const void *a;
  const void *b;
  void *c;
  float *workspace; /* cpu: matmul_cpu_*_workspace floats, aligned to 64 bytes */
  int64_t m, n, k;  /* each at least 1 and below 2^24; m * n at most 2^38 */
  int32_t dtype;
  int32_t threads;         /* cpu only */
  int32_t multiprocessors; /* cuda only: decides between tile shapes */
  int32_t reserved;
};

void matmul_cpu_naive(const struct matmul_problem *p);
int64_t matmul_cpu_naive_workspace(const struct matmul_problem *p);
void matmul_cpu_blocked(const struct matmul_problem *p);
int64_t matmul_cpu_blocked_workspace(const struct matmul_problem *p);

/* Ends the threads that the functions above left waiting for more work. */
void matmul_cpu_stop_threads(void);

/* `count` elements of a storage type from element `first` as floats, and floats as the storage type of c. */
void matmul_cpu_to_float(float *to, const void *from, int64_t first, int64_t count, int32_t dtype);
void matmul_cpu_from_float(void *to, int64_t first, const float *from, int64_t count, int32_t dtype);

int matmul_cuda_naive(const struct matmul_problem *p, struct CUstream_st *stream);
int matmul_cuda_tiled(const struct matmul_problem *p, struct CUstream_st *stream);
int matmul_cuda_register(const struct matmul_problem *p, struct CUstream_st *stream); /* fp32 */
int matmul_cuda_tensor_prepare(const struct matmul_problem *p);
int matmul_cuda_tensor(const struct matmul_problem *p, struct CUstream_st *stream); /* fp32 in tf32, fp16, bf16 */
const char *matmul_cuda_error(int code);

#ifdef __cplusplus
}
#endif
#endif
