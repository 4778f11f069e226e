// LayerNorm, RMSNorm and LayerNorm with GELU of short rows for CUDA: 4 to 32 lanes of a warp share a row. If a row has
// exactly one pack (16 bytes of elements) for each of its lanes, memory is accessed as in a plain copy; if there are
// also many such rows, a thread works on four of them. This file does not use the plugin interface.
#include "norm.cuh"

namespace activations {
namespace {

constexpr int kThreads = 128;

template <typename T, typename Norm, typename Finish, int kLanes, int kPacks>
__global__ void __launch_bounds__(kThreads) lanes(const Rows<T> rows) {
  constexpr int kWidth = Pack<T>::kWidth, kHeld = kPacks * kWidth;
  const int lane = threadIdx.x % kLanes, packs = rows.n / kWidth;
  const int64_t wanted = int64_t(blockIdx.x) * (kThreads / kLanes) + threadIdx.x / kLanes;
  // Lanes beyond the last row repeat that row without storing it, because all lanes of a warp take part in the sums.
  const int64_t row = wanted < rows.m ? wanted : rows.m - 1;
  const uint4 *x = reinterpret_cast<const uint4 *>(rows.x) + row * packs;
  const uint4 *gamma = reinterpret_cast<const uint4 *>(rows.gamma), *beta = reinterpret_cast<const uint4 *>(rows.beta);
  uint4 *y = reinterpret_cast<uint4 *>(rows.y) + row * packs;

  uint4 pack[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; k++)
    pack[k] = lane + k * kLanes < packs ? load_pack(x + lane + k * kLanes) : make_uint4(0, 0, 0, 0);
  float v[kHeld];
#pragma unroll
  for (int k = 0; k < kPacks; k++)
    Pack<T>::unpack(pack[k], v + k * kWidth);

  float mean = 0.0f, square = 0.0f;
  if (Norm::kBeta) {
#pragma unroll
    for (int i = 0; i < kHeld; i++)
      mean += v[i];
    mean = warp_sum<kLanes>(mean) / float(rows.n);
  }
#pragma unroll
  for (int i = 0; i < kHeld; i++) {
    const float d = lane + i / kWidth * kLanes < packs ? v[i] - mean : 0.0f;
    square = fmaf(d, d, square);
  }
  const float scale = scale_of({0.0f, mean, warp_sum<kLanes>(square)}, rows.n);
  if (Finish::kSave && lane == 0 && wanted < rows.m) save<T, Norm>(rows, row, mean, scale);

#pragma unroll
  for (int k = 0; k < kPacks; k++) {
    const int p = lane + k * kLanes;
    if (wanted >= rows.m || p >= packs) break;
    float f[kWidth], g[kWidth], b[kWidth] = {};
    Pack<T>::unpack(__ldg(gamma + p), g);
    if (Norm::kBeta) Pack<T>::unpack(__ldg(beta + p), b);
#pragma unroll
    for (int i = 0; i < kWidth; i++)
      f[i] = Finish::template apply<T>(fmaf((v[k * kWidth + i] - mean) * scale, g[i], b[i]));
    y[p] = Pack<T>::pack(f);
  }
}

// ---- Rows of exactly kLanes packs of 16 bytes: a thread has one pack in each of kRows rows ------------------------

// Normalises kRows rows per group of kLanes lanes. A thread issues all its loads before it uses the first, and has the
// same columns in all its rows. If statistics are saved, the rows of a warp are adjacent, so that the warp stores their
// statistics in one access. Otherwise the threads of a block load adjacent packs.
template <typename T, typename Norm, typename Finish, int kLanes, int kRows>
__global__ void __launch_bounds__(kThreads) lanes_of_rows(const Rows<T> rows, int64_t packs) {
  constexpr int kWidth = Pack<T>::kWidth;
  constexpr float kInverse = 1.0f / float(kLanes * kWidth);
  constexpr int kGroup = Finish::kSave ? kWarp : kThreads;  // threads that load adjacent packs
  const int thread = int(threadIdx.x) % kGroup, column = thread % kLanes;
  const int64_t block = int64_t(blockIdx.x) * (kThreads * kRows);
  const uint4 *x = reinterpret_cast<const uint4 *>(rows.x) + block;
  uint4 *y = reinterpret_cast<uint4 *>(rows.y) + block;
  // first: the index of this thread's first pack among the packs of the block. count: the number of packs of the block.
  const int first = (int(threadIdx.x) - thread) * kRows + thread;
  const int count = int(min(packs - block, int64_t(kThreads * kRows)));
  uint4 held[kRows];
  // A thread whose pack is beyond the last loads the last one, because all lanes of a warp take part in the sums.
#pragma unroll
  for (int r = 0; r < kRows; r++)
    held[r] = load_pack(x + min(first + r * kGroup, count - 1));
  float g[kWidth], b[kWidth] = {};
  Pack<T>::unpack(__ldg(reinterpret_cast<const uint4 *>(rows.gamma) + column), g);
  if (Norm::kBeta) Pack<T>::unpack(__ldg(reinterpret_cast<const uint4 *>(rows.beta) + column), b);

  float mean[kRows], scale[kRows];
#pragma unroll
  for (int r = 0; r < kRows; r++) {
    float v[kWidth], square = 0.0f;
    Pack<T>::unpack(held[r], v);
    mean[r] = 0.0f;
    if (Norm::kBeta) {
#pragma unroll
      for (int i = 0; i < kWidth; i++)
        mean[r] += v[i];
      mean[r] = warp_sum<kLanes>(mean[r]) * kInverse;
    }
#pragma unroll
    for (int i = 0; i < kWidth; i++)
      square = fmaf(v[i] - mean[r], v[i] - mean[r], square);
    scale[r] = rsqrtf(fmaf(warp_sum<kLanes>(square), kInverse, ACTIVATIONS_EPSILON));
  }

  if (Finish::kSave) {  // the lane with column number r stores the statistics of row r
    static_assert(kRows <= kLanes, "a lane for each row");
    float saved_mean = mean[0], saved_scale = scale[0];
#pragma unroll
    for (int r = 1; r < kRows; r++)
      if (column == r) saved_mean = mean[r], saved_scale = scale[r];
    const int at = first + column * kGroup;
    if (column < kRows && at < count) save<T, Norm>(rows, (block + at) / kLanes, saved_mean, saved_scale);
  }

#pragma unroll
  for (int r = 0; r < kRows; r++) {
    const int at = first + r * kGroup;
    if (at >= count) break;
    float f[kWidth];
    Pack<T>::unpack(held[r], f);
#pragma unroll
    for (int i = 0; i < kWidth; i++)
      f[i] = Finish::template apply<T>(fmaf((f[i] - mean[r]) * scale[r], g[i], b[i]));
    y[at] = Pack<T>::pack(f);
  }
}

// ---- Launch --------------------------------------------------------------------------------------------------------

template <typename T, typename Norm, typename Finish, int kLanes, int kPacks>
int launch_as(const activations_call &call) {
  constexpr int kRows = kThreads / kLanes;
  lanes<T, Norm, Finish, kLanes, kPacks>
      <<<unsigned((call.m + kRows - 1) / kRows), kThreads, 0, call.stream>>>(rows_of<T>(call));
  return cudaGetLastError();
}

// With at least this many packs of 16 bytes, each thread works on four rows. With fewer it works on one, because four
// rows per thread would leave too few blocks for all multiprocessors.
constexpr int64_t kManyPacks = 1 << 18;

template <typename T, typename Norm, typename Finish, int kLanes>
int launch_rows(const activations_call &call) {
  constexpr int kRows = 4;
  const int64_t packs = call.m * kLanes, share = kThreads * kRows;
  if (call.n != kLanes * Pack<T>::kWidth || packs < kManyPacks) return launch_as<T, Norm, Finish, kLanes, 1>(call);
  lanes_of_rows<T, Norm, Finish, kLanes, kRows>
      <<<unsigned((packs + share - 1) / share), kThreads, 0, call.stream>>>(rows_of<T>(call), packs);
  return cudaGetLastError();
}

template <typename T, typename Norm, typename Finish>
int launch_lanes(const activations_call &call) {
  const int64_t packs = call.n / Pack<T>::kWidth;
  if (packs <= 4) return launch_rows<T, Norm, Finish, 4>(call);
  if (packs <= 8) return launch_rows<T, Norm, Finish, 8>(call);
  if (packs <= 16) return launch_rows<T, Norm, Finish, 16>(call);
  if (packs <= 32) return launch_rows<T, Norm, Finish, 32>(call);
  if (packs <= 64) return launch_as<T, Norm, Finish, 32, 2>(call);
  return launch_as<T, Norm, Finish, 32, 4>(call);
}

}  // namespace
}  // namespace activations

using namespace activations;

int activations_cuda_layernorm_lanes(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_lanes, Layer, Plain);
}

int activations_cuda_rmsnorm_lanes(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_lanes, Rms, Plain);
}

int activations_cuda_layernorm_gelu_lanes(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_lanes, Layer, Gelu);
}

int activations_cuda_layernorm_saved_lanes(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_lanes, Layer, Saved);
}

int activations_cuda_rmsnorm_saved_lanes(const activations_call *call) {
  return ACTIVATIONS_DISPATCH(launch_lanes, Rms, Saved);
}
