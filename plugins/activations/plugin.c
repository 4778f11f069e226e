/* The activations plugin: tables and glue. The problems are in benches.c, the kernels in elementwise.cu, gated.cu,
 * norm.cu, fused.cu, lanes.cu, whole.cu and cpu_*.c. Contracts: README.md. */
#include <stdlib.h>
#include <string.h>

#include "benches.h"
#include "kernels.h"

#define gb activations_gb

/* ---- Glue ------------------------------------------------------------------------------------------------------ */

typedef int (*kernel)(const struct activations_call *call);

/* What gb_variant.user points to. */
typedef struct method {
  kernel run;
  const struct activations_problem *problem;
  const char *step; /* what it does to X, for the diagram */
  int reads;        /* of x from memory */
  int pair;         /* two steps with an array between them */
  int scratch;      /* cpu: a row of floats for each thread */
} method;

static gb_status edge(gb_case *c, const char *from, const char *to, int times, uint64_t bytes) {
  static const char *const reads[] = {"", NULL, "read twice", "read three times"};
  return gb_edge(&gb, c, from, to, reads[times], bytes * (uint64_t)times);
}

static gb_status tensor(gb_case *c, const char *id, const char *label, uint64_t bytes) {
  return gb_node(&gb, c, GB_NODE_TENSOR, id, label, NULL, 0, bytes);
}

/* For the report's diagram: a step or two, and the traffic. gamma and beta are left out: they stay in a cache. */
static gb_status state_graph(const gb_variant *self, gb_case *c, uint64_t bytes) {
  const method *how = self->user;
  const uint32_t kind = strcmp(self->backend, "cuda") == 0 ? GB_NODE_KERNEL : GB_NODE_HOST;
  gb_status status = tensor(c, "x", "X", bytes);
  if (status == GB_OK) status = gb_node(&gb, c, kind, "step", how->step, how->pair ? NULL : self->summary, 0, 0);
  if (status == GB_OK) status = edge(c, "x", "step", how->reads, bytes);
  if (status == GB_OK && how->problem->kind == ACTIVATIONS_SWIGLU) {
    status = tensor(c, "z", "Z", bytes);
    if (status == GB_OK) status = edge(c, "z", "step", 1, bytes);
  }
  if (status == GB_OK && how->pair) {
    status = tensor(c, "n", "N", bytes);
    if (status == GB_OK) status = gb_node(&gb, c, kind, "gelu", "Y = GELU(N)", NULL, 0, 0);
    if (status == GB_OK) status = edge(c, "step", "n", 1, bytes);
    if (status == GB_OK) status = edge(c, "n", "gelu", 1, bytes);
  }
  if (status == GB_OK) status = tensor(c, "y", "Y", bytes);
  return status == GB_OK ? edge(c, how->pair ? "gelu" : "step", "y", 1, bytes) : status;
}

static int threads_of(gb_case *c, const struct activations_shape *shape) {
  const int64_t threads = gb.device->i64(c, "threads"), blocks = (shape->m * shape->n + 1023) / 1024;
  const int64_t most = threads < blocks ? threads : blocks;
  return most < 1 ? 1 : (int)most;
}

/* Workspace, all of it from the host: the array between a pair's halves, the rows of the cpu's threads. */
static gb_status take_memory(gb_case *c, const method *how, struct activations_call *call, uint64_t bytes) {
  const uint64_t floats = (uint64_t)activations_cpu_scratch(call->n) * (uint64_t)call->threads;
  if (how->pair) {
    call->middle = gb.mem->alloc(c, GB_MEM_DEVICE, bytes);
    if (call->middle == NULL) return GB_ENOMEM;
  }
  if (!how->scratch) return GB_OK;
  call->scratch = gb.mem->alloc(c, GB_MEM_HOST, floats * sizeof *call->scratch);
  return call->scratch != NULL ? GB_OK : GB_ENOMEM;
}

