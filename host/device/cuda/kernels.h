/* The host's own device code: functions that enqueue a kernel on a stream and return the cudaError_t of the launch.
 * Sizes may be zero. A fault of the work itself shows at the next synchronization. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Holds the stream back until the host writes the number of this closing, or a larger one, into `opened`. */
struct gate {
  volatile uint64_t opened;  /* written by the host */
  volatile uint64_t gave_up; /* written by the device: the last closing that reached its limit */
};

/* The clock of a multiprocessor at a time. */
struct clock_reading {
  uint64_t cycles, ns;
  uint32_t multiprocessor, reserved;
};

/* Counters in device memory, which the caller clears. */
struct scan {
  unsigned long long count; /* or the checksum */
  unsigned long long first; /* starts as UINT64_MAX */
};

/* Loads all kernels; fails if they were not built for this device. */
cudaError_t kernels_load(void);

/* Call it after kernels_load(): returns the compute capability that they were compiled for, 10 * major + minor. It is
 * less than the device's if the driver compiled them from PTX. */
int kernels_capability(void);

/* Sets each byte to (byte & kept) | value: a constant, or its present value. */
cudaError_t kernels_write(cudaStream_t stream, void *memory, size_t bytes, unsigned char kept, unsigned char value);

cudaError_t kernels_fill(cudaStream_t stream, void *memory, uint64_t elements, const struct fill *fill);
cudaError_t kernels_count_poison(cudaStream_t stream, const void *memory, size_t element_bytes, uint64_t elements,
                                 unsigned char byte, struct scan *scan);

/* Works as device_ops.shuffle. Both buffers are aligned to their elements, of 1, 2, 4 or 8 bytes. */
cudaError_t kernels_shuffle(cudaStream_t stream, void *to, const void *from, size_t element_bytes, uint64_t elements,
                            struct shuffle order);

/* Sets element i of `to` to element at[i] of `from`. */
cudaError_t kernels_gather(cudaStream_t stream, void *to, const void *from, size_t element_bytes,
                           const struct places *places);

/* Sets element at[i] of `memory` to (it & kept) ^ flipped, and element i of `to` to the same. */
cudaError_t kernels_plant(cudaStream_t stream, void *to, void *memory, size_t element_bytes,
                          const struct places *places, uint64_t kept, uint64_t flipped);

/* Adds mixed 8-byte words, each with its index and a key, so that their order matters but the schedule does not. */
cudaError_t kernels_checksum(cudaStream_t stream, const void *memory, size_t bytes, uint64_t key, struct scan *scan);

/* Returns how many bytes flush an L2 cache of this size: more than the cache, so that no foreign line is left under any
 * replacement policy. */
static inline size_t kernels_flush_bytes(size_t l2_bytes) {
  return kernels_capability() >= 80 ? l2_bytes / 32 * 48 : 2 * l2_bytes;
}

/* Reads `bytes` (a multiple of 16) of `memory`, which holds zeros and is aligned to cache lines, so that no other lines
 * are left in L2, not even persisting ones. The lines that it leaves have normal priority. */
cudaError_t kernels_flush(cudaStream_t stream, const void *memory, size_t bytes, uint32_t multiprocessors,
                          struct scan *scan);

/* `gate` is page-locked host memory. */
cudaError_t kernels_gate(cudaStream_t stream, struct gate *gate, uint64_t closing, uint64_t limit_ns);

/* Reads the clock of the multiprocessor that the kernel happens to run on. */
cudaError_t kernels_clock(cudaStream_t stream, struct clock_reading *to);

/* Empty launches in shapes of different launch cost: a grid of one block, of one per multiprocessor or of eight per
 * multiprocessor; few or many bytes of parameters; with up to 200 KB of shared memory or none; in clusters of two or
 * without clusters. Shape 0 is one block with none of these. The kernel is one that spins for a given time, here zero,
 * so that its own overhead is included. */
struct null_launch {
  uint32_t blocks, shared_bytes, cluster;
  bool many_parameters;
};
enum { NULL_SHAPES = 20, NULL_SHAPES_PLAIN = 10 /* the shapes without clusters come first */ };
/* For a device with this number of multiprocessors and this much shared memory per block. */
void kernels_null_shape(uint32_t shape, uint32_t multiprocessors, uint32_t shared_most, struct null_launch *launch);
cudaError_t kernels_null(cudaStream_t stream, const struct null_launch *launch, uint64_t *out);

#ifdef __cplusplus
}
#endif
