// Asks the runtime for which architecture the empty kernel `nothing` was compiled. This file is compiled for the same
// architectures as the plugin's kernels, so that the answer holds for these, too.
#include "image.h"

#include <cuda_runtime.h>

static __global__ void nothing() {}

int64_t image_capability(int64_t device) {
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, nothing) == cudaSuccess)
    return attributes.ptxVersion < device ? attributes.ptxVersion : device;
  cudaGetLastError();  // no device, or no code for it: every launch will fail with this error
  return device;
}