static gb_status variant_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const method *how = self->user;
  const enum activations_kind kind = how->problem->kind;
  const struct activations_shape shape = activations_shape_of(c, kind);
  gb_status status = state_graph(self, c, shape.bytes);
  if (status != GB_OK) return status;
  struct activations_call *call = calloc(1, sizeof *call);
  if (call == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  call->x = gb.tensor->data(c, "x");
  call->y = gb.tensor->data(c, "y");
  if (kind == ACTIVATIONS_SWIGLU) call->z = gb.tensor->data(c, "z");
  if (activations_has_rows(kind)) call->gamma = gb.tensor->data(c, "gamma");
  if (activations_has_beta(kind)) call->beta = gb.tensor->data(c, "beta");
  call->m = shape.m;
  call->n = shape.n;
  call->dtype = shape.dtype;
  call->form = shape.form;
  call->threads = threads_of(c, &shape);
  call->stream = gb.cuda->stream(c);
  status = take_memory(c, how, call, shape.bytes);
  if (status == GB_OK)
    *vstate = call;
  else
    free(call);
  return status;
}

static void variant_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  free(vstate);
}

static gb_status cpu_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)c;
  ((const method *)self->user)->run(vstate);
  return GB_OK;
}

#ifdef GPUBENCH_CUDA
static gb_status cuda_run(const gb_variant *self, gb_case *c, void *vstate) {
  const int code = ((const method *)self->user)->run(vstate);
  if (code != 0) return gb_failf(&gb, c, GB_EDEVICE, "launch of %s: %s", self->name, activations_cuda_error(code));
  return GB_OK;
}

static gb_status fused_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t n = gb.point->i64(c, "n");
  const int64_t capability = gb.device->i64(c, "compute_capability");
  const int64_t limit = activations_cuda_fused_limit(capability);
  if (n <= limit) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "n is %lld: at compute capability %lld a row of at most %lld stays on chip",
                  (long long)n, (long long)capability, (long long)limit);
}

static gb_status lanes_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t bytes = gb.point->i64(c, "n") * (strcmp(gb.point->str(c, "dtype"), "fp32") == 0 ? 4 : 2);
  if (bytes % 16 == 0 && bytes <= ACTIVATIONS_LANES_BYTES) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "a row has %lld bytes: must be a multiple of 16, at most %d", (long long)bytes,
                  ACTIVATIONS_LANES_BYTES);
}

static gb_status check_whole(gb_case *c, int64_t step) {
  const int64_t n = gb.point->i64(c, "n");
  if (n % step == 0 && n <= ACTIVATIONS_WHOLE_MAX) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "n is %lld: must be a multiple of %lld, at most %d", (long long)n, (long long)step,
                  ACTIVATIONS_WHOLE_MAX);
}

static gb_status whole_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  return check_whole(c, ACTIVATIONS_WHOLE_STEP);
}

static gb_status staged_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t capability = gb.device->i64(c, "compute_capability");
  if (capability < 90)
    return gb_failf(&gb, c, GB_SKIP, "compute capability is %lld: bulk copies need 90 or later", (long long)capability);
  if (strcmp(gb.point->str(c, "dtype"), "fp32") == 0)
    return gb_failf(&gb, c, GB_SKIP, "of fp32 as many rows fit into registers: see `whole`");
  return check_whole(c, ACTIVATIONS_STAGED_STEP);
}
#endif

/* ---- Variants -------------------------------------------------------------------------------------------------- */

#define NORM "N = LayerNorm(X)"
#define PAIR "Y = GELU(LayerNorm(X))"

#define VARIANT(id, label, what, on, enter, check, kind, function, of, does, times, two, floats)                    \
  static const method id##_method = {                                                                               \
      .run = function, .problem = &activations_##of, .step = does, .reads = times, .pair = two, .scratch = floats}; \
  static const gb_variant id = {GB_SIZE(gb_variant),                                                                \
                                .flags = kind,                                                                      \
                                .name = label,                                                                      \
                                .summary = what,                                                                    \
                                .backend = on,                                                                      \
                                .math = "native",                                                                   \
                                .user = (void *)&id##_method,                                                       \
                                .supports = check,                                                                  \
                                .prepare = variant_prepare,                                                         \
                                .run = enter,                                                                       \
                                .release = variant_release}

/* CPU and CUDA: bench, variant, what it is, flags, what it does to X, reads of x, a pair. */
#define CPU(of, label, what, kind, does, times, two, floats)                                                      \
  VARIANT(cpu_##of##_##label, #label, what, "cpu", cpu_run, NULL, kind, activations_cpu_##of##_##label, of, does, \
          times, two, floats)
#define CPU_COPY(of)                                                                                      \
  VARIANT(cpu_##of##_copy, "copy", "libc's memcpy of x to y", "cpu", cpu_run, NULL, GB_VARIANT_YARDSTICK, \
          activations_cpu_copy, of, "Y = X", 1, 0, 0)
