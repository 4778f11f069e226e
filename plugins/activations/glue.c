/* The callbacks of the variants (implementations that are compared): `prepare` (describes the variant for the report,
 * allocates memory and fills in the arguments), `run`, `release`, and the `supports` functions. */
#include "glue.h"
#ifdef GPUBENCH_CUDA
#include "../shared/image.h"
#endif

#include <stdlib.h>
#include <string.h>

#define gb activations_gb

static gb_status state_reads(gb_case *c, const char *from, const char *to, int times, uint64_t bytes) {
  static const char *const reads[] = {"", NULL, "read twice", "read three times"};
  return gb_edge(&gb, c, from, to, reads[times], bytes * (uint64_t)times);
}

static gb_status state_tensor(gb_case *c, const char *id, const char *label, uint64_t bytes) {
  return gb_node(&gb, c, GB_NODE_TENSOR, id, label, NULL, 0, bytes);
}

/* Describes a variant as a graph of one or two steps and their memory traffic, for a diagram in the report. gamma and
 * beta are left out, because they stay in a cache. */
static gb_status state_step_graph(const gb_variant *self, gb_case *c, uint64_t bytes) {
  const struct activations_method *how = self->user;
  const uint32_t kind = strcmp(self->backend, "cuda") == 0 ? GB_NODE_KERNEL : GB_NODE_HOST;
  gb_status status = state_tensor(c, "x", "X", bytes);
  if (status == GB_OK) status = gb_node(&gb, c, kind, "step", how->step, how->pair ? NULL : self->summary, 0, 0);
  if (status == GB_OK) status = state_reads(c, "x", "step", how->reads, bytes);
  if (status == GB_OK && activations_has_z(how->problem->kind)) {
    status = state_tensor(c, "z", "Z", bytes);
    if (status == GB_OK) status = state_reads(c, "z", "step", 1, bytes);
  }
  if (status == GB_OK && how->pair) {
    status = state_tensor(c, "n", "N", bytes);
    if (status == GB_OK) status = gb_node(&gb, c, kind, "gelu", "Y = GELU(N)", NULL, 0, 0);
    if (status == GB_OK) status = state_reads(c, "step", "n", 1, bytes);
    if (status == GB_OK) status = state_reads(c, "n", "gelu", 1, bytes);
  }
  if (status == GB_OK && activations_has_sum(how->problem->kind)) {
    status = state_tensor(c, "s", "S", bytes);
    if (status == GB_OK) status = state_reads(c, "step", "s", 1, bytes);
  }
  if (status == GB_OK) status = state_tensor(c, "y", "Y", bytes);
  return status == GB_OK ? state_reads(c, how->pair ? "gelu" : "step", "y", 1, bytes) : status;
}

static int threads_for_shape(gb_case *c, const struct activations_shape *shape) {
  return gb_threads(&gb, c, (shape->m * shape->n + 1023) / 1024);
}

/* Allocates the memory that a variant needs besides its tensors: for `unfused` the array between its two kernels, for
 * some CPU variants a row of floats for each thread. */
static gb_status alloc_workspace(gb_case *c, const struct activations_method *how, struct activations_call *call,
                                 uint64_t bytes) {
  const uint64_t floats = (uint64_t)activations_cpu_scratch(call->n) * (uint64_t)call->threads;
  if (how->pair) {
    call->middle = gb.mem->alloc(c, GB_MEM_DEVICE, bytes);
    if (call->middle == NULL) return GB_ENOMEM;
  }
  if (!how->scratch) return GB_OK;
  call->scratch = gb.mem->alloc(c, GB_MEM_HOST, floats * sizeof *call->scratch);
  return call->scratch != NULL ? GB_OK : GB_ENOMEM;
}

