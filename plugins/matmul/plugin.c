/* The matmul plugin: one bench, "gemm", and its variants on cuda and cpu. Contract: README.md. The arithmetic is behind
 * kernels.h and vendor.h, the check behind check.h; presets are in presets.c. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kernels.h"
#include "presets.h"
#include "vendor.h"
#ifdef GPUBENCH_CUDA
#include "../shared/image.h"
#endif

static gb_sdk gb;

/* ---- The problem ----------------------------------------------------------------------------------------------- */

#define MOST ((int64_t)1 << 24)          /* of m, n and k */
#define MOST_OUTPUTS ((int64_t)1 << 38)  /* m * n: what a CUDA grid of the smallest tiles covers */
#define MOST_PRODUCTS ((int64_t)1 << 60) /* m * n * k: the work is counted in 64 bits */

static const char *const dtype_names[] = {
    [MATMUL_FP32] = "fp32", [MATMUL_FP16] = "fp16", [MATMUL_BF16] = "bf16", [MATMUL_E4M3] = "e4m3"};

static int32_t dtype_of(gb_case *c) {
  for (int32_t i = 0; i < 4; i++)
    if (gb_axis_is(&gb, c, "dtype", dtype_names[i])) return i;
  return MATMUL_FP32;
}

static uint32_t storage_of(int32_t dtype) {
  return gb_dtype_named(dtype_names[dtype]);
}

static uint64_t bytes_of(int32_t dtype) {
  return gb_dtype_bytes(storage_of(dtype));
}

static int32_t out_of(int32_t dtype) {
  return dtype == MATMUL_E4M3 ? MATMUL_BF16 : dtype;
}

static struct matmul_problem problem_of(gb_case *c) {
  return (struct matmul_problem){
      .m = gb.point->i64(c, "m"), .n = gb.point->i64(c, "n"), .k = gb.point->i64(c, "k"), .dtype = dtype_of(c)};
}

static gb_status gemm_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  gb_status status = gb_axis_within(&gb, c, "m", 1, MOST - 1);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "n", 1, MOST - 1);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "k", 1, MOST - 1);
  if (status != GB_OK) return status;
  const struct matmul_problem p = problem_of(c);
  if (p.m > MOST_OUTPUTS / p.n || p.m * p.n > MOST_PRODUCTS / p.k)
    return gb_failf(&gb, c, GB_SKIP, "m n must be at most 2^38 and m n k 2^60, not %lld * %lld * %lld", (long long)p.m,
                    (long long)p.n, (long long)p.k);
  return GB_OK;
}

static gb_status declare(gb_case *c, const char *name, int64_t rows, int64_t columns, int32_t dtype) {
  const int64_t shape[] = {rows, columns};
  const gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_IN,  .dtype = storage_of(dtype), .rank = 2,
                       .name = name,       .shape = shape, .fill = GB_FILL_NORMAL,     .fill_b = 1.0};
  return gb.tensor->declare(c, &t);
}

static gb_status declare_out(gb_case *c, const struct matmul_problem *p) {
  const int64_t shape[] = {p->m, p->n};
  const gb_tensor t = {GB_SIZE(gb_tensor),
                       .role = GB_OUT,
                       .dtype = storage_of(out_of(p->dtype)),
                       .rank = 2,
                       .name = "c",
                       .shape = shape,
                       .reduction = (uint64_t)p->k};
  return gb.tensor->declare(c, &t);
}

static gb_status declare_work(gb_case *c, const struct matmul_problem *p) {
  const uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k;
  const gb_work work = {GB_SIZE(gb_work), .flops = 2 * m * n * k, .bytes_read = (m + n) * k * bytes_of(p->dtype),
                        .bytes_written = m * n * bytes_of(out_of(p->dtype))};
  return gb.point->work(c, &work);
}

