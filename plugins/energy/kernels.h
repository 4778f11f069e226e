/* The kernels of the energy plugin. They take raw pointers and sizes; neither the plugin ABI nor a CUDA header is
 * needed. The CUDA launchers enqueue on `stream` and return a cudaError_t as int, 0 for success; energy_cuda_idle and
 * energy_cuda_burst return when the work is done. The CPU functions return 0 when y is written. README.md says what
 * each of them computes. */
#ifndef ENERGY_KERNELS_H
#define ENERGY_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The sizes of float arrays of the benches "copy" and "job" are counted in segments of this many floats, which are 64
 * KiB. */
#define ENERGY_SEGMENT 16384
/* Number of elements in the array of the bench "small", a ring: its first element is the neighbour of the last one. */
#define ENERGY_RING 1024
/* Number of elements in the arrays of a burst (work that lasts a given time). */
#define ENERGY_LANES 65536

struct CUstream_st;

/* The arguments of all functions below; unused members are 0. Their meaning depends on the function. */
struct energy_call {
  const void *a, *b, *x;
  void *y;
  void *work;      /* workspace of the variant */
  int64_t size;    /* number of segments; for a product, its number of rows */
  int64_t steps;   /* number of repetitions */
  int64_t ns;      /* duration of a burst or a sleep */
  int64_t period;  /* ns from the beginning of a burst to that of the next */
  int64_t phase;   /* a burst begins this many ns after a multiple of the period, on CLOCK_MONOTONIC */
  int32_t threads; /* number of threads, for CPU functions only */
  int32_t units;   /* number of multiprocessors to use, for CUDA functions only */
  int64_t shared;  /* the most shared memory that a CUDA block can have, in bytes */
  struct CUstream_st *stream;
};

/* The functions:
 *   copy   x, y: float [size segments]
 *   gemm   a, b, y: float [size][size]: y = a * transposed b; size is a multiple of 16
 *          fp64: `work` holds a and b as doubles
 *   small  x, y: float [ENERGY_RING]: `steps` times, each element becomes the mean of itself and its right neighbour
 *   job    x, y: float [size segments]: the mean of three neighbours with weights 1/4, 1/2, 1/4
 *   burst  x, y: float [ENERGY_LANES]: y = x, after `ns` of work that began at `phase` of a period
 *   idle   y: int32 [1] = 1, and `ns` of sleep */
int energy_cpu_copy(const struct energy_call *call);
int energy_cpu_gemm_fp32(const struct energy_call *call);
int energy_cpu_gemm_fp64(const struct energy_call *call);
int energy_cpu_small(const struct energy_call *call);
int energy_cpu_job(const struct energy_call *call);
int energy_cpu_burst(const struct energy_call *call);
int energy_cpu_idle(const struct energy_call *call);

/* Converts `count` floats to doubles. */
void energy_cpu_widen(double *to, const float *from, int64_t count);
/* Waits until CLOCK_MONOTONIC is `phase` ns after a multiple of `period` ns. */
void energy_wait(int64_t period, int64_t phase);
void energy_sleep(int64_t ns);
/* Ends the OpenMP threads that the CPU functions left waiting for more work. */
void energy_cpu_stop_threads(void);

int energy_cuda_copy(const struct energy_call *call);
int energy_cuda_copy_memcpy(const struct energy_call *call);
int energy_cuda_small_launches(const struct energy_call *call); /* uses call->work as float [2][ENERGY_RING] */
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

/* Converts `count` floats to FP16, BF16 or FP8. */
int energy_cuda_narrow(void *to, const float *from, int64_t count, int precision, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#endif
