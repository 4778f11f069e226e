/* The bench "backward", which computes the gradients of attention. This file has the callbacks of the bench (tensors,
 * number of operations, expected output), and the tables of its axes (parameters), presets (named sets of axis values)
 * and variants (implementations). The functions declared in backward_kernels.h do the arithmetic. */
#include <gpubench/sugar.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "axis.h"
#include "backward_graph.h"
#include "backward_reference.h"
#include "benches.h"
#include "engine.h"
#include "kernels.h"
#ifdef GPUBENCH_CUDA
#include "../shared/image.h"
#include "cudnn.h"
#endif

#define MAX_S 1048576

static gb_sdk gb;

static int64_t backward_axis(gb_case *c, const char *name) {
  return gb.point->i64(c, name);
}

static struct shape backward_shape_of(gb_case *c) {
  return (struct shape){
      .heads = backward_axis(c, "b") * backward_axis(c, "h"),
      .group = backward_axis(c, "h") / backward_axis(c, "h_kv"),
      .s_q = backward_axis(c, "s"),
      .s = backward_axis(c, "s"),
      .d = backward_axis(c, "d"),
      .dtype = gb_dtype_named(gb.point->str(c, "dtype")),
      .causal = gb_axis_is(&gb, c, "causal", "yes"),
  };
}

/* ---- The problem ---- */

static gb_status backward_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  gb_status status = gb_axis_within(&gb, c, "s", 1, MAX_S);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "b", 1, INT_MAX / backward_axis(c, "s"));
  if (status == GB_OK) status = gb_axis_within(&gb, c, "h", 1, INT_MAX / backward_axis(c, "s") / backward_axis(c, "b"));
  if (status == GB_OK) status = gb_axis_within(&gb, c, "h_kv", 1, backward_axis(c, "h"));
  if (status != GB_OK) return status;
  const int64_t h = backward_axis(c, "h"), h_kv = backward_axis(c, "h_kv"), d = backward_axis(c, "d");
  if (d != 64 && d != 128) return gb_failf(&gb, c, GB_SKIP, "d must be 64 or 128, not %lld", (long long)d);
  if (h % h_kv == 0) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "h_kv must divide h, not %lld of %lld", (long long)h_kv, (long long)h);
}

/* Declares a tensor of the case. `deviation` is the standard deviation of the random values of an input. `terms` is the
 * number of terms that are summed for each element of an output. */
static gb_status declare_backward(gb_case *c, const char *name, uint32_t role, const char *heads, double deviation,
                                  int64_t terms) {
  const int64_t extents[4] = {backward_axis(c, "b"), backward_axis(c, heads), backward_axis(c, "s"),
                              backward_axis(c, "d")};
  const gb_tensor t = {
      GB_SIZE(gb_tensor),
      .role = role,
      .dtype = gb_dtype_named(gb.point->str(c, "dtype")),
      .rank = 4,
      .name = name,
      .shape = extents,
      .fill = role == GB_IN ? GB_FILL_NORMAL : 0,
      .fill_b = deviation,
      .reduction = (uint64_t)terms,
  };
  return gb.tensor->declare(c, &t);
}

static gb_status declare_lse(gb_case *c) {
  const int64_t extents[3] = {backward_axis(c, "b"), backward_axis(c, "h"), backward_axis(c, "s")};
  const gb_tensor t = {
      GB_SIZE(gb_tensor), .role = GB_IN,    .dtype = GB_DTYPE_F32, .rank = 3,
      .name = "lse",      .shape = extents, .fill = GB_FILL_BENCH,
  };
  return gb.tensor->declare(c, &t);
}

static gb_status declare_backward_work(gb_case *c, const struct shape *shape) {
  const uint64_t rows = (uint64_t)(shape->heads * shape->s), d = (uint64_t)shape->d;
  const uint64_t bytes = rows * d * gb_dtype_bytes(shape->dtype), keys = bytes / (uint64_t)shape->group;
  const gb_work work = {
      GB_SIZE(gb_work),
      .flops = (shape->causal ? 5 : 10) * rows * (uint64_t)shape->s * d,
      .bytes_read = 3 * bytes + 2 * keys + rows * sizeof(float),
      .bytes_written = bytes + 2 * keys,
      .items = rows,
      .item_unit = "queries",
  };
  return gb.point->work(c, &work);
}

