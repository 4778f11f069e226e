// Copy kernels that differ in bytes per thread, cache hints and copy engine; they show what a memory-bound kernel can
// reach, and what each choice costs. Independent of the plugin ABI.
#include "../shared/bulk.cuh"
#include "../shared/packs.cuh"
#include "kernels.h"

namespace {

constexpr int kThreads = 256;
constexpr int64_t kSegmentBytes = int64_t(CALIBRATE_SEGMENT) * 4;

// Copies x to y. Each thread has kPacks accesses of 16 bytes in flight. Blocks start in the order of their addresses:
// the fewer bytes a block has, the closer together are the accesses in flight. If kStreaming, accesses bypass L1, and
// their lines are evicted from L2 first.
template <int kPacks, bool kStreaming>
__global__ void __launch_bounds__(kThreads) by_pack(const uint4 *__restrict__ x, uint4 *__restrict__ y) {
  const int64_t start = int64_t(blockIdx.x) * (kThreads * kPacks) + threadIdx.x;
  uint4 v[kPacks];
#pragma unroll
  for (int i = 0; i < kPacks; i++)
    v[i] = kStreaming ? packs::load_once(x + start + i * kThreads) : packs::load_pack(x + start + i * kThreads);
#pragma unroll
  for (int i = 0; i < kPacks; i++)
    if (kStreaming)
      __stcs(y + start + i * kThreads, v[i]);
    else
      y[start + i * kThreads] = v[i];
}

template <int kPacks, bool kStreaming>
int launch_by_pack(const calibrate_call *call) {
  constexpr int64_t kBlockBytes = int64_t(kThreads) * kPacks * 16;
  const unsigned blocks = unsigned(call->size * (kSegmentBytes / kBlockBytes));
  by_pack<kPacks, kStreaming>
      <<<blocks, kThreads, 0, call->stream>>>(static_cast<const uint4 *>(call->x), static_cast<uint4 *>(call->y));
  return cudaGetLastError();
}

// Copies x to y. One thread drives the copy engine. The chunks blockIdx.x, blockIdx.x + gridDim.x, ... pass through
// kStages buffers in shared memory.
template <int kStages, int kBytes>
__global__ void __launch_bounds__(32) by_bulk(const char *__restrict__ x, char *__restrict__ y, int64_t chunks) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) char stages[];
  __shared__ uint64_t arrived[kStages];
  if (threadIdx.x > 0) return;
  const auto request = [&](int stage, int64_t chunk) {
    bulk::arrive_and_expect(arrived + stage, kBytes);
    bulk::load(stages + stage * kBytes, x + chunk * kBytes, kBytes, arrived + stage);
  };
  for (int i = 0; i < kStages; i++)
    bulk::barrier_init(arrived + i, 1);
  bulk::barriers_ready();
  for (int i = 0; i < kStages && blockIdx.x + int64_t(i) * gridDim.x < chunks; i++)
    request(i, blockIdx.x + int64_t(i) * gridDim.x);

  int64_t turn = 0;
  for (int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x, turn++) {
    const int stage = int(turn % kStages), before = int((turn + kStages - 1) % kStages);
    bulk::wait(arrived + stage, unsigned(turn / kStages % 2));
    bulk::store(y + chunk * kBytes, stages + stage * kBytes, kBytes);
    bulk::commit();
    // the chunk to load into the stage that the preceding iteration stored
    const int64_t next = chunk + int64_t(kStages - 1) * gridDim.x;
    if (turn == 0 || next >= chunks) continue;
    bulk::wait_read<1>();
    request(before, next);
  }
  bulk::wait_read<0>();
#endif
}

template <int kStages, int kBytes>
int launch_by_bulk(const calibrate_call *call, int64_t blocks) {
  const int64_t chunks = call->size * (kSegmentBytes / kBytes);
  const auto kernel = by_bulk<kStages, kBytes>;
  const cudaError_t code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kStages * kBytes);
  if (code != cudaSuccess) return code;
  kernel<<<unsigned(blocks < 1 || blocks > chunks ? chunks : blocks), 32, size_t(kStages * kBytes), call->stream>>>(
      static_cast<const char *>(call->x), static_cast<char *>(call->y), chunks);
  return cudaGetLastError();
}

}  // namespace

int calibrate_cuda_copy_pack(const calibrate_call *call) {
  return launch_by_pack<1, false>(call);
}

int calibrate_cuda_copy_pack_streaming(const calibrate_call *call) {
  return launch_by_pack<1, true>(call);
}

int calibrate_cuda_copy_four_packs(const calibrate_call *call) {
  return launch_by_pack<4, false>(call);
}

int calibrate_cuda_copy_bulk(const calibrate_call *call) {
  return launch_by_bulk<1, 2048>(call, 0);
}

int calibrate_cuda_copy_bulk_ring(const calibrate_call *call) {
  return launch_by_bulk<4, 16384>(call, 3 * call->multiprocessors);
}
