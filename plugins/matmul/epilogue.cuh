// GELU, as the CUDA kernels of this plugin compute it.
#ifndef MATMUL_EPILOGUE_CUH
#define MATMUL_EPILOGUE_CUH

namespace matmul {

// Returns x (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3), for a result stored as T. For 16-bit types it
// uses the tanh instruction, whose relative error is 2^-11: an eighth of bf16's spacing.
template <typename T>
__device__ __forceinline__ float gelu(float x) {
  const float u = x * fmaf(x * x, 0.0356774081f, 0.797884561f);
  if constexpr (sizeof(T) == 4) return x / (1 + expf(-2 * u));
  const float half = 0.5f * x;
  float t;
  asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(u));
  return fmaf(half, t, half);
}

}  // namespace matmul
#endif