#define CUDA(of, label, what, check, kind, does, times, two)                                                           \
  VARIANT(cuda_##of##_##label, #label, what, "cuda", cuda_run, check, kind, activations_cuda_##of##_##label, of, does, \
          times, two, 0)
#define CUDA_COPY(of)                                                                                                  \
  VARIANT(cuda_##of##_copy, "copy", "x to y, one 16-byte pack a thread", "cuda", cuda_run, NULL, GB_VARIANT_YARDSTICK, \
          activations_cuda_copy, of, "Y = X", 1, 0, 0)
#define FIRST GB_VARIANT_BASELINE

CPU(gelu, naive, "libm's erff or tanhf, one element after the other", FIRST, "Y = GELU(X)", 1, 0, 0);
CPU(gelu, fast, "vectorised, a polynomial and 2^z", 0, "Y = GELU(X)", 1, 0, 0);
CPU_COPY(gelu);
CPU(swish, naive, "libm's expf, one element after the other", FIRST, "Y = Swish(X)", 1, 0, 0);
CPU(swish, fast, "vectorised, 2^z and a division", 0, "Y = Swish(X)", 1, 0, 0);
CPU_COPY(swish);
CPU(swiglu, naive, "libm's expf, one element after the other", FIRST, "Y = Swish(X) Z", 1, 0, 0);
CPU(swiglu, fast, "vectorised, 2^z and a division", 0, "Y = Swish(X) Z", 1, 0, 0);
VARIANT(cpu_swiglu_add, "add", "x + z, vectorised", "cpu", cpu_run, NULL, GB_VARIANT_YARDSTICK, activations_cpu_add,
        swiglu, "Y = X + Z", 1, 0, 0);
CPU(layernorm, naive, "three passes: mean, variance, result", FIRST, "Y = LayerNorm(X)", 3, 0, 0);
CPU(layernorm, fused, "one read: the row waits in the cache as floats", 0, "Y = LayerNorm(X)", 1, 0, 1);
CPU_COPY(layernorm);
CPU(rmsnorm, naive, "two passes: mean square, result", FIRST, "Y = RMSNorm(X)", 2, 0, 0);
CPU(rmsnorm, fused, "one read: the row waits in the cache as floats", 0, "Y = RMSNorm(X)", 1, 0, 1);
CPU_COPY(rmsnorm);
CPU(layernorm_gelu, unfused, "layernorm/fused, then gelu/fast, with an array between", FIRST, NORM, 1, 1, 1);
CPU(layernorm_gelu, fused, "one read, one write: GELU on the row in the cache", 0, PAIR, 1, 0, 1);
CPU_COPY(layernorm_gelu);

#ifdef GPUBENCH_CUDA
CUDA(gelu, naive, "an element per thread, erff or tanhf", NULL, FIRST, "Y = GELU(X)", 1, 0);
CUDA(gelu, vector, "16-byte accesses, four in flight; erff or tanhf", NULL, 0, "Y = GELU(X)", 1, 0);
CUDA(gelu, fast, "16-byte accesses, four in flight; a polynomial and ex2.approx", NULL, 0, "Y = GELU(X)", 1, 0);
CUDA(gelu, pack, "one 16-byte pack a thread, through L1; a polynomial and ex2.approx", NULL, 0, "Y = GELU(X)", 1, 0);
CUDA_COPY(gelu);
CUDA(swish, naive, "an element per thread, expf and a division", NULL, FIRST, "Y = Swish(X)", 1, 0);
CUDA(swish, vector, "16-byte accesses, four in flight; expf and a division", NULL, 0, "Y = Swish(X)", 1, 0);
CUDA(swish, fast, "16-byte accesses, four in flight; ex2.approx and rcp.approx", NULL, 0, "Y = Swish(X)", 1, 0);
CUDA(swish, pack, "one 16-byte pack a thread, through L1; ex2.approx and rcp.approx", NULL, 0, "Y = Swish(X)", 1, 0);
CUDA_COPY(swish);
CUDA(swiglu, naive, "an element per thread, expf and a division", NULL, FIRST, "Y = Swish(X) Z", 1, 0);
CUDA(swiglu, pack, "16 bytes of each operand a thread, through L1; ex2.approx and rcp.approx", NULL, 0,
     "Y = Swish(X) Z", 1, 0);
