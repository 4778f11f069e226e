// Computes the layout of the workspace of the CUDA kernels, and initialises it before the first iteration.
#include "iteration.cuh"

namespace {

int across(float box, float reach) {
  return int(2.0f * box / reach);
}

int64_t take(int64_t *end, bool wanted, int64_t bytes) {
  const int64_t at = *end;
  if (!wanted) return -1;
  *end = (at + bytes + 255) / 256 * 256;
  return at;
}

__global__ void clear_last(float4 *a, float4 *b, float4 *sorted, int n) {
  const float nan = __int_as_float(0x7fffffff);
  a[n] = b[n] = make_float4(nan, nan, nan, 0.0f);
  if (sorted != nullptr) sorted[n] = a[n];
}

template <class T>
T *at(const md_call *call, int64_t offset) {
  return offset < 0 ? nullptr : reinterpret_cast<T *>(call->work.memory + offset);
}

}  // namespace

void md_cuda_layout(struct md_workspace *work, enum md_method method, int64_t n, float box, float reach) {
  const int64_t wide = across(box, reach), cells = wide * wide * wide;
  const bool binned = method != MD_ALL_PAIRS, listed = binned && method != MD_CELLS;
  int64_t end = 0;
  for (int64_t &buffer : work->positions)
    buffer = take(&end, true, (n + 1) * 16);
  work->velocities = take(&end, true, n * 16);
  work->sorted = take(&end, method == MD_LIST || method == MD_CELLS, (n + 1) * 16);
  work->forces = take(&end, method == MD_HALF, n * 16);
  work->cell = take(&end, binned, n * 4);
  work->slot = take(&end, binned, n * 4);
  work->population = take(&end, binned, cells * 4);
  work->start = take(&end, binned, (cells + 4) * 4);
  work->neighbours = take(&end, listed, n * 4);
  work->list = take(&end, listed, n * MD_WIDTH * 4);
  work->notes = take(&end, true, 3 * 4);
  work->bytes = end;
}

md::Leg md::leg_of(const md_call *call) {
  Leg leg = {};
  const md_workspace &work = call->work;
  leg.r = call->r;
  leg.v = call->v;
  leg.clock = call->clock;
  leg.thermo = call->thermo;
  leg.positions[0] = at<float4>(call, work.positions[0]);
  leg.positions[1] = at<float4>(call, work.positions[1]);
  leg.velocities = at<float4>(call, work.velocities);
  leg.sorted = at<float4>(call, work.sorted);
  leg.forces = at<float4>(call, work.forces);
  leg.cell = at<int>(call, work.cell);
  leg.slot = at<int>(call, work.slot);
  leg.population = at<int>(call, work.population);
  leg.start = at<int>(call, work.start);
  leg.neighbours = at<int>(call, work.neighbours);
  leg.list = at<int>(call, work.list);
  leg.notes = at<int>(call, work.notes);
  leg.n = call->n;
  leg.steps = call->leg;
  leg.reach = call->cutoff + call->skin;
  leg.across = across(call->box, leg.reach);
  leg.box = call->box;
  leg.inverse_box = 1.0f / call->box;
  leg.width = call->box / float(leg.across);
  leg.cutoff2 = call->cutoff * call->cutoff;
  leg.timestep = call->timestep;
  leg.edge_force = call->edge_force;
  leg.edge_energy = call->edge_energy;
  return leg;
}

int md_cuda_prepare(struct md_call *call, enum md_method method) {
  const md::Leg leg = md::leg_of(call);
  const int64_t cells = int64_t(leg.across) * leg.across * leg.across;
  clear_last<<<1, 1, 0, call->stream>>>(leg.positions[0], leg.positions[1], leg.sorted, leg.n);
  cudaError_t code = cudaGetLastError();
  if (code == cudaSuccess && leg.population != nullptr)
    code = cudaMemsetAsync(leg.population, 0, size_t(cells) * 4, call->stream);
  if (code == cudaSuccess && leg.forces != nullptr)
    code = cudaMemsetAsync(leg.forces, 0, size_t(leg.n) * 16, call->stream);
  if (code == cudaSuccess) code = cudaMemsetAsync(leg.notes, 0, 12, call->stream);
  if (code == cudaSuccess && method == MD_PERSISTENT) return md::persistent_blocks(leg.n, &call->blocks);
  return code;
}