gb_status activations_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const struct activations_method *how = self->user;
  const enum activations_kind kind = how->problem->kind;
  const struct activations_shape shape = activations_shape_of(c, kind);
  gb_status status = state_step_graph(self, c, shape.bytes);
  if (status != GB_OK) return status;
  struct activations_call *call = calloc(1, sizeof *call);
  if (call == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  call->x = gb.tensor->data(c, "x");
  call->y = gb.tensor->data(c, "y");
  if (activations_has_z(kind)) call->z = gb.tensor->data(c, "z");
  if (activations_has_sum(kind)) call->s = gb.tensor->data(c, "s");
  if (activations_is_norm(kind)) call->gamma = gb.tensor->data(c, "gamma");
  if (activations_has_beta(kind)) call->beta = gb.tensor->data(c, "beta");
  if (kind == ACTIVATIONS_BIAS_GELU) call->bias = gb.tensor->data(c, "bias");
  if (activations_has_saved(kind)) call->rstd = gb.tensor->data(c, "rstd");
  if (activations_has_saved(kind) && activations_has_beta(kind)) call->mean = gb.tensor->data(c, "mean");
  call->m = shape.m;
  call->n = shape.n;
  call->dtype = shape.dtype;
  call->form = shape.form;
  call->threads = threads_for_shape(c, &shape);
  call->stream = gb.cuda->stream(c);
  status = alloc_workspace(c, how, call, shape.bytes);
  if (status == GB_OK)
    *vstate = call;
  else
    free(call);
  return status;
}

void activations_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  free(vstate);
}

gb_status activations_cpu_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)c;
  ((const struct activations_method *)self->user)->run(vstate);
  return GB_OK;
}

#ifdef GPUBENCH_CUDA
gb_status activations_cuda_run(const gb_variant *self, gb_case *c, void *vstate) {
  const int code = ((const struct activations_method *)self->user)->run(vstate);
  if (code != 0) return gb_failf(&gb, c, GB_EDEVICE, "launch of %s: %s", self->name, activations_cuda_error(code));
  return GB_OK;
}

gb_status activations_fused_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t n = gb.point->i64(c, "n");
  const int64_t capability = image_capability(gb.device->i64(c, "compute_capability"));
  const int64_t limit = activations_cuda_fused_limit(capability);
  if (n <= limit) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "n is %lld: at compute capability %lld a row of at most %lld stays on chip",
                  (long long)n, (long long)capability, (long long)limit);
}

gb_status activations_lanes_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t bytes = gb.point->i64(c, "n") * (gb_axis_is(&gb, c, "dtype", "fp32") ? 4 : 2);
  if (bytes % 16 == 0 && bytes <= ACTIVATIONS_LANES_BYTES) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "a row has %lld bytes: must be a multiple of 16, at most %d", (long long)bytes,
                  ACTIVATIONS_LANES_BYTES);
}

static gb_status check_whole_row(gb_case *c, int64_t step) {
  const int64_t n = gb.point->i64(c, "n");
  if (n % step == 0 && n <= ACTIVATIONS_WHOLE_MAX) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "n is %lld: must be a multiple of %lld, at most %d", (long long)n, (long long)step,
                  ACTIVATIONS_WHOLE_MAX);
}

gb_status activations_whole_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  return check_whole_row(c, ACTIVATIONS_WHOLE_STEP);
}

gb_status activations_tensor_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t n = gb.point->i64(c, "n");
  if (gb_axis_is(&gb, c, "dtype", "fp32"))
    return gb_failf(&gb, c, GB_SKIP, "of fp32 tensor cores would round every element: see `whole`");
  if (n >= ACTIVATIONS_TENSOR_LEAST && n <= ACTIVATIONS_TENSOR_SHORT && (n & (n - 1)) == 0) return GB_OK;
  return check_whole_row(c, ACTIVATIONS_STAGED_STEP);
}

gb_status activations_packs_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t width = gb_axis_is(&gb, c, "dtype", "fp32") ? 4 : 8, n = gb.point->i64(c, "n");
  if (n % width == 0) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "n is %lld: must be a multiple of %lld", (long long)n, (long long)width);
}

gb_status activations_staged_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t capability = image_capability(gb.device->i64(c, "compute_capability"));
  if (capability < 90)
    return gb_failf(&gb, c, GB_SKIP, "compute capability is %lld: bulk copies need 90 or later", (long long)capability);
  if (gb_axis_is(&gb, c, "dtype", "fp32"))
    return gb_failf(&gb, c, GB_SKIP, "of fp32 as many rows fit into registers: see `whole`");
  return check_whole_row(c, ACTIVATIONS_STAGED_STEP);
}
#endif
