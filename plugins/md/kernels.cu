// Launches the kernels of an iteration. They sort atoms into cells, make a neighbour list if the method needs one, and
// take the steps. This file does not use the plugin interface.
#include "kernels.h"

#include "iteration.cuh"

namespace md {
namespace {

__global__ void __launch_bounds__(kThreads, kResident) bin(const Leg leg) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < leg.n) bin_atom(leg, i);
}

__global__ void __launch_bounds__(1024) scan(const Leg leg) {
  scan_cells(leg, blockIdx.x);
}

template <bool kKept, bool kOwnOrder>
__global__ void __launch_bounds__(kThreads, kResident) place(const Leg leg) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < leg.n) place_atom<kKept, kOwnOrder>(leg, i);
}

template <class Layout, bool kOwnOrder, bool kHalf>
__global__ void __launch_bounds__(kThreads, kListing) make_list(const Leg leg) {
  const int cell = (blockIdx.x * kThreads + threadIdx.x) / 32;
  if (cell < leg.across * leg.across * leg.across) list_cell<Layout, kOwnOrder, kHalf>(leg, cell);
}

template <class Layout, bool kMeasure, bool kLast>
__global__ void __launch_bounds__(kThreads, kMeasure ? kResident : kStepping)
    step_by_group(const Leg leg, const float4 *from, float4 *to) {
  step_group<Layout, kMeasure, kLast>(leg, from, to, (blockIdx.x * kThreads + threadIdx.x) / Layout::kLanes);
  if (kLast && blockIdx.x == 0 && threadIdx.x == 0) tick(leg);
}

template <bool kMeasure, bool kLast>
__global__ void __launch_bounds__(kThreads, kResident) step_by_row(const Leg leg, const float4 *from, float4 *to) {
  step_row<kMeasure, kLast>(leg, from, to, blockIdx.x * kThreads + threadIdx.x);
  if (kLast && blockIdx.x == 0 && threadIdx.x == 0) tick(leg);
}

template <bool kMeasure, bool kLast>
__global__ void __launch_bounds__(kThreads, kMeasure ? kListing : kResident)
    step_by_cells(const Leg leg, const float4 *from, float4 *to) {
  step_cells<kMeasure, kLast>(leg, from, to, blockIdx.x * kThreads + threadIdx.x);
  if (kLast && blockIdx.x == 0 && threadIdx.x == 0) tick(leg);
}

struct ByRow {
  static constexpr int kLanes = 1;
  template <bool kMeasure, bool kLast>
  static void launch(const Leg &leg, const float4 *from, float4 *to, unsigned blocks, cudaStream_t stream) {
    step_by_row<kMeasure, kLast><<<blocks, kThreads, 0, stream>>>(leg, from, to);
  }
};

struct ByCells {
  static constexpr int kLanes = 1;
  template <bool kMeasure, bool kLast>
  static void launch(const Leg &leg, const float4 *from, float4 *to, unsigned blocks, cudaStream_t stream) {
    step_by_cells<kMeasure, kLast><<<blocks, kThreads, 0, stream>>>(leg, from, to);
  }
};

template <class Layout>
struct ByGroup {
  static constexpr int kLanes = Layout::kLanes;
  template <bool kMeasure, bool kLast>
  static void launch(const Leg &leg, const float4 *from, float4 *to, unsigned blocks, cudaStream_t stream) {
    step_by_group<Layout, kMeasure, kLast><<<blocks, kThreads, 0, stream>>>(leg, from, to);
  }
};

template <bool kKept, bool kOwnOrder>
void launch_bins(const Leg &leg, cudaStream_t stream) {
  const int cells = leg.across * leg.across * leg.across;
  const unsigned blocks = (leg.n + kThreads - 1) / kThreads;
  bin<<<blocks, kThreads, 0, stream>>>(leg);
  scan<<<(cells + kScanned - 1) / kScanned, 1024, 0, stream>>>(leg);
  place<kKept, kOwnOrder><<<blocks, kThreads, 0, stream>>>(leg);
}

template <class Layout, bool kOwnOrder, bool kHalf>
void launch_list(const Leg &leg, cudaStream_t stream) {
  constexpr int kCells = kThreads / 32;
  const int cells = leg.across * leg.across * leg.across;
  make_list<Layout, kOwnOrder, kHalf><<<(cells + kCells - 1) / kCells, kThreads, 0, stream>>>(leg);
}

template <class Layout>
int launch_split(const Leg &leg, cudaStream_t stream) {
  launch_list<Layout, false, false>(leg, stream);
  return launch_steps<ByGroup<Layout>>(leg, stream);
}

}  // namespace
}  // namespace md

using md::Leg;

static int run_bins(const Leg &leg, enum md_method method, cudaStream_t stream) {
  switch (method) {
    case MD_CELLS:
      md::launch_bins<true, false>(leg, stream);
      return md::launch_steps<md::ByCells>(leg, stream);
    case MD_LIST:
      md::launch_bins<true, true>(leg, stream);
      md::launch_list<md::Transposed, true, false>(leg, stream);
      return md::launch_steps<md::ByRow>(leg, stream);
    case MD_SORTED:
      md::launch_bins<false, false>(leg, stream);
      md::launch_list<md::Transposed, false, false>(leg, stream);
      return md::launch_steps<md::ByRow>(leg, stream);
    case MD_SPLIT:
      md::launch_bins<false, false>(leg, stream);
      return leg.n < md::kFew ? md::launch_split<md::Wide>(leg, stream) : md::launch_split<md::Narrow>(leg, stream);
    case MD_HALF:
      md::launch_bins<false, false>(leg, stream);
      md::launch_list<md::Transposed, false, true>(leg, stream);
      return md::launch_half(leg, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

int md_cuda_run(const struct md_call *call, enum md_method method) {
  const Leg leg = md::leg_of(call);
  switch (method) {
    case MD_ALL_PAIRS:
      return md::launch_all_pairs(leg, call->stream);
    case MD_PERSISTENT:
      return md::launch_persistent(leg, call->blocks, call->stream);
    default:
      return run_bins(leg, method, call->stream);
  }
}

const char *md_cuda_error(int code) {
  return cudaGetErrorString(cudaError_t(code));
}