VARIANT(cuda_swiglu_add, "add", "x + z, 16 bytes of each a thread", "cuda", cuda_run, NULL, GB_VARIANT_YARDSTICK,
        activations_cuda_add, swiglu, "Y = X + Z", 1, 0, 0);
CUDA(layernorm, naive, "a block per row, three passes over global memory", NULL, FIRST, "Y = LayerNorm(X)", 3, 0);
CUDA(layernorm, fused, "one read: the row stays in registers of a warp, block or cluster", fused_supports, 0,
     "Y = LayerNorm(X)", 1, 0);
CUDA(layernorm, lanes, "one read: the row stays in registers of 4 to 32 lanes", lanes_supports, 0, "Y = LayerNorm(X)",
     1, 0);
CUDA(layernorm, whole, "one read: a block for a row of whole shares, held in registers, nothing checked",
     whole_supports, 0, "Y = LayerNorm(X)", 1, 0);
CUDA(layernorm, staged, "the same, held in shared memory where a bulk copy puts it", staged_supports, 0,
     "Y = LayerNorm(X)", 1, 0);
CUDA_COPY(layernorm);
CUDA(rmsnorm, naive, "a block per row, two passes over global memory", NULL, FIRST, "Y = RMSNorm(X)", 2, 0);
CUDA(rmsnorm, fused, "one read: the row stays in registers of a warp, block or cluster", fused_supports, 0,
     "Y = RMSNorm(X)", 1, 0);
CUDA(rmsnorm, lanes, "one read: the row stays in registers of 4 to 32 lanes", lanes_supports, 0, "Y = RMSNorm(X)", 1,
     0);
CUDA(rmsnorm, whole, "one read: a block for a row of whole shares, held in registers, nothing checked", whole_supports,
     0, "Y = RMSNorm(X)", 1, 0);
CUDA(rmsnorm, staged, "the same, held in shared memory where a bulk copy puts it", staged_supports, 0, "Y = RMSNorm(X)",
     1, 0);
CUDA_COPY(rmsnorm);
CUDA(layernorm_gelu, unfused, "layernorm/fused, then gelu/fast, with an array between", fused_supports, FIRST, NORM, 1,
     1);
CUDA(layernorm_gelu, fused, "one read, one write: GELU on the row in registers", fused_supports, 0, PAIR, 1, 0);
CUDA(layernorm_gelu, lanes, "one read, one write: GELU on the row in registers of 4 to 32 lanes", lanes_supports, 0,
     PAIR, 1, 0);
CUDA(layernorm_gelu, whole, "one read, one write: a row of whole shares in registers, nothing checked", whole_supports,
     0, PAIR, 1, 0);
CUDA(layernorm_gelu, staged, "the same, held in shared memory where a bulk copy puts it", staged_supports, 0, PAIR, 1,
     0);
CUDA_COPY(layernorm_gelu);
#define IF_CUDA(...) __VA_ARGS__
#else
#define IF_CUDA(...)
#endif

/* ---- The tables ------------------------------------------------------------------------------------------------ */

#define LIST(type, ...)   \
  (const type *const[]) { \
    __VA_ARGS__, NULL     \
  }
#define AXIS(id, label, of, what, number)                                      \
  static const gb_axis id = {GB_SIZE(gb_axis), .type = GB_I64,  .name = label, \
                             .unit = of,       .summary = what, .values = number}
#define CHOICE(id, label, what, all, first)                                   \
  static const gb_axis id = {GB_SIZE(gb_axis), .type = GB_STR, .name = label, \
                             .summary = what,  .choices = all, .values = first}
#define PRESET(id, label, where, what, backend) \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = what, .point = where, .backends = backend}

AXIS(axis_m, "m", "rows", "rows", "1024");
AXIS(axis_n, "n", "elements", "row length", "1024");
AXIS(axis_count, "n", "elements", "elements", "1M");
CHOICE(axis_form, "form", "of GELU: by the error function, or its approximation by tanh", "erf,tanh", "erf");
CHOICE(axis_dtype, "dtype", "storage type of all tensors", "fp32,fp16,bf16", "fp32");

