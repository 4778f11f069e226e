// The method MD_PERSISTENT: a single kernel does the whole iteration, so that the overhead of a launch is paid only
// once. All its blocks are resident at the same time, because they wait for each other.
#include "iteration.cuh"

namespace md {
namespace {

template <class Layout, bool kMeasure, bool kLast>
__device__ __forceinline__ void step_all(const Leg &leg, const float4 *from, float4 *to) {
  constexpr int kAtoms = kThreads / Layout::kLanes;
  const int step = gridDim.x * kAtoms;
  for (int first = blockIdx.x * kAtoms; first < leg.n; first += step)
    step_group<Layout, kMeasure, kLast>(leg, from, to, first + int(threadIdx.x) / Layout::kLanes);
}

// Waits for all threads of the grid and makes their writes visible. In each barrier, the blocks together add exactly
// half of the counter's range, so that its highest bit flips when the last block arrives.
__device__ __forceinline__ void barrier(const Leg &leg) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned *counter = reinterpret_cast<unsigned *>(leg.notes + 2), now;
    __threadfence();
    const unsigned before = atomicAdd(counter, blockIdx.x == 0 ? 0x80000001u - gridDim.x : 1u);
    do
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
    while (((now ^ before) & 0x80000000u) == 0);
    __threadfence();
  }
  __syncthreads();
}

template <class Layout>
__global__ void __launch_bounds__(kThreads, kListing) whole(const Leg leg) {
  const int all = gridDim.x * kThreads, me = blockIdx.x * kThreads + threadIdx.x;
  const int cells = leg.across * leg.across * leg.across;
  for (int i = me; i < leg.n; i += all)
    bin_atom(leg, i);
  barrier(leg);
  for (int block = blockIdx.x; block * kScanned < cells; block += gridDim.x)
    scan_cells(leg, block);
  barrier(leg);
  for (int i = me; i < leg.n; i += all)
    place_atom<false, false>(leg, i);
  barrier(leg);
  for (int cell = me / 32; cell < cells; cell += all / 32)
    list_cell<Layout, false, false>(leg, cell);
  barrier(leg);
  if (leg.steps == 1) {
    step_all<Layout, true, true>(leg, leg.positions[0], leg.positions[1]);
  } else {
    step_all<Layout, true, false>(leg, leg.positions[0], leg.positions[1]);
    for (int s = 1; s < leg.steps - 1; s++) {
      barrier(leg);
      step_all<Layout, false, false>(leg, leg.positions[s % 2], leg.positions[(s + 1) % 2]);
    }
    barrier(leg);
    step_all<Layout, false, true>(leg, leg.positions[(leg.steps - 1) % 2], leg.positions[leg.steps % 2]);
  }
  if (me == 0) tick(leg);
}

template <class Layout>
int count_blocks(int n, int *blocks) {
  constexpr int kAtoms = kThreads / Layout::kLanes;
  int device, multiprocessors, resident = 0;
  cudaError_t code = cudaGetDevice(&device);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (code == cudaSuccess) code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, whole<Layout>, kThreads, 0);
  if (code != cudaSuccess) return code;
  const int wanted = (n + kAtoms - 1) / kAtoms, most = resident * multiprocessors;
  *blocks = most < wanted ? most : wanted;
  return code;
}

}  // namespace

int persistent_blocks(int n, int *blocks) {
  return n < kFew ? count_blocks<Wide>(n, blocks) : count_blocks<Narrow>(n, blocks);
}

int launch_persistent(const Leg &leg, int blocks, cudaStream_t stream) {
  Leg copy = leg;
  void *arguments[] = {&copy};
  const void *kernel =
      leg.n < kFew ? reinterpret_cast<const void *>(whole<Wide>) : reinterpret_cast<const void *>(whole<Narrow>);
  return cudaLaunchCooperativeKernel(kernel, dim3(unsigned(blocks)), dim3(kThreads), arguments, 0, stream);
}

}  // namespace md