static gb_status backward_setup(const gb_bench *self, gb_case *c, void **state) {
  const struct shape shape = backward_shape_of(c);
  (void)self;
  (void)state;
  gb_status status = declare_backward(c, "q", GB_IN, "h", 1.0, 0);
  if (status == GB_OK) status = declare_backward(c, "k", GB_IN, "h_kv", 1.0, 0);
  if (status == GB_OK) status = declare_backward(c, "v", GB_IN, "h_kv", 1.0, 0);
  if (status == GB_OK) status = declare_backward(c, "o", GB_IN, "h", 0.5, 0);
  if (status == GB_OK) status = declare_lse(c);
  if (status == GB_OK) status = declare_backward(c, "do", GB_IN, "h", 1.0, 0);
  if (status == GB_OK) status = declare_backward(c, "dq", GB_OUT, "h", 0, shape.s + shape.d);
  if (status == GB_OK) status = declare_backward(c, "dk", GB_OUT, "h_kv", 0, shape.group * shape.s + shape.d);
  if (status == GB_OK) status = declare_backward(c, "dv", GB_OUT, "h_kv", 0, shape.group * shape.s + shape.d);
  return status == GB_OK ? declare_backward_work(c, &shape) : status;
}

/* Fills the input lse, for each query the logarithm of the sum of exp(score) over the n keys that it sees. No forward
 * pass is computed: for scores of standard deviation 1, lse is about log(n) + 0.5. The values are log(n + 63) + 0.5,
 * varied by up to 0.1. The 63 raises lse of a query that sees few keys. Without it, P = exp(score - lse) of such a
 * query would be far larger than P of other queries, and rounding it to bf16 would cause errors beyond the tolerance of
 * a single value: cuDNN's results were then judged wrong for one of two seeds. */
static gb_status backward_fill(const gb_bench *self, gb_case *c, void *state) {
  enum { AT_ONCE = 4096 };
  const struct shape shape = backward_shape_of(c);
  const uint64_t seed = gb.point->seed(c), count = (uint64_t)(shape.heads * shape.s), s = (uint64_t)shape.s;
  double values[AT_ONCE];
  gb_status status = GB_OK;
  (void)self;
  (void)state;
  for (uint64_t first = 0; first < count && status == GB_OK; first += AT_ONCE) {
    const uint64_t some = count - first < AT_ONCE ? count - first : AT_ONCE;
    for (uint64_t i = 0; i < some; ++i) {
      const double keys = shape.causal ? (double)((first + i) % s + 1) : (double)s;
      values[i] = log(keys + 63) + 0.5 + 0.2 * ((double)gb.rng->below(seed, 4, first + i, 1u << 20) / (1u << 20) - 0.5);
    }
    status = gb.input->write(c, "lse", first, some, values);
  }
  return status;
}

static void backward_teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  (void)state;
  attention_cpu_stop_threads();
}

static gb_status backward_reference(const gb_bench *self, gb_case *c, void *state) {
  const struct shape shape = backward_shape_of(c);
  (void)self;
  (void)state;
  return attention_backward_reference(&gb, c, &shape);
}

/* ---- Variants: the member `user` of gb_variant points to the variant's struct engine ---- */

struct engine {
  uint64_t (*workspace)(const struct backward_problem *p);
  void (*run)(const struct backward_problem *p);              /* set for CPU variants, else NULL */
  int (*open)(const struct backward_problem *p, void **plan); /* set for CUDA variants, else NULL */
  int (*run_cuda)(const void *plan, struct CUstream_st *stream);
  enum backward_keeping keeping;
};

static struct backward_problem backward_problem_of(gb_case *c, bool cpu) {
  const struct shape shape = backward_shape_of(c);
  return (struct backward_problem){
      .q = gb.tensor->data(c, "q"),
      .k = gb.tensor->data(c, "k"),
      .v = gb.tensor->data(c, "v"),
      .o = gb.tensor->data(c, "o"),
      .d_o = gb.tensor->data(c, "do"),
      .lse = gb.tensor->data(c, "lse"),
      .dq = gb.tensor->data(c, "dq"),
      .dk = gb.tensor->data(c, "dk"),
      .dv = gb.tensor->data(c, "dv"),
      .heads = shape.heads,
      .group = (int32_t)shape.group,
      .s = (int32_t)shape.s,
      .d = (int32_t)shape.d,
      .causal = shape.causal,
      .bf16 = shape.dtype == GB_DTYPE_BF16,
      .threads = cpu ? gb_threads(&gb, c, 1024) : 0,
  };
}

struct state {
  struct backward_problem problem;
  void *plan; /* allocated by `open` of a CUDA variant */
};