PRESET(gelu_fp32, "256m", "n=256M,form=erf,dtype=fp32", "1 GiB in, 1 GiB out", "cuda");
PRESET(gelu_fp16, "256m-fp16", "n=256M,form=erf,dtype=fp16", "half the bytes for the same arithmetic", "cuda");
PRESET(gelu_bf16, "256m-bf16", "n=256M,form=erf,dtype=bf16", "the same in bf16", "cuda");
PRESET(gelu_tanh_fp32, "256m-tanh", "n=256M,form=tanh,dtype=fp32", "the form by tanh", "cuda");
PRESET(gelu_tanh_bf16, "256m-tanh-bf16", "n=256M,form=tanh,dtype=bf16", "the same in bf16", "cuda");
PRESET(gelu_small, "1m-bf16", "n=1M,form=erf,dtype=bf16", "2 MiB: the launch counts", "cuda");
PRESET(gelu_cpu, "cpu-4m", "n=4M,form=erf,dtype=fp32", "16 MiB in, 16 MiB out", "cpu");
PRESET(gelu_cpu_bf16, "cpu-4m-tanh-bf16", "n=4M,form=tanh,dtype=bf16", "the form by tanh in bf16", "cpu");

PRESET(swish_fp32, "256m", "n=256M,dtype=fp32", "1 GiB in, 1 GiB out", "cuda");
PRESET(swish_fp16, "256m-fp16", "n=256M,dtype=fp16", "half the bytes for the same arithmetic", "cuda");
PRESET(swish_bf16, "256m-bf16", "n=256M,dtype=bf16", "the same in bf16", "cuda");
PRESET(swish_small, "1m-bf16", "n=1M,dtype=bf16", "2 MiB: the launch counts", "cuda");
PRESET(swish_cpu, "cpu-4m", "n=4M,dtype=fp32", "16 MiB in, 16 MiB out", "cpu");

PRESET(swiglu_fp32, "256m", "n=256M,dtype=fp32", "2 GiB in, 1 GiB out", "cuda");
PRESET(swiglu_mlp, "16k-14k-bf16", "n=224M,dtype=bf16", "16k tokens, inner size 14336", "cuda");
PRESET(swiglu_small, "1m-bf16", "n=1M,dtype=bf16", "2 MiB: the launch counts", "cuda");
PRESET(swiglu_cpu, "cpu-4m", "n=4M,dtype=fp32", "32 MiB in, 16 MiB out", "cpu");

PRESET(rows_16k_4k, "16k-4k-bf16", "m=16384,n=4096,dtype=bf16", "16k tokens, hidden size 4096", "cuda");
PRESET(rows_16k_4k_fp16, "16k-4k-fp16", "m=16384,n=4096,dtype=fp16", "the same in fp16", "cuda");
PRESET(rows_8k_8k, "8k-8k-bf16", "m=8192,n=8192,dtype=bf16", "8k tokens, hidden size 8192", "cuda");
PRESET(rows_8k_8k_fp32, "8k-8k", "m=8192,n=8192,dtype=fp32", "the same in fp32", "cuda");
PRESET(rows_4k_16k, "4k-16k-bf16", "m=4096,n=16384,dtype=bf16", "long rows", "cuda");
PRESET(rows_2k_4k, "2k-4k-bf16", "m=2048,n=4096,dtype=bf16", "16 MiB: fits the cache", "cuda");
PRESET(rows_128k_128, "128k-128-bf16", "m=131072,n=128,dtype=bf16", "heads of 128: a warp per row", "cuda");
PRESET(rows_cpu, "cpu-4k-1k", "m=4096,n=1024,dtype=fp32", "16 MiB in, 16 MiB out", "cpu");

#define HEAD(id, what)                                                                                                \
  GB_SIZE(gb_bench), .name = #id, .contract = "gpubench.org/activations/" #id "/1", .summary = what,                  \
                     .user = (void *)&activations_##id, .supports = activations_supports, .setup = activations_setup, \
                     .reference = activations_reference
#define ROWS                                                                                               \
  .axes = LIST(gb_axis, &axis_m, &axis_n, &axis_dtype),                                                    \
  .presets = LIST(gb_preset, &rows_16k_4k, &rows_16k_4k_fp16, &rows_8k_8k, &rows_8k_8k_fp32, &rows_4k_16k, \
                  &rows_2k_4k, &rows_128k_128, &rows_cpu)