/* e4m3 inputs lose nothing in fp8 math, so what is left is the rounding of bf16 results, and sums in tensor cores: on
 * Hopper these keep 14 bits, one truncation for every 32 products. */
static double error_most(const struct matmul_problem *p) {
  return p->dtype == MATMUL_E4M3 ? 2.5e-3 + 0x1p-14 * (8.0 + (double)p->k / 32.0) : 0.0;
}

/* On cuda the GPU computes what the check is made of. */
static gb_status place_check(gb_case *c, struct matmul_check *check, int32_t dtype) {
#ifdef GPUBENCH_CUDA
  if (gb.cuda->stream(c) != NULL) return matmul_check_on_device(&gb, c, check, dtype);
#endif
  (void)c, (void)dtype;
  matmul_check_on_host(check);
  return GB_OK;
}

static gb_status gemm_setup(const gb_bench *self, gb_case *c, void **state) {
  const struct matmul_problem p = problem_of(c);
  (void)self;
  gb_status status = declare(c, "a", p.m, p.k, p.dtype);
  if (status == GB_OK) status = declare(c, "b", p.n, p.k, p.dtype);
  if (status == GB_OK) status = declare_out(c, &p);
  if (status == GB_OK) status = declare_work(c, &p);
  struct matmul_check *check = status == GB_OK ? calloc(1, sizeof *check) : NULL;
  if (status != GB_OK) return status;
  if (check == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  *check = (struct matmul_check){.m = p.m, .n = p.n, .k = p.k, .error_most = error_most(&p)};
  status = place_check(c, check, p.dtype);
  if (status == GB_OK)
    *state = check;
  else {
    matmul_check_close(check);
    free(check);
  }
  return status;
}

static gb_status gemm_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  return matmul_check_reference(&gb, c, state);
}

static gb_status gemm_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  return matmul_check_verify(&gb, c, state);
}

static void gemm_teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  matmul_check_close(state);
  free(state);
  matmul_cpu_stop_threads();
}

/* ---- Variants -------------------------------------------------------------------------------------------------- */

#define TAKES(dtype) (1u << (dtype))
#define TAKES_16 (TAKES(MATMUL_FP16) | TAKES(MATMUL_BF16))
#define TAKES_FLOATS (TAKES(MATMUL_FP32) | TAKES_16)
#define TAKES_ALL (TAKES_FLOATS | TAKES(MATMUL_E4M3))

/* What gb_variant.user points to: a function of kernels.h or a vendor, and what it can do. */
struct method {
  void (*cpu)(const struct matmul_problem *p);
  int64_t (*workspace)(const struct matmul_problem *p); /* floats */
  int (*cuda)(const struct matmul_problem *p, struct CUstream_st *stream);
  int (*cuda_prepare)(const struct matmul_problem *p);
  const struct matmul_vendor *vendor;
  unsigned vendor_flags;
  unsigned takes; /* dtypes */
  int capability; /* compute capability, at least */
  int log2_most;  /* of m n k: above it a single run would take 5 ms on an H200, and much of a case's time; 0: any */
  int hopper;     /* compute capability 9.0 alone, by tensor maps: rows of a and b are multiples of 16 bytes */
  int packs;      /* copies of the inputs come first: panels, or fp32 */
};

struct call {
  struct matmul_problem p;
  const struct method *method;
  struct CUstream_st *stream;
  void *vendor;
};

static const struct method *method_of(const gb_variant *self) {
  return self->user;
}

static gb_status vendor_supports(const gb_variant *self, gb_case *c, const struct matmul_problem *p) {
  const int cuda = strcmp(self->backend, "cuda") == 0;
  if (cuda && p->dtype == MATMUL_E4M3 && (p->m % 16 != 0 || p->n % 16 != 0 || p->k % 16 != 0))
    return gb_failf(&gb, c, GB_SKIP, "%s takes e4m3 where m, n and k are multiples of 16", self->name);
  if (!cuda && (p->m * p->k > INT32_MAX || p->n * p->k > INT32_MAX || p->m * p->n > INT32_MAX))
    return gb_failf(&gb, c, GB_SKIP, "%s takes arrays of less than 2^31 elements", self->name);
  return GB_OK;
}