static gb_status build_backward(const gb_variant *self, gb_case *c, struct state *state) {
  const struct engine *engine = self->user;
  struct backward_problem *p = &state->problem;
  const bool cpu = engine->run != NULL;
  *p = backward_problem_of(c, cpu);
  p->workspace = gb.mem->alloc(c, cpu ? GB_MEM_HOST : GB_MEM_DEVICE, engine->workspace(p));
  if (p->workspace == NULL) return GB_ENOMEM;
#ifdef GPUBENCH_CUDA
  const int error = cpu ? 0 : engine->open(p, &state->plan);
  if (error != 0)
    return gb_failf(&gb, c, GB_EDEVICE, "%s: cannot prepare: %s", self->name, attention_cuda_error(error));
#endif
  return attention_backward_graph(&gb, c, p, cpu ? GB_NODE_HOST : GB_NODE_KERNEL, engine->keeping);
}

static void backward_release(const gb_variant *self, gb_case *c, void *vstate) {
  struct state *state = vstate;
  (void)self;
  (void)c;
  free(state->plan);
  free(state);
}

static gb_status backward_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct state *state = calloc(1, sizeof *state);
  if (state == NULL) return gb_failf(&gb, c, GB_ENOMEM, "%s: no host memory", self->name);
  const gb_status status = build_backward(self, c, state);
  if (status == GB_OK)
    *vstate = state;
  else
    backward_release(self, c, state);
  return status;
}

static gb_status backward_cpu_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct engine *engine = self->user;
  const struct state *state = vstate;
  (void)c;
  engine->run(&state->problem);
  return GB_OK;
}

/* Defines a variant. `check` is its callback `supports`, or NULL. */
#define VARIANT(on, id, check, flag, what, ...)                     \
  static const struct engine engine_##on##_##id = {__VA_ARGS__};    \
  static const gb_variant on##_##id = {GB_SIZE(gb_variant),         \
                                       .flags = flag,               \
                                       .name = #id,                 \
                                       .summary = what,             \
                                       .backend = #on,              \
                                       .math = "native",            \
                                       .user = &engine_##on##_##id, \
                                       .supports = check,           \
                                       .prepare = backward_prepare, \
                                       .run = backward_##on##_run,  \
                                       .release = backward_release}
VARIANT(cpu, standard, NULL, GB_VARIANT_BASELINE, "P and dS of all heads in memory, then the three products",
        .workspace = backward_cpu_standard_workspace, .run = backward_cpu_standard, .keeping = IN_MEMORY);
VARIANT(cpu, flash, NULL, 0, "P and dS in blocks of 48 x 64, computed once for dQ and once for dK and dV",
        .workspace = backward_cpu_flash_workspace, .run = backward_cpu_flash, .keeping = TWICE);

#ifdef GPUBENCH_CUDA
static gb_status backward_cuda_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct engine *engine = self->user;
  const struct state *state = vstate;
  const int error = engine->run_cuda(state->plan, gb.cuda->stream(c));
  if (error != 0) return gb_failf(&gb, c, GB_EDEVICE, "%s: launch failed: %s", self->name, attention_cuda_error(error));
  return GB_OK;
}

static gb_status backward_flash_supports(const gb_variant *self, gb_case *c) {
  const int64_t capability = image_capability(gb.device->i64(c, "compute_capability"));
  if (capability < 80)
    return gb_failf(&gb, c, GB_SKIP, "%s needs compute capability 80, the device has %lld", self->name,
                    (long long)capability);
  if (!gb_axis_is(&gb, c, "dtype", "bf16"))
    return gb_failf(&gb, c, GB_SKIP, "%s has no %s", self->name, gb.point->str(c, "dtype"));
  return GB_OK;
}

static gb_status backward_wgmma_supports(const gb_variant *self, gb_case *c) {
  return attention_wgmma_takes(&gb, self, c, backward_wgmma_here);
}

VARIANT(cuda, flash, backward_flash_supports, GB_VARIANT_BASELINE,
        "one pass, five products by mma.sync; dQ added up in memory", .workspace = backward_cuda_workspace,
        .open = backward_flash_open, .run_cuda = backward_flash_run, .keeping = ONCE);
VARIANT(cuda, wgmma, backward_wgmma_supports, 0, "one pass, five products by wgmma; dQ added up in memory",
        .workspace = backward_wgmma_workspace, .open = backward_wgmma_open, .run_cuda = backward_wgmma_run,
        .keeping = ONCE);

static gb_status backward_cudnn_supports(const gb_variant *self, gb_case *c) {
  return attention_cudnn_takes(&gb, self, c);
}

