// The kernels that run before and after the main kernel of "backward". The first one computes delta, the row sums of
// dO * O, and zeroes the sums of dQ; the last one computes dQ from these sums.
#include "backward_rows.cuh"

namespace attention {
namespace {

template <int D>
__global__ void __launch_bounds__(kRowsThreads) before_kernel(const rows_arguments arg) {
  begin_row<D>(arg, static_cast<int64_t>(blockIdx.x) * kRowsThreads + threadIdx.x);
}

template <int D>
__global__ void __launch_bounds__(kRowsThreads) after_kernel(const rows_arguments arg) {
  end_rows<D>(arg, static_cast<int64_t>(blockIdx.x) * kRowsThreads + threadIdx.x);
}

}  // namespace

int backward_before(const backward_problem *p, cudaStream_t stream) {
  const rows_arguments arg = rows_arguments_of(p);
  const unsigned ctas = rows_ctas(arg.rows * p->d / 8);
  if (p->d == 64)
    before_kernel<64><<<ctas, kRowsThreads, 0, stream>>>(arg);
  else
    before_kernel<128><<<ctas, kRowsThreads, 0, stream>>>(arg);
  return cudaPeekAtLastError();
}

int backward_after(const backward_problem *p, cudaStream_t stream) {
  const rows_arguments arg = rows_arguments_of(p);
  const unsigned ctas = rows_ctas(arg.rows / 2 * p->d / 8);
  if (p->d == 64)
    after_kernel<64><<<ctas, kRowsThreads, 0, stream>>>(arg);
  else
    after_kernel<128><<<ctas, kRowsThreads, 0, stream>>>(arg);
  return cudaPeekAtLastError();
}

// Returns the order in which CTAs take blocks of keys. `resident` heads are worked on together: as many as can keep
// their queries, dO and sums of dQ in 24 MiB of L2. With a causal mask, blocks of keys take different times, and long
// ones come first. Therefore these heads must also have at least 256 blocks together: enough short blocks to keep the
// other SMs busy while the longest block is processed.
backward_order backward_order_of(const backward_problem *p, int keys) {
  const int64_t budget = 24 << 20, enough = 256;
  backward_order order = {};
  const int64_t heads = p->heads / p->group, tiles = (p->s + keys - 1) / keys;
  const int64_t fit = budget / (backward_padded(p) * p->group * p->d * 8);
  const int64_t parts = p->causal ? heads * tiles / enough : heads;
  const int64_t least = parts > 1 ? (heads + parts - 1) / parts : heads;
  const int64_t resident = fit > least ? fit : least;
  order.heads = static_cast<unsigned>(heads);
  order.tiles = static_cast<unsigned>(tiles);
  order.resident = static_cast<unsigned>(resident < heads ? resident : heads);
  return order;
}

}  // namespace attention

uint64_t backward_cuda_workspace(const struct backward_problem *p) {
  return static_cast<uint64_t>(p->heads * attention::backward_padded(p)) * (static_cast<uint64_t>(p->d) + 2) *
             sizeof(float) +
         sizeof(unsigned);
}
