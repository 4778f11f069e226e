// How many multiprocessors the current device has.
#ifndef ATTENTION_MULTIPROCESSORS_CUH
#define ATTENTION_MULTIPROCESSORS_CUH

#include <cuda_runtime.h>

namespace attention {

// A cudaError_t as int.
inline int multiprocessors_here(int *count) {
  int device = 0;
  const int code = cudaGetDevice(&device);
  return code == cudaSuccess ? cudaDeviceGetAttribute(count, cudaDevAttrMultiProcessorCount, device) : code;
}

}  // namespace attention
#endif