static gb_status backward_cudnn_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const struct backward_problem p = backward_problem_of(c, false);
  const uint64_t queries = (uint64_t)(p.heads * p.s) * sizeof(float);
  struct attention_cudnn_request request = {
      .sdk = &gb,
      .c = c,
      .variant = self->name,
      .shape = {.b = backward_axis(c, "b"),
                .h = backward_axis(c, "h"),
                .h_kv = backward_axis(c, "h_kv"),
                .s_q = p.s,
                .s = p.s,
                .d = p.d,
                .causal = p.causal,
                .backward = 1,
                .bf16 = p.bf16},
      .tensors = {.q = p.q,
                  .k = p.k,
                  .v = p.v,
                  .o = p.o,
                  .d_o = p.d_o,
                  .lse = p.lse,
                  .dq = p.dq,
                  .dk = p.dk,
                  .dv = p.dv,
                  .delta = gb.mem->alloc(c, GB_MEM_DEVICE, queries),
                  .dq_sums = gb.mem->alloc(c, GB_MEM_DEVICE, queries * (uint64_t)p.d)},
  };
  if (request.tensors.delta == NULL || request.tensors.dq_sums == NULL) return GB_ENOMEM;
  const gb_status status = attention_backward_graph(&gb, c, &p, GB_NODE_KERNEL, ONCE);
  return status == GB_OK ? attention_cudnn_open(&request, vstate) : status;
}

static const gb_variant cuda_cudnn = ATTENTION_CUDNN(backward_cudnn_supports, backward_cudnn_prepare);
#endif

/* ---- Tables ---- */

/* A speedup is relative to the first baseline of this list with correct results. A vendor's library comes first. */

static const gb_variant *const variants[] = {
#ifdef GPUBENCH_CUDA
    &cuda_cudnn,   &cuda_wgmma, &cuda_flash,
#endif
    &cpu_standard, &cpu_flash,  NULL,
};

AXIS(axis_b, "b", GB_I64, "batch", NULL, "1", "2");
AXIS(axis_h, "h", GB_I64, "heads", NULL, "12", "32");
AXIS(axis_h_kv, "h_kv", GB_I64, "heads of keys and values; divides h", NULL, "12", "8");
AXIS(axis_s, "s", GB_I64, "sequence length", NULL, "256", "4k");
AXIS(axis_d, "d", GB_I64, "head size: 64 or 128", NULL, "64", "128");
AXIS(axis_dtype, "dtype", GB_STR, "storage type", "fp32,bf16", "fp32", "bf16");
AXIS(axis_causal, "causal", GB_STR, "query i sees keys 0 to i", "yes,no", "yes", "yes");
static const gb_axis *const axes[] = {&axis_b, &axis_h, &axis_h_kv, &axis_s, &axis_d, &axis_dtype, &axis_causal, NULL};

/* Defines a preset of the bench "backward". This bench runs only if it is selected by name (GB_BENCH_BY_NAME), so that
 * a run of all benches does not take longer. */
#define PRESET(id, label, text, values) \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = text, .point = values}
PRESET(gpt2_1k, "gpt2/1k", "GPT-2, 16 sequences", "b=16,h=12,h_kv=12,s=1024,d=64");
PRESET(llama_2k, "llama3-8b/2k", "Llama 3 8B", "b=4,h=32,h_kv=8,s=2048,d=128");
PRESET(llama_4k, "llama3-8b/4k", "Llama 3 8B", "b=2,h=32,h_kv=8,s=4096,d=128");
PRESET(llama_8k, "llama3-8b/8k", "Llama 3 8B", "b=1,h=32,h_kv=8,s=8192,d=128");
PRESET(bert_large, "bert-large/512", "BERT large, all keys visible", "b=32,h=16,h_kv=16,s=512,d=64,causal=no");
PRESET(gpt2_256, "gpt2/256", "GPT-2, one short sequence", "b=1,h=12,h_kv=12,s=256,d=64");
PRESET(odd_500, "odd/500", "a length that no tile divides", "b=1,h=8,h_kv=2,s=500,d=64");
static const gb_preset *const presets[] = {&gpt2_1k,    &llama_2k, &llama_4k, &llama_8k,
                                           &bert_large, &gpt2_256, &odd_500,  NULL};

static const gb_bench backward = {
    GB_SIZE(gb_bench),
    .flags = GB_BENCH_BY_NAME,
    .name = "backward",
    .contract = "gpubench.org/attention/backward/1",
    .summary = "gradients of q, k and v from that of the output",
    .axes = axes,
    .presets = presets,
    .variants = variants,
    .supports = backward_supports,
    .setup = backward_setup,
    .fill = backward_fill,
    .reference = backward_reference,
    .teardown = backward_teardown,
};

gb_status attention_backward_add(const gb_host *host, gb_registry *registry) {
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &backward) : status;
}