/* The device's, for libraries and for what is always compiled for it; other kernels of ours may be compiled for less.
 */
static int64_t capability_of(const struct method *how, gb_case *c) {
  const int64_t device = gb.device->i64(c, "compute_capability");
#ifdef GPUBENCH_CUDA
  if (how->vendor == NULL) return image_capability(device);
#else
  (void)how;
#endif
  return device;
}

static gb_status variant_supports(const gb_variant *self, gb_case *c) {
  const struct method *how = method_of(self);
  const struct matmul_problem p = problem_of(c);
  const int vendor_fp8 = how->vendor != NULL && how->capability > 0 && p.dtype == MATMUL_E4M3;
  const int needed = vendor_fp8 ? 89 : how->capability;
  const int64_t capability = needed > 0 ? capability_of(how, c) : 0;
  if ((how->takes & TAKES(p.dtype)) == 0)
    return gb_failf(&gb, c, GB_SKIP, "%s has no %s", self->name, dtype_names[p.dtype]);
  if (capability < needed)
    return gb_failf(&gb, c, GB_SKIP, "%s needs compute capability %d for %s, the device has %lld", self->name, needed,
                    dtype_names[p.dtype], (long long)capability);
  if (how->hopper && capability != 90)
    return gb_failf(&gb, c, GB_SKIP, "%s is for compute capability 90, the device has %lld", self->name,
                    (long long)capability);
  if (how->hopper && p.k % 8 != 0)
    return gb_failf(&gb, c, GB_SKIP, "%s takes rows of a and b that are multiples of 16 bytes: k of 8, not %lld",
                    self->name, (long long)p.k);
  if ((how->vendor_flags & MATMUL_PADDED) != 0 && p.n * (int64_t)bytes_of(p.dtype) % 16 == 0)
    return gb_failf(&gb, c, GB_SKIP, "%s is for rows of c that are no multiples of 16 bytes", self->name);
  if (how->log2_most > 0 && p.m * p.n * p.k > (int64_t)1 << how->log2_most)
    return gb_failf(&gb, c, GB_SKIP, "%s is for m n k up to 2^%d: one run of more takes too long", self->name,
                    how->log2_most);
  return how->vendor != NULL ? vendor_supports(self, c, &p) : GB_OK;
}

/* From b by a copy with more rows to the product, and from it by a copy with fewer columns to c. */
static gb_status state_padding(gb_case *c, uint64_t in, uint64_t out) {
  gb_status status = gb_node(&gb, c, GB_NODE_KERNEL, "widen", "copy B", "more rows", 0, 0);
  if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_KERNEL, "narrow", "copy C", "n columns", 0, 0);
  if (status == GB_OK) status = gb_edge(&gb, c, "b", "widen", NULL, in);
  if (status == GB_OK) status = gb_edge(&gb, c, "widen", "gemm", NULL, in);
  if (status == GB_OK) status = gb_edge(&gb, c, "gemm", "narrow", NULL, out);
  return status == GB_OK ? gb_edge(&gb, c, "narrow", "c", NULL, out) : status;
}

