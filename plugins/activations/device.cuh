// Declares what the CUDA kernels share: packs (16 bytes of elements), the functions of approx.h, and a macro that
// instantiates a template for the storage type of a call.
#ifndef ACTIVATIONS_DEVICE_CUH
#define ACTIVATIONS_DEVICE_CUH

#include <cuda_runtime.h>

#include "../shared/packs.cuh"
#include "approx.h"
#include "kernels.h"

namespace activations {

using namespace packs;

// Returns GELU in its erf form. Of the functions in approx.h, calls the cheapest whose error is negligible for a result
// of type T.
template <typename T>
__device__ __forceinline__ float gelu_erf(float x) {
  return sizeof(T) == 2 ? approx_gelu_erf_16bit(x) : approx_gelu_erf(x);
}
template <>
__device__ __forceinline__ float gelu_erf<__nv_bfloat16>(float x) {
  return approx_gelu_erf_bf16(x);
}

}  // namespace activations

// Calls the function template `launch` for the storage type of `call`. The other arguments are further template
// arguments.
#define ACTIVATIONS_DISPATCH(launch, ...)                                 \
  (call->dtype == ACTIVATIONS_FP32   ? launch<float, __VA_ARGS__>(*call)  \
   : call->dtype == ACTIVATIONS_FP16 ? launch<__half, __VA_ARGS__>(*call) \
                                     : launch<__nv_bfloat16, __VA_ARGS__>(*call))

#endif
