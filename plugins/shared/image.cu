// Compiled for the same architectures as the plugin's kernels, which `nothing` stands for.
#include "image.h"

#include <cuda_runtime.h>

static __global__ void nothing() {}

int64_t image_capability(int64_t device) {
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, nothing) == cudaSuccess)
    return attributes.ptxVersion < device ? attributes.ptxVersion : device;
  cudaGetLastError();  // no device, or no image for it: every launch will report that
  return device;
}
