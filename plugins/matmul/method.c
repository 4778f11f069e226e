/* The callbacks of all variants: supports, prepare, run and release. They call a function of kernels.h or of a vendor's
 * library. */
#include "method.h"

#include <stdlib.h>
#include <string.h>

#include "problem.h"
#include "vendor.h"
#ifdef GPUBENCH_CUDA
#include "../shared/image.h"
#endif

struct call {
  struct matmul_problem p;
  const struct matmul_method *method;
  struct CUstream_st *stream;
  void *vendor;
};

static const struct matmul_method *matmul_method_of(const gb_variant *self) {
  return self->user;
}

/* Returns GB_SKIP unless the device has compute capability 9.0, the only one with both wgmma and tensor maps, and rows
 * are multiples of 16 bytes, as tensor maps require. */
static gb_status hopper_supports(const gb_variant *self, gb_case *c, const struct matmul_problem *p,
                                 int64_t capability) {
  const int unit = 16 / (int)matmul_bytes(p->dtype);
  if (capability != 90)
    return gb_failf(&matmul_gb, c, GB_SKIP, "%s is for compute capability 90, the device has %lld", self->name,
                    (long long)capability);
  if (p->k % unit != 0)
    return gb_failf(&matmul_gb, c, GB_SKIP,
                    "%s takes rows of a and b that are multiples of 16 bytes: k of %d, not %lld", self->name, unit,
                    (long long)p->k);
  return GB_OK;
}

static gb_status vendor_supports(const gb_variant *self, gb_case *c, const struct matmul_problem *p) {
  const int cuda = strcmp(self->backend, "cuda") == 0;
  if (cuda && p->dtype == MATMUL_E4M3 && (p->m % 16 != 0 || p->n % 16 != 0 || p->k % 16 != 0))
    return gb_failf(&matmul_gb, c, GB_SKIP, "%s takes e4m3 where m, n and k are multiples of 16", self->name);
  if (!cuda && (p->m * p->k > INT32_MAX || p->n * p->k > INT32_MAX || p->m * p->n > INT32_MAX))
    return gb_failf(&matmul_gb, c, GB_SKIP, "%s takes arrays of less than 2^31 elements", self->name);
  return GB_OK;
}

/* Returns the compute capability that a variant can use. For libraries this is the device's own. For kernels of this
 * plugin it is that of the code that the device runs, which may have been compiled for a lower one. */
static int64_t capability_of(const struct matmul_method *how, gb_case *c) {
  const int64_t device = matmul_gb.device->i64(c, "compute_capability");
#ifdef GPUBENCH_CUDA
  if (how->vendor == NULL) return image_capability(device);
#else
  (void)how;
#endif
  return device;
}

static gb_status epilogue_supports(const gb_variant *self, gb_case *c, const struct matmul_problem *p) {
  if (p->n % 8 == 0) return GB_OK;
  return gb_failf(&matmul_gb, c, GB_SKIP, "%s takes rows of c that are multiples of 16 bytes: n of 8, not %lld",
                  self->name, (long long)p->n);
}

gb_status matmul_variant_supports(const gb_variant *self, gb_case *c) {
  const struct matmul_method *how = matmul_method_of(self);
  const struct matmul_problem p = matmul_problem_of(c);
  const int fp8 = how->capability > 0 && p.dtype == MATMUL_E4M3; /* e4m3 on tensor cores, which needs 8.9 */
  const int needed = fp8 && how->capability < 89 ? 89 : how->capability;
  const int64_t capability = needed > 0 ? capability_of(how, c) : 0;
  if ((how->takes & MATMUL_TAKES(p.dtype)) == 0)
    return gb_failf(&matmul_gb, c, GB_SKIP, "%s has no %s", self->name, matmul_dtype_names[p.dtype]);
  if (capability < needed)
    return gb_failf(&matmul_gb, c, GB_SKIP, "%s needs compute capability %d for %s, the device has %lld", self->name,
                    needed, matmul_dtype_names[p.dtype], (long long)capability);
  if (how->hopper) {
    const gb_status status = hopper_supports(self, c, &p, capability);
    return status == GB_OK && how->epilogue != MATMUL_PLAIN ? epilogue_supports(self, c, &p) : status;
  }
  if ((how->vendor_flags & MATMUL_PADDED) != 0 && p.n * (int64_t)matmul_bytes(p.dtype) % 16 == 0)
    return gb_failf(&matmul_gb, c, GB_SKIP, "%s is for rows of c that are no multiples of 16 bytes", self->name);
  if (how->log2_most > 0 && p.m * p.n * p.k > (int64_t)1 << how->log2_most)
    return gb_failf(&matmul_gb, c, GB_SKIP, "%s is for m n k up to 2^%d: one run of more takes too long", self->name,
                    how->log2_most);
  return how->vendor != NULL ? vendor_supports(self, c, &p) : GB_OK;
}