/* For the report's diagram: one product, and what is copied before it or after. */
static gb_status state_graph(const gb_variant *self, gb_case *c, const struct matmul_problem *p) {
  const struct method *how = method_of(self);
  const uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k, size = bytes_of(p->dtype);
  const uint64_t out = m * n * bytes_of(out_of(p->dtype)), floats = (m + n) * k * 4;
  const uint32_t kind = strcmp(self->backend, "cuda") == 0 ? GB_NODE_KERNEL : GB_NODE_HOST;
  const int packs = how->packs && (how->vendor == NULL || p->dtype != MATMUL_FP32);
  gb_status status = gb_node(&gb, c, GB_NODE_TENSOR, "a", "A", NULL, 0, m * k * size);
  if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_TENSOR, "b", "B", NULL, 0, n * k * size);
  if (status == GB_OK && packs) {
    status =
        gb_node(&gb, c, GB_NODE_HOST, "pack", how->vendor != NULL ? "convert A and B" : "pack A and B", NULL, 0, 0);
    if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_TENSOR, "packed", "A and B", "fp32, in memory", 0, floats);
    if (status == GB_OK) status = gb_edge(&gb, c, "a", "pack", NULL, m * k * size);
    if (status == GB_OK) status = gb_edge(&gb, c, "b", "pack", NULL, n * k * size);
    if (status == GB_OK) status = gb_edge(&gb, c, "pack", "packed", NULL, floats);
  }
  if (status == GB_OK) status = gb_node(&gb, c, kind, "gemm", "C = A B^T", self->summary, 2 * m * n * k, 0);
  if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_TENSOR, "c", "C", NULL, 0, out);
  if (status == GB_OK) status = gb_edge(&gb, c, packs ? "packed" : "a", "gemm", NULL, packs ? floats : m * k * size);
  if (status == GB_OK && (how->vendor_flags & MATMUL_PADDED) != 0) return state_padding(c, n * k * size, out);
  if (status == GB_OK && !packs) status = gb_edge(&gb, c, "b", "gemm", NULL, n * k * size);
  return status == GB_OK ? gb_edge(&gb, c, "gemm", "c", NULL, out) : status;
}

static const char *error_text(int error) {
#ifdef GPUBENCH_CUDA
  return matmul_cuda_error(error);
#else
  (void)error;
  return "built without CUDA";
#endif
}

static gb_status fill_in(gb_case *c, const struct method *how, struct matmul_problem *p) {
  *p = problem_of(c);
  p->a = gb.tensor->data(c, "a");
  p->b = gb.tensor->data(c, "b");
  p->c = gb.tensor->data(c, "c");
  p->multiprocessors = (int32_t)gb.device->i64(c, "sm_count");
  p->shared_bytes = (int32_t)gb.device->i64(c, "shared_memory_per_block_bytes");
  p->threads = gb_threads(&gb, c, 1024);
  if (how->workspace == NULL) return GB_OK;
  p->workspace = gb.mem->alloc(c, GB_MEM_HOST, (uint64_t)how->workspace(p) * sizeof *p->workspace);
  return p->workspace == NULL ? GB_ENOMEM : GB_OK;
}

static gb_status build_call(const gb_variant *self, gb_case *c, struct call *call) {
  const struct method *how = call->method = method_of(self);
  gb_status status = fill_in(c, how, &call->p);
  call->stream = gb.cuda->stream(c);
  if (status == GB_OK) status = state_graph(self, c, &call->p);
  if (status == GB_OK && how->cuda_prepare != NULL) {
    const int code = how->cuda_prepare(&call->p);
    if (code != 0) return gb_failf(&gb, c, GB_EDEVICE, "%s: cannot prepare: %s", self->name, error_text(code));
  }
  if (status != GB_OK || how->vendor == NULL) return status;
  const struct matmul_request request = {&gb, c, &call->p, call->stream, how->vendor_flags, self->name};
  return how->vendor->open(&request, &call->vendor);
}

static gb_status variant_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct call *call = calloc(1, sizeof *call);
  if (call == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  const gb_status status = build_call(self, c, call);
  if (status == GB_OK)
    *vstate = call;
  else
    free(call);
  return status;
}

static void variant_release(const gb_variant *self, gb_case *c, void *vstate) {
  struct call *call = vstate;
  (void)self;
  (void)c;
  if (call->vendor != NULL) call->method->vendor->close(call->vendor);
  free(call);
}

