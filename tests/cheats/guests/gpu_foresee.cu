// Cheating variants that compute only the rows of softmax that will be compared. They fill the others with values that
// sum to 1, without reading the inputs.
#include "gpu.cuh"

const char guest_id[] = "gpu_foresee", guest_backend[] = "cuda";
void (*const guest_close)(void) = nullptr;

// These constants and sample() select the compared rows in the same way as plugins/softmax/rows.c.
enum { STREAM_REFERENCE = 1, STREAM_SUMS = 2, MOST = 64, LEAST = 8 };

struct places {
  int count, row[2 * MOST];
};

static int64_t sample(int64_t m, int64_t n, int64_t elements) {
  const int64_t rows = elements / n < LEAST ? LEAST : elements / n > MOST ? MOST : elements / n;
  return m < rows ? m : rows;
}

static int64_t place(uint64_t number, uint64_t stream, int64_t index, int64_t count, int64_t total) {
  if (count == total || index == 0) return index;
  if (index == count - 1) return total - 1;
  const int64_t first = 1 + (total - 2) * (index - 1) / (count - 2), next = 1 + (total - 2) * index / (count - 2);
  return first + static_cast<int64_t>(gb.rng->below(number, stream, index, next - first));
}

static struct places places_of(struct call *call, uint64_t number) {
  const int64_t n = call->n / call->m, first = sample(call->m, n, 4 << 20), second = sample(call->m, n, 1 << 20);
  struct places p = {};
  for (int64_t i = 0; i < first; i++)
    p.row[p.count++] = static_cast<int>(place(number, STREAM_REFERENCE, i, first, call->m));
  for (int64_t i = 0; i < second; i++)
    p.row[p.count++] = static_cast<int>(place(number, STREAM_SUMS, i, second, call->m));
  return p;
}

static __global__ void fill(float4 *y, int64_t count, float value) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) y[i] = make_float4(value, value, value, value);
}

// Computes the softmax of one row with one block of threads, with the row in shared memory. n must be at most 8192.
static __device__ void softmax(const float *x, float *y, int n) {
  __shared__ float row[8192], part[256];
  float top = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < n; i += 256)
    top = fmaxf(top, row[i] = x[i]);
  part[threadIdx.x] = top;
  __syncthreads();
  for (int i = 0; i < 256; i++)
    top = fmaxf(top, part[i]);
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 256)
    sum += row[i] = expf(row[i] - top);
  part[threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < 256; i++)
    sum += part[i];
  for (int i = threadIdx.x; i < n; i += 256)
    y[i] = row[i] / sum;
}

static __global__ void some_rows(struct places p, const float *x, float *y, int n) {
  const int64_t at = static_cast<int64_t>(p.row[blockIdx.x]) * n;
  softmax(x + at, y + at, n);
}

static __global__ void all_rows(const float *x, float *y, int n) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * n;
  softmax(x + at, y + at, n);
}

static int run(struct call *call) {
  const int n = static_cast<int>(call->n / call->m);
  const struct places p = places_of(call, gb.point->seed(call->c));
  fill<<<blocks(call->n / 4), 256, 0, call->stream>>>(reinterpret_cast<float4 *>(call->y), call->n / 4, 1.0f / n);
  some_rows<<<p.count, 256, 0, call->stream>>>(p, call->x, call->y, n);
  return cudaGetLastError();
}

static int twin(struct call *call) {
  const int n = static_cast<int>(call->n / call->m);
  const struct places p = places_of(call, gb.point->seed(call->c));
  all_rows<<<static_cast<unsigned>(call->m), 256, 0, call->stream>>>(call->x, call->y, n);
  some_rows<<<p.count, 256, 0, call->stream>>>(p, call->x, call->y, n);
  return cudaGetLastError();
}

enum : uint32_t { UNCAPTURED = GB_VARIANT_NO_CAPTURE };
const struct guest guests[] = {{"seed", ROWS, run, nullptr, nullptr, nullptr, nullptr, nullptr, UNCAPTURED},
                               {"seed-honest", ROWS, twin, nullptr, nullptr, nullptr, nullptr, nullptr, UNCAPTURED},
                               {nullptr, nullptr, nullptr}};
