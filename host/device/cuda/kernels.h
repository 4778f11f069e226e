/* The host's own device code: launchers that enqueue on a stream and return the cudaError_t of the launch. Sizes may be
 * zero. What a launch leaves for later (a fault) shows at the next synchronisation. */
#ifndef DEVICE_CUDA_KERNELS_H
#define DEVICE_CUDA_KERNELS_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Holds the stream back until the host has written the number of this closing, or one above it, into `opened`. */
struct gate {
  volatile uint64_t opened;  /* written by the host */
  volatile uint64_t gave_up; /* written by the device: the last closing that reached its limit */
};

/* A multiprocessor's clock beside the time. */
struct clock_reading {
  uint64_t cycles, ns;
  uint32_t multiprocessor, reserved;
};

/* Counters on the device; cleared by the caller. */
struct scan {
  unsigned long long count; /* or the checksum */
  unsigned long long first; /* starts as UINT64_MAX */
};

/* Loads every kernel now: says whether they were built for this device. */
cudaError_t kernels_load(void);

/* Once loaded: the compute capability that they were compiled for, 10 * major + minor. Less than the device's where the
 * driver has compiled them from PTX. */
int kernels_capability(void);

/* Each byte becomes (byte & kept) | value: all alike, or what it is already. */
cudaError_t kernels_write(cudaStream_t stream, void *memory, size_t bytes, unsigned char kept, unsigned char value);

cudaError_t kernels_fill(cudaStream_t stream, void *memory, uint64_t elements, const struct fill *fill);
cudaError_t kernels_count_poison(cudaStream_t stream, const void *memory, size_t element_bytes, uint64_t elements,
                                 unsigned char byte, struct scan *scan);

/* As `shuffle` of device/device.h. Both are aligned to their elements, of 1, 2, 4 or 8 bytes. */
cudaError_t kernels_shuffle(cudaStream_t stream, void *to, const void *from, size_t element_bytes, uint64_t elements,
                            struct shuffle order);

/* Element i of `to` becomes element at[i] of `from`. */
cudaError_t kernels_gather(cudaStream_t stream, void *to, const void *from, size_t element_bytes,
                           const struct places *places);

/* Element at[i] of `memory` becomes (it & kept) ^ flipped; `to` has a copy of it. */
cudaError_t kernels_plant(cudaStream_t stream, void *to, void *memory, size_t element_bytes,
                          const struct places *places, uint64_t kept, uint64_t flipped);

/* Adds up mixed 8-byte words, each with its index and a key, so that order matters but the schedule does not. */
cudaError_t kernels_checksum(cudaStream_t stream, const void *memory, size_t bytes, uint64_t key, struct scan *scan);

/* How much a flush of an L2 cache of this size has to read: more than the cache, so that whatever order the cache
 * replaces lines in, none of another's is left. */
static inline size_t kernels_flush_bytes(size_t l2_bytes) {
  return kernels_capability() >= 80 ? l2_bytes / 32 * 48 : 2 * l2_bytes;
}

/* Reads `bytes` (a multiple of 16) of `memory`, which holds zeros and begins on a cache line, so that nothing else is
 * left in the L2 cache, be it lines that somebody asked to stay. Those it leaves there do not stay longer than others.
 */
cudaError_t kernels_flush(cudaStream_t stream, const void *memory, size_t bytes, uint32_t multiprocessors,
                          struct scan *scan);

/* `gate` is page-locked host memory. */
cudaError_t kernels_gate(cudaStream_t stream, struct gate *gate, uint64_t closing, uint64_t limit_ns);

/* Reads the clock of whichever multiprocessor it comes to. */
cudaError_t kernels_clock(cudaStream_t stream, struct clock_reading *to);

/* Launches that do nothing, in shapes that cost more or less to launch: the grid fills one block, a multiprocessor each
 * or all eight times over; with few or many bytes of parameters, with or without up to 200 KB of shared memory, in
 * clusters of two or without. Shape 0 is one block with none of it. The code is that of a kernel which spins for a
 * given time, given none, so that what such a kernel has beyond its time is in it. */
struct null_launch {
  uint32_t blocks, shared_bytes, cluster;
  bool many_parameters;
};
enum { NULL_SHAPES = 20, NULL_SHAPES_PLAIN = 10 /* those without clusters come first */ };
/* For a device with so many multiprocessors and so much shared memory per block. */
void kernels_null_shape(uint32_t shape, uint32_t multiprocessors, uint32_t shared_most, struct null_launch *launch);
cudaError_t kernels_null(cudaStream_t stream, const struct null_launch *launch, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif
