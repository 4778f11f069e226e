// The all-reduce on GPUs: with NCCL, which is loaded if it is installed, and with copies between devices and a kernel.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdlib.h>

#include "ok_allreduce.h"

namespace {

const int kDevicesMost = 64, kThreads = 256;

// ---- NCCL: its functions are looked up by name, and the library is not linked ----

struct ncclComm;
typedef ncclComm *Comm;
const int kFloat = 7, kSum = 0;  // ncclFloat32, ncclSum of nccl.h

struct Nccl {
  void *library;
  int (*init_all)(Comm *comms, int count, const int *devices);
  int (*destroy)(Comm comm);
  int (*group_start)();
  int (*group_end)();
  int (*all_reduce)(const void *from, void *to, size_t count, int type, int op, Comm comm, cudaStream_t stream);
  const char *(*error)(int code);
};

template <typename Function>
bool find(void *library, const char *name, Function *function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

bool open_nccl(Nccl *nccl) {
  nccl->library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  void *library = nccl->library;
  return library != nullptr && find(library, "ncclCommInitAll", &nccl->init_all) &&
         find(library, "ncclCommDestroy", &nccl->destroy) && find(library, "ncclGroupStart", &nccl->group_start) &&
         find(library, "ncclGroupEnd", &nccl->group_end) && find(library, "ncclAllReduce", &nccl->all_reduce) &&
         find(library, "ncclGetErrorString", &nccl->error);
}

// ---- The rows on the devices, which the variants with and without NCCL share ----

struct Rows {
  int count;
  size_t n;
  float *x, *y;  // all rows, on the first device
  int ordinal[kDevicesMost];
  float *in[kDevicesMost], *out[kDevicesMost];  // rows of each device; those of the first one are in x and y
  cudaStream_t stream[kDevicesMost];
  cudaEvent_t begun, done[kDevicesMost];
  float *gathered;  // copies of the rows of the other devices, on the first device
  Nccl nccl;
  Comm comm[kDevicesMost];
};

gb_status failed(gb_case *c, const char *what, cudaError_t code) {
  return gb_failf(&gb, c, GB_EDEVICE, "%s: %s", what, cudaGetErrorString(code));
}

// Copies from one device to another. cudaMemcpyPeerAsync does the same, but cannot be captured into a graph.
cudaError_t copy(float *to, const float *from, size_t count, cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDefault, stream);
}

// Copies the rows of the other devices to these, because the inputs have changed.
gb_status bring(Rows *r, gb_case *c) {
  cudaError_t code = cudaSuccess;
  for (int i = 1; i < r->count && code == cudaSuccess; i++)
    code = copy(r->in[i], r->x + i * r->n, r->n, r->stream[0]);
  if (code == cudaSuccess) code = cudaStreamSynchronize(r->stream[0]);
  return code == cudaSuccess ? GB_OK : failed(c, "to the others", code);
}

void give_back(Rows *r) {
  for (int i = 0; i < r->count; i++) {
    if (r->comm[i] != nullptr) r->nccl.destroy(r->comm[i]);
    if (r->done[i] != nullptr) cudaEventDestroy(r->done[i]);
  }
  if (r->begun != nullptr) cudaEventDestroy(r->begun);
  free(r);
}

// Enables access between the first device and device i in both directions. Leaves device i current.
cudaError_t reach(const Rows *r, int i) {
  const int pair[] = {r->ordinal[0], r->ordinal[i]};
  for (int from = 0; from < 2; from++) {
    cudaError_t code = cudaSetDevice(pair[from]);
    if (code == cudaSuccess) code = cudaDeviceEnablePeerAccess(pair[1 - from], 0);
    if (code != cudaSuccess && code != cudaErrorPeerAccessAlreadyEnabled) return code;
    (void)cudaGetLastError();
  }
  return cudaSuccess;
}

gb_status take_rows(gb_case *c, Rows *r) {
  cudaError_t code = cudaEventCreateWithFlags(&r->begun, cudaEventDisableTiming);
  r->count = static_cast<int>(gb.devices->count(c));
  r->n = static_cast<size_t>(gb.point->i64(c, "n"));
  r->x = static_cast<float *>(gb.tensor->data(c, "x"));
  r->y = static_cast<float *>(gb.tensor->data(c, "y"));
  for (int i = 0; i < r->count && code == cudaSuccess; i++) {
    const uint32_t device = static_cast<uint32_t>(i);
    r->ordinal[i] = static_cast<int>(gb.devices->i64(c, device, "ordinal"));
    r->stream[i] = gb.devices->stream(c, device);
    r->in[i] = i == 0 ? r->x : static_cast<float *>(gb.devices->alloc(c, device, r->n * sizeof(float)));
    r->out[i] = i == 0 ? r->y : static_cast<float *>(gb.devices->alloc(c, device, r->n * sizeof(float)));
    if (r->stream[i] == nullptr || r->in[i] == nullptr || r->out[i] == nullptr) return GB_ENOMEM;
    code = i == 0 ? cudaSetDevice(r->ordinal[i]) : reach(r, i);
    if (code == cudaSuccess) code = cudaEventCreateWithFlags(&r->done[i], cudaEventDisableTiming);
  }
  cudaSetDevice(r->ordinal[0]);
  return code == cudaSuccess ? GB_OK : failed(c, "peers and events", code);
}

gb_status refresh(const gb_variant *, gb_case *c, void *vstate) {
  return bring(static_cast<Rows *>(vstate), c);
}

// fork() lets the other streams begin as soon as the stream of the case gets here. join() lets the stream of the case
// continue when the other streams have finished.
cudaError_t fork(const Rows *r) {
  cudaError_t code = cudaEventRecord(r->begun, r->stream[0]);
  for (int i = 1; i < r->count && code == cudaSuccess; i++)
    code = cudaStreamWaitEvent(r->stream[i], r->begun, 0);
  return code;
}

cudaError_t join(const Rows *r) {
  cudaError_t code = cudaSuccess;
  for (int i = 1; i < r->count && code == cudaSuccess; i++) {
    code = cudaEventRecord(r->done[i], r->stream[i]);
    if (code == cudaSuccess) code = cudaStreamWaitEvent(r->stream[0], r->done[i], 0);
  }
  return code;
}

// Copies the rows of the other devices back to the first one before outputs are verified.
gb_status after(const gb_variant *, gb_case *c, void *vstate) {
  Rows *r = static_cast<Rows *>(vstate);
  cudaError_t code = cudaSuccess;
  for (int i = 1; i < r->count && code == cudaSuccess; i++)
    code = copy(r->y + i * r->n, r->out[i], r->n, r->stream[0]);
  return code == cudaSuccess ? GB_OK : failed(c, "home", code);
}

void release(const gb_variant *, gb_case *, void *vstate) {
  give_back(static_cast<Rows *>(vstate));
}

// ---- By NCCL ----

gb_status begin_nccl(gb_case *c, Rows *r) {
  gb_status status = take_rows(c, r);
  if (status != GB_OK) return status;
  if (!open_nccl(&r->nccl)) return gb_failf(&gb, c, GB_SKIP, "libnccl.so.2 is not here");
  const int code = r->nccl.init_all(r->comm, r->count, r->ordinal);
  cudaSetDevice(r->ordinal[0]);
  return code == 0 ? bring(r, c) : gb_failf(&gb, c, GB_EDEVICE, "ncclCommInitAll: %s", r->nccl.error(code));
}

gb_status prepare_nccl(const gb_variant *, gb_case *c, void **vstate) {
  Rows *r = static_cast<Rows *>(calloc(1, sizeof *r));
  const gb_status status = r != nullptr ? begin_nccl(c, r) : GB_ENOMEM;
  if (status == GB_OK)
    *vstate = r;
  else if (r != nullptr)
    give_back(r);
  return status;
}

gb_status run_nccl(const gb_variant *, gb_case *c, void *vstate) {
  Rows *r = static_cast<Rows *>(vstate);
  cudaError_t code = fork(r);
  if (code != cudaSuccess) return failed(c, "fork", code);
  int result = r->nccl.group_start();
  for (int i = 0; i < r->count && result == 0; i++)
    result = r->nccl.all_reduce(r->in[i], r->out[i], r->n, kFloat, kSum, r->comm[i], r->stream[i]);
  const int ended = r->nccl.group_end();
  if (result != 0 || ended != 0)
    return gb_failf(&gb, c, GB_EDEVICE, "ncclAllReduce: %s", r->nccl.error(result != 0 ? result : ended));
  code = join(r);
  return code == cudaSuccess ? GB_OK : failed(c, "join", code);
}

// ---- By copies ----

// Adds the first row and the rows of the other devices, which are contiguous in `others`.
__global__ void sum_rows(const float *first, const float *others, float *sum, size_t n, int count) {
  for (size_t j = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; j < n;
       j += static_cast<size_t>(gridDim.x) * blockDim.x) {
    float value = first[j];
    for (int i = 1; i < count; i++)
      value += others[(i - 1) * n + j];
    sum[j] = value;
  }
}

gb_status prepare_peer(const gb_variant *, gb_case *c, void **vstate) {
  Rows *r = static_cast<Rows *>(calloc(1, sizeof *r));
  gb_status status = r != nullptr ? take_rows(c, r) : GB_ENOMEM;
  const size_t bytes = status == GB_OK ? static_cast<size_t>(r->count - 1) * r->n * sizeof(float) : 0;
  if (bytes > 0) {
    r->gathered = static_cast<float *>(gb.mem->alloc(c, GB_MEM_DEVICE, bytes));
    status = r->gathered != nullptr ? GB_OK : GB_ENOMEM;
  }
  if (status == GB_OK) status = bring(r, c);
  if (status == GB_OK)
    *vstate = r;
  else if (r != nullptr)
    give_back(r);
  return status;
}

cudaError_t copies(Rows *r) {
  cudaError_t code = fork(r);
  for (int i = 1; i < r->count && code == cudaSuccess; i++)
    code = copy(r->gathered + (i - 1) * r->n, r->in[i], r->n, r->stream[i]);
  if (code == cudaSuccess) code = join(r);
  if (code != cudaSuccess) return code;
  const size_t blocks = (r->n + kThreads - 1) / kThreads;
  sum_rows<<<static_cast<unsigned>(blocks < 4096 ? blocks : 4096), kThreads, 0, r->stream[0]>>>(
      r->in[0], r->gathered, r->out[0], r->n, r->count);
  code = cudaGetLastError();
  if (code == cudaSuccess) code = fork(r);
  for (int i = 1; i < r->count && code == cudaSuccess; i++)
    code = copy(r->out[i], r->out[0], r->n, r->stream[i]);
  return code == cudaSuccess ? join(r) : code;
}

gb_status run_peer(const gb_variant *, gb_case *c, void *vstate) {
  const cudaError_t code = copies(static_cast<Rows *>(vstate));
  return code == cudaSuccess ? GB_OK : failed(c, "copies", code);
}

gb_variant on_gpus(const char *name, uint32_t flags) {
  gb_variant v;
  GB_CLEAR(v);
  v.name = name;
  v.flags = GB_VARIANT_DERIVED | flags;
  v.backend = "cuda";
  v.math = "fp32";
  v.refresh = refresh;
  v.after = after;
  v.release = release;
  return v;
}

gb_variant nccl() {
  gb_variant v = on_gpus("nccl", GB_VARIANT_NO_CAPTURE);
  v.prepare = prepare_nccl;
  v.run = run_nccl;
  return v;
}

gb_variant peer() {
  gb_variant v = on_gpus("peer", GB_VARIANT_BASELINE);
  v.prepare = prepare_peer;
  v.run = run_peer;
  return v;
}

}  // namespace

const gb_variant allreduce_nccl = nccl(), allreduce_peer = peer();
