// GELU as CUDA kernels of this plugin compute it.
#ifndef MATMUL_EPILOGUE_CUH
#define MATMUL_EPILOGUE_CUH

namespace matmul {

// x (1 + tanh(u)) / 2, u = sqrt(2 / pi) (x + 0.044715 x^3), for results stored as T. In 16 bits with the instruction's
// tanh, whose relative error is 2^-11: an eighth of a step of bf16.
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
