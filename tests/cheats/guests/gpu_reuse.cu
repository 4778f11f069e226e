// Cheating variants that return results of earlier calls on a GPU. A kernel recognizes inputs by a checksum of all of
// them, or of each piece, and decides whether results for them are kept.
#include "gpu.cuh"

const char guest_id[] = "gpu_reuse", guest_backend[] = "cuda";
void (*const guest_close)(void) = nullptr;

enum { POOL = 12, PIECES = 64 };

struct piece {
  unsigned long long sum[POOL], now, since;
  int next, from;  // from: index of the results for the present inputs
  bool give;
};

struct memory {
  piece of[PIECES];
  float *kept;  // POOL times n
};

struct plan {
  int pieces, cached;       // number of pieces; results are kept for the first `cached` of them
  unsigned long long wait;  // for this many ns after the inputs changed, kept results are not used
  bool give;
};

struct state {
  memory *device;
  float *kept;
};

static __device__ int64_t begin_of(int64_t n, int piece, int pieces) {
  return n * piece / pieces;
}

// Decides for each piece whether results for its inputs are kept and may be returned. Each block examines one piece.
static __global__ void look(plan plan, const float *x, int64_t n, memory *m) {
  __shared__ unsigned long long sums[256];
  piece *p = &m->of[blockIdx.x];
  const int64_t first = begin_of(n, blockIdx.x, plan.pieces), end = begin_of(n, blockIdx.x + 1, plan.pieces);
  unsigned long long sum = 0;
  for (int64_t i = first + threadIdx.x; i < end; i += 256)
    sum += static_cast<unsigned long long>(__float_as_uint(x[i])) * static_cast<unsigned>(2654435761u * i | 1);
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < 256; i++)
    sum += sums[i];
  if (sum != p->now) p->since = time_ns();
  p->now = sum;
  p->from = -1;
  for (int i = 0; i < POOL; i++)
    if (p->sum[i] == sum) p->from = i;
  p->give = plan.give && p->from >= 0 && time_ns() - p->since >= plan.wait;
  if (p->from < 0) {
    p->from = p->next++ % POOL;
    p->sum[p->from] = sum;
  }
}

static __global__ void work(plan plan, const float *x, float *y, int64_t n, int steps, memory *m) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int at = static_cast<int>((i * plan.pieces + plan.pieces - 1) / n),
            piece = at < plan.pieces ? at : plan.pieces - 1;
  const int own = i < begin_of(n, piece, plan.pieces) ? piece - 1 : piece;
  const ::piece *p = &m->of[own];
  float *kept = m->kept + static_cast<int64_t>(p->from) * n + i;
  const bool cached = own < plan.cached;
  if (cached && p->give) {
    y[i] = *kept;
    return;
  }
  y[i] = f(x[i], steps);
  if (cached) *kept = y[i];
}

static int open(struct call *call) {
  state *s = new state{};
  *call->state = s;
  memory host = {};
  int rc = cudaMalloc(&s->kept, POOL * call->n * sizeof(float));
  if (rc == 0) rc = cudaMalloc(&s->device, sizeof host);
  host.kept = s->kept;
  return rc != 0 ? rc : cudaMemcpy(s->device, &host, sizeof host, cudaMemcpyHostToDevice);
}

static int close(struct call *call) {
  state *s = static_cast<state *>(*call->state);
  cudaFree(s->kept);
  cudaFree(s->device);
  delete s;
  return 0;
}

static int run(struct call *call, plan plan) {
  state *s = static_cast<state *>(*call->state);
  look<<<plan.pieces, 256, 0, call->stream>>>(plan, call->x, call->n, s->device);
  work<<<blocks(call->n), 256, 0, call->stream>>>(plan, call->x, call->y, call->n, call->steps, s->device);
  return cudaGetLastError();
}

template <int pieces, int cached, int wait_ms, bool give>
static int planned(struct call *call) {
  return run(call, {pieces, cached, wait_ms * 1000000ull, give});
}

#define PAIR(label, pieces, cached, wait)                                                               \
  {label, TEST, planned<pieces, cached, wait, true>, open, nullptr, nullptr, nullptr, close}, {         \
    label "-honest", TEST, planned<pieces, cached, wait, false>, open, nullptr, nullptr, nullptr, close \
  }
const struct guest guests[] = {PAIR("pieces", 64, 64, 0),         PAIR("half", 64, 32, 0),
                               PAIR("third", 64, 21, 0),          PAIR("tenth", 64, 6, 0),
                               PAIR("after-a-while", 64, 64, 20), {nullptr, nullptr, nullptr}};