static gb_status variant_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct call *call = vstate;
  const struct method *how = call->method;
  if (how->vendor != NULL) return how->vendor->run(&gb, c, call->vendor);
  if (how->cpu != NULL) {
    how->cpu(&call->p);
    return GB_OK;
  }
  const int code = how->cuda(&call->p, call->stream);
  return code == 0 ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "launch of %s: %s", self->name, error_text(code));
}

#define VARIANT(id, label, where, arithmetic, what, flag, ...) \
  static struct method id##_method = {__VA_ARGS__};            \
  static const gb_variant id = {GB_SIZE(gb_variant),           \
                                .flags = flag,                 \
                                .name = label,                 \
                                .summary = what,               \
                                .backend = where,              \
                                .math = arithmetic,            \
                                .user = &id##_method,          \
                                .supports = variant_supports,  \
                                .prepare = variant_prepare,    \
                                .run = variant_run,            \
                                .release = variant_release}

VARIANT(cpu_naive, "naive", "cpu", "native", "a dot product for each element", 0, .cpu = matmul_cpu_naive,
        .workspace = matmul_cpu_naive_workspace, .takes = TAKES_ALL);
VARIANT(cpu_blocked, "blocked", "cpu", "native", "packed panels, tiles in cache, 12 x 16 or 6 x 16 in registers", 0,
        .cpu = matmul_cpu_blocked, .workspace = matmul_cpu_blocked_workspace, .takes = TAKES_ALL, .packs = 1);
VARIANT(cpu_openblas, "openblas", "cpu", "native", "cblas_sgemm; narrower types by way of fp32", GB_VARIANT_BASELINE,
        .vendor = &matmul_openblas, .takes = TAKES_ALL, .packs = 1);

#ifdef GPUBENCH_CUDA
VARIANT(cuda_naive, "naive", "cuda", "native", "a thread for each element, straight from global memory", 0,
        .cuda = matmul_cuda_naive, .takes = TAKES_ALL, .log2_most = 30);
VARIANT(cuda_tiled, "tiled", "cuda", "native", "32 x 32 tiles in shared memory", 0, .cuda = matmul_cuda_tiled,
        .takes = TAKES_ALL, .log2_most = 33);
VARIANT(cuda_register, "register", "cuda", "native", "128 x 128 tiles, 8 x 8 in registers, two halves of shared memory",
        0, .cuda = matmul_cuda_register, .takes = TAKES(MATMUL_FP32));
VARIANT(cuda_tensor, "tensor", "cuda", "native", "mma.sync, 128 x 256 or 64 x 64 tiles, four cp.async stages", 0,
        .cuda = matmul_cuda_tensor, .cuda_prepare = matmul_cuda_tensor_prepare, .takes = TAKES_16, .capability = 80);
VARIANT(cuda_tensor_tf32, "tensor-tf32", "cuda", "tf32", "the same on fp32 storage", 0, .cuda = matmul_cuda_tensor,
        .cuda_prepare = matmul_cuda_tensor_prepare, .takes = TAKES(MATMUL_FP32), .capability = 80);
VARIANT(cuda_wgmma, "wgmma", "cuda", "native", "wgmma, 128 x 256 tiles, tensor maps, clusters that share b", 0,
        .vendor = &matmul_wgmma_one, .takes = TAKES_16, .capability = 90, .hopper = 1);
VARIANT(cuda_wgmma_best, "wgmma-best", "cuda", "native", "the same, the fastest of several tile shapes", 0,
        .vendor = &matmul_wgmma_best, .takes = TAKES_16, .capability = 90, .hopper = 1);
VARIANT(cuda_cublas, "cublas", "cuda", "native", "cublasGemmEx with its default algorithm", 0, .vendor = &matmul_cublas,
        .takes = TAKES_FLOATS, .capability = 80);
VARIANT(cuda_cublas_tf32, "cublas-tf32", "cuda", "tf32", "cublasGemmEx, tf32 allowed", 0, .vendor = &matmul_cublas,
        .vendor_flags = MATMUL_TF32, .takes = TAKES(MATMUL_FP32), .capability = 80);