/* Adds the two copies of a padded variant to its diagram in the report: of b to an array with more rows, and of n
 * columns of the product to c. */
static gb_status state_padding(gb_case *c, uint64_t in, uint64_t out) {
  gb_status status = gb_node(&matmul_gb, c, GB_NODE_KERNEL, "widen", "copy B", "more rows", 0, 0);
  if (status == GB_OK) status = gb_node(&matmul_gb, c, GB_NODE_KERNEL, "narrow", "copy C", "n columns", 0, 0);
  if (status == GB_OK) status = gb_edge(&matmul_gb, c, "b", "widen", NULL, in);
  if (status == GB_OK) status = gb_edge(&matmul_gb, c, "widen", "gemm", NULL, in);
  if (status == GB_OK) status = gb_edge(&matmul_gb, c, "gemm", "narrow", NULL, out);
  return status == GB_OK ? gb_edge(&matmul_gb, c, "narrow", "c", NULL, out) : status;
}

/* Adds the kernel that runs before a 3xtf32 product to the variant's diagram in the report. It computes the small parts
 * of a and b, that is the rest that rounding to tf32 loses. */
static gb_status state_split(gb_case *c, uint64_t a, uint64_t b) {
  gb_status status = gb_node(&matmul_gb, c, GB_NODE_KERNEL, "split", "small parts", "tf32 of what tf32 leaves", 0, 0);
  if (status == GB_OK) status = gb_edge(&matmul_gb, c, "a", "split", NULL, a);
  if (status == GB_OK) status = gb_edge(&matmul_gb, c, "b", "split", NULL, b);
  return status == GB_OK ? gb_edge(&matmul_gb, c, "split", "gemm", NULL, a + b) : status;
}

/* Adds the path from the product to c to the variant's diagram in the report: through an epilogue in the same kernel,
 * or through another pass over c. */
static gb_status state_epilogue(const struct matmul_method *how, gb_case *c, uint32_t kind, uint64_t out,
                                uint64_t row) {
  const int unfused = (how->vendor_flags & MATMUL_UNFUSED) != 0;
  const char *extra = matmul_extra_name(how->epilogue), *last = unfused ? "finish" : "gemm";
  const int adds = how->epilogue == MATMUL_ADD;
  gb_status status = gb_node(&matmul_gb, c, GB_NODE_TENSOR, extra, adds ? "R" : "bias", NULL, 0, adds ? out : row);
  if (status == GB_OK && unfused) {
    status = gb_node(&matmul_gb, c, kind, last, adds ? "C + R" : "GELU(C + bias)", "a pass over C", 0, 0);
    if (status == GB_OK) status = gb_edge(&matmul_gb, c, "gemm", last, NULL, out);
  }
  if (status == GB_OK) status = gb_edge(&matmul_gb, c, extra, last, NULL, adds ? out : row);
  return status == GB_OK ? gb_edge(&matmul_gb, c, last, "c", NULL, out) : status;
}

/* Describes a variant by a graph, from which the report draws a diagram: one product, and the copies before and after
 * it. */
static gb_status state_product_graph(const gb_variant *self, gb_case *c, const struct matmul_problem *p) {
  const struct matmul_method *how = matmul_method_of(self);
  const uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k, size = matmul_bytes(p->dtype);
  const uint64_t out = m * n * matmul_bytes(matmul_out_dtype(p->dtype)), floats = (m + n) * k * 4;
  const uint32_t kind = strcmp(self->backend, "cuda") == 0 ? GB_NODE_KERNEL : GB_NODE_HOST;
  const int packs = how->packs && (how->vendor == NULL || p->dtype != MATMUL_FP32);
  gb_status status = gb_node(&matmul_gb, c, GB_NODE_TENSOR, "a", "A", NULL, 0, m * k * size);
  if (status == GB_OK) status = gb_node(&matmul_gb, c, GB_NODE_TENSOR, "b", "B", NULL, 0, n * k * size);
  if (status == GB_OK && packs) {
    status = gb_node(&matmul_gb, c, GB_NODE_HOST, "pack", how->vendor != NULL ? "convert A and B" : "pack A and B",
                     NULL, 0, 0);
    if (status == GB_OK)
      status = gb_node(&matmul_gb, c, GB_NODE_TENSOR, "packed", "A and B", "fp32, in memory", 0, floats);
    if (status == GB_OK) status = gb_edge(&matmul_gb, c, "a", "pack", NULL, m * k * size);
    if (status == GB_OK) status = gb_edge(&matmul_gb, c, "b", "pack", NULL, n * k * size);
    if (status == GB_OK) status = gb_edge(&matmul_gb, c, "pack", "packed", NULL, floats);
  }
  if (status == GB_OK) status = gb_node(&matmul_gb, c, kind, "gemm", "C = A B^T", self->summary, 2 * m * n * k, 0);
  if (status == GB_OK) status = gb_node(&matmul_gb, c, GB_NODE_TENSOR, "c", "C", NULL, 0, out);
  if (status == GB_OK)
    status = gb_edge(&matmul_gb, c, packs ? "packed" : "a", "gemm", NULL, packs ? floats : m * k * size);
  if (status == GB_OK && (how->vendor_flags & MATMUL_PADDED) != 0) return state_padding(c, n * k * size, out);
  if (status == GB_OK && (how->vendor_flags & MATMUL_SPLIT) != 0) status = state_split(c, m * k * size, n * k * size);
  if (status == GB_OK && !packs) status = gb_edge(&matmul_gb, c, "b", "gemm", NULL, n * k * size);
  if (status == GB_OK && how->epilogue != MATMUL_PLAIN) return state_epilogue(how, c, kind, out, n * size);
  return status == GB_OK ? gb_edge(&matmul_gb, c, "gemm", "c", NULL, out) : status;
}

