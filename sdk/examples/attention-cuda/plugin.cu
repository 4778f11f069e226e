// Attention on a GPU, a guest of attention/forward, that is a variant of a bench that another plugin defines.
// `gpubench list --contract attention/forward` prints what a variant must compute. To make it yours: 1. write every
// element of o in a kernel that `run` launches on the case's stream; 2. let `supports` return GB_SKIP for cases that it
// cannot run; 3. name the variant. Put work that is done once into a `prepare`. For another kernel, add another
// gb_variant and attach it, too.
#include <gpubench/sugar.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace {

gb_sdk gb;  // the host's services

// a block has 4 warps; a lane holds up to 8 elements of a row, so d is at most 256
const int kWarp = 32, kWarps = 4, kPart = 8;

template <typename T>
struct Attention {
  const T *q, *k, *v;  // q and o are [heads][s][d], k and v [heads / group][s][d]
  T *o;
  int64_t heads, group, s, d;
  bool causal;
};

__device__ float sum_of_warp(float value) {
  for (int step = kWarp / 2; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

// One warp per query walks over the keys and keeps a running maximum and sum. Each lane holds d / 32 elements of the
// query and of the output.
template <typename T>
__global__ void attend(const Attention<T> p) {
  const int lane = threadIdx.x % kWarp;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kWarp;  // query, counted over all heads
  if (row >= p.heads * p.s) return;                                                     // the whole warp leaves
  const int64_t head = row / p.s / p.group * p.s * p.d, query = row % p.s;
  const int part = static_cast<int>(p.d / kWarp);
  const int64_t keys = p.causal ? query + 1 : p.s;
  const float scale = rsqrtf(static_cast<float>(p.d));
  float q[kPart], o[kPart], top = -INFINITY, sum = 0.0f;
  for (int x = 0; x < kPart; x++) {
    q[x] = x < part ? static_cast<float>(p.q[row * p.d + x * kWarp + lane]) * scale : 0.0f;
    o[x] = 0.0f;
  }
  for (int64_t key = 0; key < keys; key++) {
    const T *k = p.k + head + key * p.d, *v = p.v + head + key * p.d;
    float score = 0.0f;
    for (int x = 0; x < kPart; x++)
      if (x < part) score += q[x] * static_cast<float>(k[x * kWarp + lane]);
    score = sum_of_warp(score);
    const float now = fmaxf(top, score), old = expf(top - now), weight = expf(score - now);
    sum = sum * old + weight;
    for (int x = 0; x < kPart; x++)
      if (x < part) o[x] = o[x] * old + weight * static_cast<float>(v[x * kWarp + lane]);
    top = now;
  }
  for (int x = 0; x < kPart; x++)
    if (x < part) p.o[row * p.d + x * kWarp + lane] = static_cast<T>(o[x] / sum);
}

gb_status supports(const gb_variant *, gb_case *c) {
  const int64_t d = gb.point->i64(c, "d");
  if (gb_axis_is(&gb, c, "dtype", "e4m3")) return gb_failf(&gb, c, GB_SKIP, "no e4m3");
  if (d % kWarp != 0)
    return gb_failf(&gb, c, GB_SKIP, "d is %lld: must be a multiple of 32", static_cast<long long>(d));
  return gb_axis_within(&gb, c, "d", kWarp, kWarp * kPart);
}

template <typename T>
gb_status launch(gb_case *c) {
  Attention<T> p;
  p.q = static_cast<const T *>(gb.tensor->data(c, "q"));
  p.k = static_cast<const T *>(gb.tensor->data(c, "k"));
  p.v = static_cast<const T *>(gb.tensor->data(c, "v"));
  p.o = static_cast<T *>(gb.tensor->data(c, "o"));
  p.heads = gb.point->i64(c, "b") * gb.point->i64(c, "h");
  p.group = gb.point->i64(c, "h") / gb.point->i64(c, "h_kv");
  p.s = gb.point->i64(c, "s"), p.d = gb.point->i64(c, "d");
  p.causal = gb_axis_is(&gb, c, "causal", "yes");
  const int64_t blocks = (p.heads * p.s + kWarps - 1) / kWarps;
  attend<T><<<static_cast<unsigned>(blocks), kWarp * kWarps, 0, gb.cuda->stream(c)>>>(p);
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "launch: %s", cudaGetErrorString(error));
}

gb_status run(const gb_variant *, gb_case *c, void *) {
  if (gb_axis_is(&gb, c, "dtype", "bf16")) return launch<__nv_bfloat16>(c);
  return gb_axis_is(&gb, c, "dtype", "fp16") ? launch<__half>(c) : launch<float>(c);
}

gb_variant make_variant() {
  gb_variant v;
  GB_CLEAR(v);
  v.name = "warp", v.summary = "a warp for each query, one key after the other";
  v.backend = "cuda", v.math = "native";
  v.contract_minor = 3;
  v.supports = supports, v.run = run;
  return v;
}

gb_status open_plugin(const gb_host *host, gb_registry *registry, void **) {
  static const gb_variant warp = make_variant();
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->attach(host, registry, "gpubench.org/attention/forward/1", &warp) : status;
}

}  // namespace

extern "C" GB_EXPORT const gb_plugin gb_plugin_v1 = GB_PLUGIN_INIT("myattention", "0.1.0", open_plugin);
