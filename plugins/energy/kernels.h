/* The kernels of the energy plugin: raw pointers and sizes, nothing of the plugin ABI, no CUDA header. The CUDA
 * launchers enqueue on `stream` and return a cudaError_t as int, 0 is success; energy_cuda_idle and energy_cuda_burst
 * return when the work is done. The cpu functions return 0 when y is written. README.md has the contracts. */
#ifndef ENERGY_KERNELS_H
#define ENERGY_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Float arrays of copy and job are counted in segments of 64 KiB. */
#define ENERGY_SEGMENT 16384
/* Elements of small's ring. */
#define ENERGY_RING 1024
/* Elements of a burst's arrays. */
#define ENERGY_LANES 65536

struct CUstream_st;

/* What every function below takes; unused members are 0. Each names what it uses. */
struct energy_call {
  const void *a, *b, *x;
  void *y;
  void *work;      /* workspace of the variant */
  int64_t size;    /* segments; rows of a product */
  int64_t steps;   /* how often */
  int64_t ns;      /* of a burst or a sleep */
  int64_t period;  /* ns between the beginnings of bursts */
  int64_t phase;   /* ns after a multiple of the period, by CLOCK_MONOTONIC */
  int32_t threads; /* cpu */
  int32_t units;   /* cuda: multiprocessors to use */
  int64_t shared;  /* cuda: the most shared memory that a block can have, bytes */
  struct CUstream_st *stream;
};

/*   copy   x, y: float [size segments]
 *   gemm   a, b, y: float [size][size]: y = a * transposed b; size a multiple of 16; fp64: `work` has a and b as
 * doubles small  x, y: float [ENERGY_RING]: `steps` times each becomes the mean of itself and its right neighbour job
 * x, y: float [size segments]: a quarter, a half and a quarter of three neighbours burst  x, y: float [ENERGY_LANES]: y
 * = x, after `ns` of work that began at `phase` of a period idle   y: int32 [1] = 1, and `ns` of sleep */
int energy_cpu_copy(const struct energy_call *call);
int energy_cpu_gemm_fp32(const struct energy_call *call);
int energy_cpu_gemm_fp64(const struct energy_call *call);
int energy_cpu_small(const struct energy_call *call);
int energy_cpu_job(const struct energy_call *call);
int energy_cpu_burst(const struct energy_call *call);
int energy_cpu_idle(const struct energy_call *call);

/* `count` floats as doubles. */
void energy_cpu_widen(double *to, const float *from, int64_t count);
/* Returns when CLOCK_MONOTONIC is at `phase` of a period. */
void energy_wait(int64_t period, int64_t phase);
void energy_sleep(int64_t ns);
/* Ends the threads that the functions above left waiting for more work. */
void energy_cpu_stop_threads(void);

int energy_cuda_copy(const struct energy_call *call);
int energy_cuda_copy_memcpy(const struct energy_call *call);
int energy_cuda_small_launches(const struct energy_call *call); /* work: float [2][ENERGY_RING] */
int energy_cuda_small_kernel(const struct energy_call *call);
int energy_cuda_job_prepare(const struct energy_call *call);
int energy_cuda_job(const struct energy_call *call);
int energy_cuda_burst(const struct energy_call *call);
int energy_cuda_idle(const struct energy_call *call);
const char *energy_cuda_error(int code);

#define ENERGY_FP32 0
#define ENERGY_TF32 1
#define ENERGY_FP16 2
#define ENERGY_BF16 3
#define ENERGY_FP8 4 /* e4m3 */

/* `count` floats as FP16, BF16 or FP8, and the end of it. */
int energy_cuda_narrow(void *to, const float *from, int64_t count, int precision, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#endif
