/* The kernels of calibrate. They take raw pointers and sizes, and are independent of the plugin ABI. README.md says
 * what each of them computes. */
#ifndef CALIBRATE_KERNELS_H
#define CALIBRATE_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The sizes of float arrays of the benches "read", "write" and "copy" are counted in segments of this many floats,
 * which are 64 KiB. */
#define CALIBRATE_SEGMENT 16384
/* The value that the bench "write" stores. All its bytes are 0x3f, so that memset can store it, too; as a float it is
 * 0x1.7e7e7ep-1. */
#define CALIBRATE_BYTE 0x3f
#define CALIBRATE_VALUE 0x1.7e7e7ep-1f
/* Number of chains (independent sequences of multiply-adds) in each lane of the bench "fma". */
#define CALIBRATE_CHAINS 16
/* Size of a tile of the bench "tensor": d[M, N] = repeats * a[M, K] * b[N, K]^T. */
#define CALIBRATE_TILE_M 128
#define CALIBRATE_TILE_N 256
#define CALIBRATE_TILE_K 64

struct CUstream_st;

/* The arguments of all functions below; unused members are 0. Their meaning depends on the function. */
struct calibrate_call {
  const void *a, *b, *x;
  void *y;
  int64_t size;            /* amount of data or number of blocks, as listed below */
  int64_t steps;           /* duration or number of repetitions, as listed below */
  int threads;             /* number of threads, for CPU functions only */
  int64_t multiprocessors; /* number of multiprocessors, for CUDA functions only */
  struct {
    int64_t parameters, shared, cluster; /* bytes of parameters, bytes of shared memory, blocks of a cluster */
  } launch;
  struct CUstream_st *stream;
};

/* All return 0 or a cudaError_t; the CPU functions return when y is written.
 *   empty  y: int32 [1] = 1; size: blocks; launch: the shape of the launch
 *   spin   y: int32 [size] = nanoseconds spent; size: blocks; steps: nanoseconds
 *   read   x: float [size segments], y: float [size] = sum of each segment
 *   write  y: float [size segments] = CALIBRATE_VALUE
 *   copy   x, y: float [size segments]
 *   fma    a, b: float [size], x, y: float [CHAINS, size]: `steps` times x = a * x + b; size a multiple of 256
 *   tensor a: bf16 [size, M, K], b: bf16 [N, K], y: bf16 [size, M, N]: the sum of `steps` equal products */
int calibrate_cuda_empty(const struct calibrate_call *call);
int calibrate_cuda_spin(const struct calibrate_call *call);
int calibrate_cuda_read(const struct calibrate_call *call);
int calibrate_cuda_write(const struct calibrate_call *call);
int calibrate_cuda_write_memset(const struct calibrate_call *call);
int calibrate_cuda_copy(const struct calibrate_call *call);
int calibrate_cuda_copy_memcpy(const struct calibrate_call *call);
int calibrate_cuda_copy_pack(const struct calibrate_call *call);
int calibrate_cuda_copy_pack_streaming(const struct calibrate_call *call);
int calibrate_cuda_copy_four_packs(const struct calibrate_call *call);
int calibrate_cuda_copy_bulk(const struct calibrate_call *call); /* compute capability 9.0 and later */
/* compute capability 9.0 and later; uses call->multiprocessors */
int calibrate_cuda_copy_bulk_ring(const struct calibrate_call *call);
int calibrate_cuda_ffma(const struct calibrate_call *call);
int calibrate_cuda_mma(const struct calibrate_call *call);   /* compute capability 8.0 and later */
int calibrate_cuda_wgmma(const struct calibrate_call *call); /* compute capability 9.0 only */
const char *calibrate_cuda_error(int code);

int calibrate_cpu_empty(const struct calibrate_call *call);
int calibrate_cpu_spin(const struct calibrate_call *call);
int calibrate_cpu_read(const struct calibrate_call *call);
int calibrate_cpu_write(const struct calibrate_call *call);
int calibrate_cpu_write_memset(const struct calibrate_call *call);
int calibrate_cpu_write_stream(const struct calibrate_call *call); /* call it only if calibrate_cpu_streams() */
int calibrate_cpu_copy(const struct calibrate_call *call);
int calibrate_cpu_copy_memcpy(const struct calibrate_call *call);
int calibrate_cpu_copy_stream(const struct calibrate_call *call); /* call it only if calibrate_cpu_streams() */
int calibrate_cpu_fma(const struct calibrate_call *call);         /* call it only if calibrate_cpu_fuses() */

/* Returns true if this processor has the non-temporal stores that the stream functions use. */
int calibrate_cpu_streams(void);
/* Returns true if this processor has a fused multiply-add. */
int calibrate_cpu_fuses(void);

#ifdef __cplusplus
}
#endif
#endif
