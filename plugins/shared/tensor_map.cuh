// Looks up the driver's function that encodes tensor maps, so that libcuda need not be linked.
#ifndef PLUGINS_TENSOR_MAP_CUH
#define PLUGINS_TENSOR_MAP_CUH

#include <cuda.h>
#include <cuda_runtime.h>

namespace hopper {

typedef CUresult (*encode_function)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                    const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                    CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

// Returns cuTensorMapEncodeTiled() of the driver, or NULL if the driver has no such function.
inline encode_function encoder() {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found) !=
          cudaSuccess ||
      found != cudaDriverEntryPointSuccess)
    return nullptr;
  return reinterpret_cast<encode_function>(function);
}

}  // namespace hopper
#endif
