// Cases that work on several GPUs: z = 2x + y, where each device computes its share. The axis `devices` is the bench's
// devices_axis.
// Tensors lie on the first device: `prepare` and `refresh` copy the shares of the inputs to the other devices whenever
// inputs are new (so the variant is GB_VARIANT_DERIVED), and `after` copies their results back when outputs are
// verified.
// Only the case's stream is timed. Therefore the other streams first wait for the case's stream, and in the end the
// case's stream waits for the others.
#include <gpubench/sugar.h>

#include <new>
#include <vector>

namespace {

gb_sdk gb;  // the host's services

// ---- The problem ----

gb_status setup(const gb_bench *, gb_case *c, void **) {
  const int64_t n = gb.point->i64(c, "n");
  gb_tensor t;
  GB_CLEAR(t);
  t.role = GB_IN, t.dtype = GB_DTYPE_F32, t.rank = 1, t.shape = &n;
  t.fill = GB_FILL_NORMAL, t.fill_b = 1, t.reduction = 2;
  t.name = "x", gb.tensor->declare(c, &t);
  t.name = "y", gb.tensor->declare(c, &t);
  t.name = "z", t.role = GB_OUT, gb.tensor->declare(c, &t);
  gb_work work;
  GB_CLEAR(work);
  work.flops = 2 * static_cast<uint64_t>(n);
  work.bytes_read = 8 * static_cast<uint64_t>(n), work.bytes_written = 4 * static_cast<uint64_t>(n);
  return gb.point->work(c, &work);
}

gb_status reference(const gb_bench *, gb_case *c, void *) try {
  const size_t n = static_cast<size_t>(gb.point->i64(c, "n"));
  std::vector<double> x(n), z(n);
  gb.tensor->input(c, "x", 0, n, x.data());
  gb.tensor->input(c, "y", 0, n, z.data());
  for (size_t i = 0; i < n; i++)
    z[i] += 2 * x[i];
  return gb.tensor->expect(c, "z", 0, n, z.data());
} catch (const std::bad_alloc &) {
  return gb_failf(&gb, c, GB_ENOMEM, "reference: no memory");
}

// ---- Shares ----

struct Share {
  int ordinal;
  cudaStream_t stream;
  cudaEvent_t done;
  size_t first, count;  // the share's elements, by index in the whole problem
  float *x, *y, *z;     // this share of x, y and z on its device; on the first device, the case's tensors
};

struct Shares {
  std::vector<Share> each;
  cudaEvent_t begun = nullptr;
  float *x, *y, *z;
};

gb_status failed(gb_case *c, const char *what, cudaError_t code) {
  return gb_failf(&gb, c, GB_EDEVICE, "%s: %s", what, cudaGetErrorString(code));
}

void give_back(Shares *shares) {
  for (Share &share : shares->each)
    if (share.done != nullptr) cudaEventDestroy(share.done);
  if (shares->begun != nullptr) cudaEventDestroy(shares->begun);
  delete shares;
}

gb_status take(gb_case *c, Shares *shares) {
  const size_t n = static_cast<size_t>(gb.point->i64(c, "n")), count = gb.devices->count(c);
  cudaError_t code = cudaEventCreateWithFlags(&shares->begun, cudaEventDisableTiming);
  shares->x = static_cast<float *>(gb.tensor->data(c, "x"));
  shares->y = static_cast<float *>(gb.tensor->data(c, "y"));
  shares->z = static_cast<float *>(gb.tensor->data(c, "z"));
  for (uint32_t i = 0; i < count && code == cudaSuccess; i++) {
    Share share = {};
    share.ordinal = static_cast<int>(gb.devices->i64(c, i, "ordinal"));
    share.stream = gb.devices->stream(c, i);
    share.first = n * i / count, share.count = n * (i + 1) / count - share.first;
    float **const own[] = {&share.x, &share.y, &share.z};
    float *const all[] = {shares->x, shares->y, shares->z};
    for (int k = 0; k < 3; k++) {
      *own[k] = i == 0 ? all[k] : static_cast<float *>(gb.devices->alloc(c, i, share.count * sizeof(float)));
      if (*own[k] == nullptr) return GB_ENOMEM;
    }
    code = cudaSetDevice(share.ordinal);
    if (code == cudaSuccess) code = cudaEventCreateWithFlags(&share.done, cudaEventDisableTiming);
    shares->each.push_back(share);
  }
  cudaSetDevice(shares->each.empty() ? 0 : shares->each[0].ordinal);  // callbacks must leave the case's device current
  return code == cudaSuccess ? GB_OK : failed(c, "streams and events", code);
}

// ---- The callbacks ----

gb_status refresh(const gb_variant *, gb_case *c, void *vstate) {
  const Shares &shares = *static_cast<Shares *>(vstate);
  cudaError_t code = cudaSuccess;
  for (size_t i = 1; i < shares.each.size() && code == cudaSuccess; i++) {
    const Share &to = shares.each[i];
    const size_t bytes = to.count * sizeof(float);
    code = cudaMemcpyAsync(to.x, shares.x + to.first, bytes, cudaMemcpyDefault, gb.cuda->stream(c));
    if (code == cudaSuccess)
      code = cudaMemcpyAsync(to.y, shares.y + to.first, bytes, cudaMemcpyDefault, gb.cuda->stream(c));
  }
  if (code == cudaSuccess) code = cudaStreamSynchronize(gb.cuda->stream(c));
  return code == cudaSuccess ? GB_OK : failed(c, "inputs", code);
}

gb_status prepare(const gb_variant *self, gb_case *c, void **vstate) {
  Shares *shares = new (std::nothrow) Shares;
  if (shares == nullptr) return gb_failf(&gb, c, GB_ENOMEM, "no memory");
  gb_status status = take(c, shares);
  if (status == GB_OK) status = refresh(self, c, shares);
  if (status == GB_OK)
    *vstate = shares;
  else
    give_back(shares);
  return status;
}

__global__ void axpy(const float *x, const float *y, float *z, size_t n) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) z[i] = 2 * x[i] + y[i];
}