static const gb_bench bench_gelu = {
    HEAD(gelu, "GELU of every element"), .axes = LIST(gb_axis, &axis_count, &axis_form, &axis_dtype),
    .presets = LIST(gb_preset, &gelu_fp32, &gelu_fp16, &gelu_bf16, &gelu_tanh_fp32, &gelu_tanh_bf16, &gelu_small,
                    &gelu_cpu, &gelu_cpu_bf16),
    .variants = LIST(gb_variant,
                     IF_CUDA(&cuda_gelu_naive, &cuda_gelu_vector, &cuda_gelu_fast, &cuda_gelu_pack, &cuda_gelu_copy, ) &
                         cpu_gelu_naive,
                     &cpu_gelu_fast, &cpu_gelu_copy)};

static const gb_bench bench_swish = {
    HEAD(swish, "Swish (SiLU) of every element"), .axes = LIST(gb_axis, &axis_count, &axis_dtype),
    .presets = LIST(gb_preset, &swish_fp32, &swish_fp16, &swish_bf16, &swish_small, &swish_cpu),
    .variants =
        LIST(gb_variant,
             IF_CUDA(&cuda_swish_naive, &cuda_swish_vector, &cuda_swish_fast, &cuda_swish_pack, &cuda_swish_copy, ) &
                 cpu_swish_naive,
             &cpu_swish_fast, &cpu_swish_copy)};

static const gb_bench bench_swiglu = {
    HEAD(swiglu, "SwiGLU: Swish of one half, times the other"), .axes = LIST(gb_axis, &axis_count, &axis_dtype),
    .presets = LIST(gb_preset, &swiglu_fp32, &swiglu_mlp, &swiglu_small, &swiglu_cpu),
    .variants = LIST(gb_variant, IF_CUDA(&cuda_swiglu_naive, &cuda_swiglu_pack, &cuda_swiglu_add, ) & cpu_swiglu_naive,
                     &cpu_swiglu_fast, &cpu_swiglu_add)};

static const gb_bench bench_layernorm = {
    HEAD(layernorm, "LayerNorm of every row of a matrix"), ROWS,
    .variants = LIST(gb_variant,
                     IF_CUDA(&cuda_layernorm_naive, &cuda_layernorm_fused, &cuda_layernorm_lanes, &cuda_layernorm_whole,
                             &cuda_layernorm_staged, &cuda_layernorm_copy, ) &
                         cpu_layernorm_naive,
                     &cpu_layernorm_fused, &cpu_layernorm_copy)};

static const gb_bench bench_rmsnorm = {
    HEAD(rmsnorm, "RMSNorm of every row of a matrix"), ROWS,
    .variants = LIST(gb_variant,
                     IF_CUDA(&cuda_rmsnorm_naive, &cuda_rmsnorm_fused, &cuda_rmsnorm_lanes, &cuda_rmsnorm_whole,
                             &cuda_rmsnorm_staged, &cuda_rmsnorm_copy, ) &
                         cpu_rmsnorm_naive,
                     &cpu_rmsnorm_fused, &cpu_rmsnorm_copy)};

static const gb_bench bench_layernorm_gelu = {
    HEAD(layernorm_gelu, "GELU (erf) of LayerNorm of every row: one kernel or two"), ROWS,
    .variants = LIST(gb_variant,
                     IF_CUDA(&cuda_layernorm_gelu_unfused, &cuda_layernorm_gelu_fused, &cuda_layernorm_gelu_lanes,
                             &cuda_layernorm_gelu_whole, &cuda_layernorm_gelu_staged, &cuda_layernorm_gelu_copy, ) &
                         cpu_layernorm_gelu_unfused,
                     &cpu_layernorm_gelu_fused, &cpu_layernorm_gelu_copy)};

static gb_status activations_open(const gb_host *host, gb_registry *registry, void **self) {
  const gb_bench *const benches[] = {&bench_gelu,      &bench_swish,   &bench_swiglu,
                                     &bench_layernorm, &bench_rmsnorm, &bench_layernorm_gelu};
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  for (size_t i = 0; i < sizeof benches / sizeof benches[0] && status == GB_OK; i++)
    status = host->add(host, registry, benches[i]);
  return status;
}

GB_EXPORT const gb_plugin gb_plugin_v1 = {
    GB_PLUGIN_HEAD,           .id = "activations",
    .version = "0.1.0",       .summary = "GELU, Swish, SwiGLU, LayerNorm, RMSNorm, and a fusion of two of them",
    .open = activations_open,
};
