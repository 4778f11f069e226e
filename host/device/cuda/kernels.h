/* Kernels that gpubench itself uses. Each function enqueues a kernel on a stream and returns the cudaError_t of the
 * launch. Sizes may be zero. An error in the kernel's execution is reported by the next synchronization. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A gate: a kernel that holds a stream back until the host opens the gate. Each launch of that kernel (a closing of the
 * gate) has a number. The host opens the gate by writing that number, or a larger one, to `opened`. */
struct gate {
  volatile uint64_t opened; /* written by the host: number of the last closing that it has ended */
  /* written by the device: number of the last closing whose time limit ran out before the host opened the gate */
  volatile uint64_t gave_up;
};

/* A reading of the clock of a multiprocessor: its cycle counter, and the time of the reading. */
struct clock_reading {
  uint64_t cycles, ns;
  uint32_t multiprocessor, reserved;
};

/* The result of a kernel that scans memory. It lies in device memory, and the caller clears it before the scan. */
struct scan {
  unsigned long long count; /* the number of elements found; for kernels_checksum(), the checksum */
  unsigned long long first; /* index of the first element found; the caller sets it to UINT64_MAX */
};

/* Loads all kernels of gpubench to the device. Fails if they were not compiled for this device. */
cudaError_t kernels_load(void);

/* Returns the compute capability that the kernels were compiled for, 10 * major + minor. Call it after kernels_load().
 * The value is less than the device's if the driver compiled the kernels from PTX. */
int kernels_capability(void);

/* Sets each byte to (byte & kept) | value. With kept = 0 this writes the constant `value`; with kept = 0xFF and value =
 * 0 it writes to each byte the value that it already has. */
cudaError_t kernels_write(cudaStream_t stream, void *memory, size_t bytes, unsigned char kept, unsigned char value);

cudaError_t kernels_fill(cudaStream_t stream, void *memory, uint64_t elements, const struct fill *fill);
cudaError_t kernels_count_poison(cudaStream_t stream, const void *memory, size_t element_bytes, uint64_t elements,
                                 unsigned char byte, struct scan *scan);

/* Enqueues what device_ops.shuffle (device/device.h) describes: a permutation of the elements in each block. Both
 * buffers are aligned to their elements, of 1, 2, 4 or 8 bytes. */
cudaError_t kernels_shuffle(cudaStream_t stream, void *to, const void *from, size_t element_bytes, uint64_t elements,
                            struct shuffle order);

/* Sets element i of `to` to element at[i] of `from`. */
cudaError_t kernels_gather(cudaStream_t stream, void *to, const void *from, size_t element_bytes,
                           const struct places *places);

/* Sets element at[i] of `memory` to (its value & kept) ^ flipped, and element i of `to` to the same. */
cudaError_t kernels_plant(cudaStream_t stream, void *to, void *memory, size_t element_bytes,
                          const struct places *places, uint64_t kept, uint64_t flipped);

/* Computes a checksum. Mixes each 8-byte word with its index and a key, and adds the results. So the order of the words
 * in memory matters, but not the order in which threads add. */
cudaError_t kernels_checksum(cudaStream_t stream, const void *memory, size_t bytes, uint64_t key, struct scan *scan);

/* Returns how many bytes must be read to flush an L2 cache of this size: 1.5 times its size from compute capability 8.0
 * on, else twice its size. That is more than the cache holds, so that no line of other memory remains under any
 * replacement policy. */
static inline size_t kernels_flush_bytes(size_t l2_bytes) {
  return kernels_capability() >= 80 ? l2_bytes / 32 * 48 : 2 * l2_bytes;
}

/* Flushes the L2 cache: reads `bytes` (a multiple of 16) of `memory`, so that no lines of other memory remain in L2,
 * not even persisting ones. `memory` holds zeros and is aligned to cache lines. Its own lines have normal priority in
 * the cache afterwards. */
cudaError_t kernels_flush(cudaStream_t stream, const void *memory, size_t bytes, uint32_t multiprocessors,
                          struct scan *scan);

/* Closes the gate: holds the stream back until it is opened or `limit_ns` have passed. `gate` is in page-locked host
 * memory. */
cudaError_t kernels_gate(cudaStream_t stream, struct gate *gate, uint64_t closing, uint64_t limit_ns);

/* Reads the clock of the multiprocessor that the kernel happens to run on. */
cudaError_t kernels_clock(cudaStream_t stream, struct clock_reading *to);

/* The shape of an empty launch, on which its cost depends. The grid has one block, or one or eight blocks per
 * multiprocessor. The parameters take few or many bytes. Shared memory is none or up to 200 KB. Blocks form clusters of
 * two, or none. Shape 0 is a single block with few parameters, no shared memory and no cluster. The launched kernel is
 * one that spins for a given time. The time is zero, so that only the overhead of such a kernel is measured. */
struct null_launch {
  uint32_t blocks, shared_bytes, cluster;
  bool many_parameters;
};
enum { NULL_SHAPES = 20, NULL_SHAPES_PLAIN = 10 /* the shapes without clusters come first */ };
/* Fills in shape number `shape` for a device with this number of multiprocessors and this much shared memory per
 * block. */
void kernels_null_shape(uint32_t shape, uint32_t multiprocessors, uint32_t shared_most, struct null_launch *launch);
cudaError_t kernels_null(cudaStream_t stream, const struct null_launch *launch, uint64_t *out);

#ifdef __cplusplus
}
#endif
