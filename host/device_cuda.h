/* What the two halves of the cuda backend share: the opened device (device_cuda.c) and its slots (device_cuda_slot.c).
 */
#ifndef DEVICE_CUDA_H
#define DEVICE_CUDA_H

#include <cuda_runtime_api.h>

#include "device.h"
#include "device_cuda_kernels.h"
#include "nvml.h"

enum { BLOCK_SAMPLES = 64 }; /* samples enqueued between two synchronisations */

struct cuda_device {
  struct device base; /* first: a struct device * is one of these */
  int ordinal;
  bool serial; /* CUDA_LAUNCH_BLOCKING: launches wait, so nothing can be held back, nor timed */
  cudaStream_t stream;
  cudaEvent_t started[BLOCK_SAMPLES], stopped[BLOCK_SAMPLES];
  struct scan *scan; /* on the device */
  struct gate *gate; /* page-locked */
  uint64_t closings;
  void *flush; /* read to empty the L2 cache */
  size_t flush_bytes;
  struct nvml *nvml; /* NULL: not available, for the reason in nvml_why */
  char nvml_why[TEXT_SIZE];
};

/* 0 for cudaSuccess; otherwise records the fault's text and name and returns -1. */
int cuda_check(cudaError_t code, struct err *err);

enum slot_result cuda_slot(struct device *device, const struct slot_request *request, bool unblocked, double *ns,
                           struct err *err);

/* The step of event times: the smallest difference seen between intervals of back-to-back events. */
int cuda_measure_tick(struct cuda_device *cuda, double *tick_ns, struct err *err);

#endif