static const char *matmul_error_text(int error) {
#ifdef GPUBENCH_CUDA
  return matmul_cuda_error(error);
#else
  (void)error;
  return "built without CUDA";
#endif
}

static gb_status fill_in(gb_case *c, const struct matmul_method *how, struct matmul_problem *p) {
  *p = matmul_problem_of(c);
  p->a = matmul_gb.tensor->data(c, "a");
  p->b = matmul_gb.tensor->data(c, "b");
  p->c = matmul_gb.tensor->data(c, "c");
  p->epilogue = how->epilogue;
  if (p->epilogue != MATMUL_PLAIN) p->extra = matmul_gb.tensor->data(c, matmul_extra_name(how->epilogue));
  p->multiprocessors = (int32_t)matmul_gb.device->i64(c, "sm_count");
  p->shared_bytes = (int32_t)matmul_gb.device->i64(c, "shared_memory_per_block_bytes");
  p->threads = gb_threads(&matmul_gb, c, 1024);
  if (how->workspace == NULL) return GB_OK;
  p->workspace = matmul_gb.mem->alloc(c, GB_MEM_HOST, (uint64_t)how->workspace(p) * sizeof *p->workspace);
  return p->workspace == NULL ? GB_ENOMEM : GB_OK;
}

static gb_status build_call(const gb_variant *self, gb_case *c, struct call *call) {
  const struct matmul_method *how = call->method = matmul_method_of(self);
  gb_status status = fill_in(c, how, &call->p);
  call->stream = matmul_gb.cuda->stream(c);
  if (status == GB_OK) status = state_product_graph(self, c, &call->p);
  if (status == GB_OK && how->kernel != NULL) status = gb_notef(&matmul_gb, c, "kernel", "%s", how->kernel(&call->p));
  if (status == GB_OK && how->cuda_prepare != NULL) {
    const int code = how->cuda_prepare(&call->p);
    if (code != 0)
      return gb_failf(&matmul_gb, c, GB_EDEVICE, "%s: cannot prepare: %s", self->name, matmul_error_text(code));
  }
  if (status != GB_OK || how->vendor == NULL) return status;
  const struct matmul_request request = {&matmul_gb, c, &call->p, call->stream, how->vendor_flags, self->name};
  return how->vendor->open(&request, &call->vendor);
}

gb_status matmul_variant_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct call *call = calloc(1, sizeof *call);
  if (call == NULL) return gb_failf(&matmul_gb, c, GB_ENOMEM, "no host memory");
  const gb_status status = build_call(self, c, call);
  if (status == GB_OK)
    *vstate = call;
  else
    free(call);
  return status;
}

void matmul_variant_release(const gb_variant *self, gb_case *c, void *vstate) {
  struct call *call = vstate;
  (void)self;
  (void)c;
  if (call->vendor != NULL) call->method->vendor->close(call->vendor);
  free(call);
}

gb_status matmul_variant_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct call *call = vstate;
  const struct matmul_method *how = call->method;
  if (how->vendor != NULL) return how->vendor->run(&matmul_gb, c, call->vendor);
  if (how->cpu != NULL) {
    how->cpu(&call->p);
    return GB_OK;
  }
  const int code = how->cuda(&call->p, call->stream);
  return code == 0 ? GB_OK
                   : gb_failf(&matmul_gb, c, GB_EDEVICE, "launch of %s: %s", self->name, matmul_error_text(code));
}
