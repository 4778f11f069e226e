// Helpers for launching the CUDA kernels of this folder.
#ifndef ATTENTION_LAUNCH_CUH
#define ATTENTION_LAUNCH_CUH

#include <cuda_runtime.h>

namespace attention {

// Stores the number of SMs of the current device in `count`. Returns a cudaError_t as int.
inline int multiprocessors_here(int *count) {
  int device = 0;
  const int code = cudaGetDevice(&device);
  return code == cudaSuccess ? cudaDeviceGetAttribute(count, cudaDevAttrMultiProcessorCount, device) : code;
}

// Launches a kernel with `bytes` of dynamic shared memory. If `early`, the kernel may begin before the preceding kernel
// of the stream has ended (programmatic dependent launch). Returns a cudaError_t as int.
template <typename... Arguments>
int launch(void (*kernel)(Arguments...), unsigned ctas, unsigned threads, int bytes, bool early, cudaStream_t stream,
           const Arguments &...arguments) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(ctas);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = static_cast<size_t>(bytes);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

}  // namespace attention
#endif