VARIANT(cuda_cublaslt, "cublaslt", "cuda", "native", "the fastest algorithm that cuBLASLt's heuristics propose",
        GB_VARIANT_BASELINE, .vendor = &matmul_cublaslt, .takes = TAKES_ALL, .capability = 80);
VARIANT(cuda_cublaslt_padded, "cublaslt-padded", "cuda", "native", "the same with n of 64, by copies of b and c", 0,
        .vendor = &matmul_cublaslt, .vendor_flags = MATMUL_PADDED, .takes = TAKES_FLOATS, .capability = 80);
VARIANT(cuda_cublaslt_tf32, "cublaslt-tf32", "cuda", "tf32", "the same, tf32 allowed", 0, .vendor = &matmul_cublaslt,
        .vendor_flags = MATMUL_TF32, .takes = TAKES(MATMUL_FP32), .capability = 80);
VARIANT(cuda_cublaslt_fast, "cublaslt-fast", "cuda", "fp8", "the same, sums kept in the tensor cores", 0,
        .vendor = &matmul_cublaslt, .vendor_flags = MATMUL_FAST, .takes = TAKES(MATMUL_E4M3), .capability = 89);
#endif

/* ---- The tables ------------------------------------------------------------------------------------------------ */

static const gb_axis_default large = {GB_SIZE(gb_axis_default), .backend = "cuda", .values = "4k"};
static const gb_axis_default short_type = {GB_SIZE(gb_axis_default), .backend = "cuda", .values = "bf16"};
static const gb_axis_default *const larges[] = {&large, NULL};
static const gb_axis_default *const short_types[] = {&short_type, NULL};

#define EXTENT(id, what)                                                            \
  static const gb_axis axis_##id = {GB_SIZE(gb_axis), .type = GB_I64,  .name = #id, \
                                    .summary = what,  .values = "512", .defaults = larges}
EXTENT(m, "rows of a and c");
EXTENT(n, "rows of b, columns of c");
EXTENT(k, "columns of a and b: terms of a sum");
static const gb_axis axis_dtype = {GB_SIZE(gb_axis),
                                   .type = GB_STR,
                                   .name = "dtype",
                                   .summary = "storage type; c of e4m3 is bf16",
                                   .choices = "fp32,fp16,bf16,e4m3",
                                   .values = "fp32",
                                   .defaults = short_types};

static const gb_bench gemm = {
    GB_SIZE(gb_bench),
    .name = "gemm",
    .contract = "gpubench.org/matmul/gemm/1",
    .summary = "c = a b, both stored along k",
    .axes = (const gb_axis *const[]){&axis_m, &axis_n, &axis_k, &axis_dtype, NULL},
    .presets = matmul_presets,
    .variants =
        (const gb_variant *const[]){
#ifdef GPUBENCH_CUDA
            &cuda_naive, &cuda_tiled, &cuda_register, &cuda_tensor, &cuda_tensor_tf32, &cuda_wgmma, &cuda_wgmma_best,
            &cuda_cublas, &cuda_cublas_tf32, &cuda_cublaslt, &cuda_cublaslt_padded, &cuda_cublaslt_tf32,
            &cuda_cublaslt_fast,
#endif
            &cpu_naive, &cpu_blocked, &cpu_openblas, NULL},
    .supports = gemm_supports,
    .setup = gemm_setup,
    .reference = gemm_reference,
    .verify = gemm_verify,
    .teardown = gemm_teardown,
};

static gb_status matmul_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &gemm) : status;
}

GB_EXPORT const gb_plugin gb_plugin_v1 = {
    GB_PLUGIN_HEAD,      .id = "matmul",
    .version = "0.1.0",  .summary = "matrix products, from three loops to tensor cores",
    .open = matmul_open,
};