cudaError_t launch(const Share &share) {
  const unsigned threads = 256;
  cudaError_t code = cudaSetDevice(share.ordinal);
  if (code != cudaSuccess) return code;
  axpy<<<static_cast<unsigned>((share.count + threads - 1) / threads), threads, 0, share.stream>>>(
      share.x, share.y, share.z, share.count);
  return cudaGetLastError();
}

gb_status run(const gb_variant *, gb_case *c, void *vstate) {
  const Shares &shares = *static_cast<Shares *>(vstate);
  const cudaStream_t clock = shares.each[0].stream;
  cudaError_t code = cudaEventRecord(shares.begun, clock);
  for (size_t i = shares.each.size();
       i-- > 0 && code == cudaSuccess;) {  // the first device comes last, so that it stays current
    if (i > 0) code = cudaStreamWaitEvent(shares.each[i].stream, shares.begun, 0);
    if (code == cudaSuccess) code = launch(shares.each[i]);
    if (code == cudaSuccess && i > 0) code = cudaEventRecord(shares.each[i].done, shares.each[i].stream);
  }
  for (size_t i = 1; i < shares.each.size() && code == cudaSuccess; i++)
    code = cudaStreamWaitEvent(clock, shares.each[i].done, 0);
  cudaSetDevice(shares.each[0].ordinal);
  return code == cudaSuccess ? GB_OK : failed(c, "run", code);
}

gb_status after(const gb_variant *, gb_case *c, void *vstate) {
  const Shares &shares = *static_cast<Shares *>(vstate);
  cudaError_t code = cudaSuccess;
  for (size_t i = 1; i < shares.each.size() && code == cudaSuccess; i++)
    code = cudaMemcpyAsync(shares.z + shares.each[i].first, shares.each[i].z, shares.each[i].count * sizeof(float),
                           cudaMemcpyDefault, gb.cuda->stream(c));
  return code == cudaSuccess ? GB_OK : failed(c, "outputs", code);
}

void release(const gb_variant *, gb_case *, void *vstate) {
  give_back(static_cast<Shares *>(vstate));
}

// ---- The tables ----

gb_status open_plugin(const gb_host *host, gb_registry *registry, void **) {
  static gb_axis n, devices;
  GB_CLEAR(n), GB_CLEAR(devices);
  n.type = GB_I64, n.name = "n", n.values = "64M";
  devices.type = GB_I64, devices.name = "devices", devices.values = "1,2", devices.summary = "that share the work";
  static gb_variant shared;
  GB_CLEAR(shared);
  shared.name = "shared", shared.flags = GB_VARIANT_BASELINE | GB_VARIANT_DERIVED;
  shared.backend = "cuda", shared.math = "fp32";
  shared.prepare = prepare, shared.refresh = refresh, shared.run = run, shared.after = after, shared.release = release;
  static const gb_axis *const axes[] = {&devices, &n, nullptr};
  static const gb_variant *const variants[] = {&shared, nullptr};
  static gb_bench bench;
  GB_CLEAR(bench);
  bench.name = "axpy", bench.contract = "example.org/mydevices/axpy/1";
  bench.axes = axes, bench.devices_axis = "devices", bench.variants = variants;
  bench.setup = setup, bench.reference = reference;
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

}  // namespace

extern "C" GB_EXPORT const gb_plugin gb_plugin_v1 = GB_PLUGIN_INIT("mydevices", "0.1.0", open_plugin);
