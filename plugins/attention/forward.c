/* The bench "forward", which computes attention. This file has the callbacks of the bench (tensors, number of
 * operations, expected output), its variants (implementations) and the tables that describe the bench to gpubench. The
 * bench "window" has its own tables, and uses everything else of this file. The functions declared in kernels.h do the
 * arithmetic. */
#include "forward.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "benches.h"
#include "engine.h"
#include "forward_points.h"
#include "graph.h"
#include "openblas.h"
#include "reference.h"
#ifdef GPUBENCH_CUDA
#include "cudnn.h"
#endif

#define MAX_S 4194304 /* longest sequence: keeps the number of operations within 64 bits */

#define CONTRACT "gpubench.org/attention/forward/1"

/* What the minors of the contract added: heads that share keys and values, then fp16 and heads of 256, then e4m3. */
enum { MINOR_SHARED = 1, MINOR_WIDE = 2, MINOR_E4M3 = 3 };

static gb_sdk gb;

static bool is_windowed(gb_case *c) {
  return strcmp(gb.point->contract(c), ATTENTION_WINDOW) == 0;
}

static struct shape forward_shape_of(gb_case *c) {
  const bool windowed = is_windowed(c);
  return (struct shape){
      .heads = (int64_t)((uint64_t)gb.point->i64(c, "b") * (uint64_t)gb.point->i64(c, "h")),
      .group = gb.point->i64(c, "h") / gb.point->i64(c, "h_kv"),
      .s_q = gb.point->i64(c, "s"),
      .s = gb.point->i64(c, "s"),
      .d = gb.point->i64(c, "d"),
      .dtype = gb_dtype_named(gb.point->str(c, "dtype")),
      .causal = windowed || strcmp(gb.point->str(c, "causal"), "yes") == 0,
      .window = windowed ? gb.point->i64(c, "window") : 0,
  };
}

/* Returns how many pairs of a query and a key are counted as work. If causal, this is half of all pairs, which is the
 * usual convention, though the diagonal makes it slightly more. With a window it is the exact number. */
static uint64_t pairs_seen(const struct shape *shape) {
  const uint64_t s = (uint64_t)shape->s, w = (uint64_t)(shape->window < shape->s ? shape->window : shape->s);
  if (shape->window > 0) return (uint64_t)shape->heads * (w * s - w * (w - 1) / 2);
  return (uint64_t)shape->heads * s * s / (shape->causal ? 2 : 1);
}

static int32_t stored_of(uint32_t dtype) {
  switch (dtype) {
    case GB_DTYPE_F32:
      return STORED_FP32;
    case GB_DTYPE_BF16:
      return STORED_BF16;
    case GB_DTYPE_E4M3:
      return STORED_E4M3;
    default:
      return STORED_FP16;
  }
}

static uint32_t result_dtype(uint32_t dtype) {
  return dtype == GB_DTYPE_E4M3 ? GB_DTYPE_BF16 : dtype;
}

static void state_forward_problem(gb_case *c, struct attention_problem *p) {
  const struct shape shape = forward_shape_of(c);
  p->q = gb.tensor->data(c, "q");
  p->k = gb.tensor->data(c, "k");
  p->v = gb.tensor->data(c, "v");
  p->o = gb.tensor->data(c, "o");
  p->heads = shape.heads;
  p->pairs = pairs_seen(&shape);
  p->group = (int32_t)shape.group;
  p->s = (int32_t)shape.s;
  p->d = (int32_t)shape.d;
  p->causal = shape.causal;
  p->window = (int32_t)(shape.window < shape.s ? shape.window : 0);
  p->stored = stored_of(shape.dtype);
}

/* ---- The problem ---- */

gb_status attention_forward_supports(const gb_bench *self, gb_case *c) {
  int64_t b = gb.point->i64(c, "b"), h = gb.point->i64(c, "h"), s = gb.point->i64(c, "s"), d = gb.point->i64(c, "d");
  const int64_t h_kv = gb.point->i64(c, "h_kv");
  const bool wide = !is_windowed(c);
  (void)self;
  if (d != 64 && d != 128 && !(wide && d == 256))
    return gb_failf(&gb, c, GB_SKIP, "d must be 64%s, not %lld", wide ? ", 128 or 256" : " or 128", (long long)d);
  if (b < 1) return gb_failf(&gb, c, GB_SKIP, "b must be at least 1, not %lld", (long long)b);
  if (h < 1) return gb_failf(&gb, c, GB_SKIP, "h must be at least 1, not %lld", (long long)h);
  if (s < 1 || s > MAX_S) return gb_failf(&gb, c, GB_SKIP, "s must be 1 to %d, not %lld", MAX_S, (long long)s);
  if (b > INT_MAX / s || h > INT_MAX / s / b)
    return gb_failf(&gb, c, GB_SKIP, "b * h * s must be at most %d, not %lld * %lld * %lld", INT_MAX, (long long)b,
                    (long long)h, (long long)s);
  if (h_kv < 1 || h % h_kv != 0)
    return gb_failf(&gb, c, GB_SKIP, "h_kv must divide h, not %lld of %lld", (long long)h_kv, (long long)h);
  return is_windowed(c) ? gb_axis_within(&gb, c, "window", 1, INT_MAX) : GB_OK;
}

static uint32_t forward_minor_of(const gb_bench *self, gb_case *c) {
  (void)self;
  if (gb_axis_is(&gb, c, "dtype", "e4m3")) return MINOR_E4M3;
  if (gb_axis_is(&gb, c, "dtype", "fp16") || gb.point->i64(c, "d") == 256) return MINOR_WIDE;
  return gb.point->i64(c, "h_kv") != gb.point->i64(c, "h") ? MINOR_SHARED : 0;
}

static gb_status declare_forward(gb_case *c, const char *name, uint32_t role, int64_t heads,
                                 const struct shape *shape) {
  int64_t extents[4] = {gb.point->i64(c, "b"), heads, shape->s, shape->d};
  gb_tensor t = {
      GB_SIZE(gb_tensor), .role = role, .dtype = shape->dtype, .rank = 4, .name = name, .shape = extents,
  };
  if (role == GB_OUT) t.dtype = result_dtype(shape->dtype);
  if (role == GB_IN) {
    t.fill = GB_FILL_NORMAL;
    t.fill_b = 1.0;
  } else {
    const int64_t keys = shape->window > 0 && shape->window < shape->s ? shape->window : shape->s;
    /* The number of summed terms, on which the tolerance depends: an output is a sum over keys, and the weight of each
     * key comes from a sum over d columns. */
    t.reduction = (uint64_t)(keys + shape->d);
  }
  return gb.tensor->declare(c, &t);
}

static gb_status declare_forward_work(gb_case *c, const struct shape *shape) {
  uint64_t rows = (uint64_t)(shape->heads * shape->s), d = (uint64_t)shape->d;
  const uint64_t bytes = rows * d * gb_dtype_bytes(shape->dtype), keys = bytes / (uint64_t)shape->group;
  gb_work work = {
      GB_SIZE(gb_work),
      .flops = 4 * pairs_seen(shape) * d,
      .bytes_read = bytes + 2 * keys,
      .bytes_written = rows * d * gb_dtype_bytes(result_dtype(shape->dtype)),
      .items = rows,
      .item_unit = "queries",
  };
  return gb.point->work(c, &work);
}

gb_status attention_forward_setup(const gb_bench *self, gb_case *c, void **state) {
  struct shape shape = forward_shape_of(c);
  const int64_t h = gb.point->i64(c, "h"), h_kv = gb.point->i64(c, "h_kv");
  gb_status status = declare_forward(c, "q", GB_IN, h, &shape);
  (void)self;
  (void)state;
  if (status == GB_OK) status = declare_forward(c, "k", GB_IN, h_kv, &shape);
  if (status == GB_OK) status = declare_forward(c, "v", GB_IN, h_kv, &shape);
  if (status == GB_OK) status = declare_forward(c, "o", GB_OUT, h, &shape);
  return status == GB_OK ? declare_forward_work(c, &shape) : status;
}

void attention_forward_teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  (void)state;
  attention_cpu_stop_threads();
}

gb_status attention_forward_reference(const gb_bench *self, gb_case *c, void *state) {
  struct shape shape = forward_shape_of(c);
  (void)self;
  (void)state;
  return attention_reference(&gb, c, &shape);
}

/* ---- Variants ---- */

/* Defines a variant. `check` is its callback `supports`, or NULL. */
#define VARIANT(on, id, check, flag, what, ...) \
  ATTENTION_VARIANT(on, on##_##id, #id, check, flag, what, .sdk = &gb, .state = state_forward_problem, __VA_ARGS__)

VARIANT(cpu, standard, NULL, GB_VARIANT_BASELINE,
        "scores, softmax and output one after the other; all scores in memory",
        .workspace = attention_cpu_standard_workspace, .run_cpu = attention_cpu_standard,
        .graph = attention_graph_cpu_standard);
VARIANT(cpu, flash, NULL, 0, "one pass over the keys with an online softmax, queries side by side in vectors",
        .workspace = attention_cpu_flash_workspace, .run_cpu = attention_cpu_flash, .graph = attention_graph_cpu_flash);

static gb_status openblas_supports(const gb_variant *self, gb_case *c) {
  if (!gb_axis_is(&gb, c, "dtype", "fp32")) return gb_failf(&gb, c, GB_SKIP, "%s has fp32 alone", self->name);
  return GB_OK;
}

static gb_status openblas_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct attention_problem p = {.threads = gb_threads(&gb, c, 1024)};
  (void)self;
  state_forward_problem(c, &p);
  return attention_openblas_open(&gb, c, &p, vstate);
}

static const gb_variant cpu_openblas = {
    GB_SIZE(gb_variant),
    .name = "openblas",
    .summary =
        "two products by cblas_sgemm for some rows at a time, and a softmax of our own; opened where it is found",
    .backend = "cpu",
    .math = "native",
    .flags = GB_VARIANT_BY_NAME,
    .supports = openblas_supports,
    .prepare = openblas_prepare,
    .run = attention_openblas_run,
    .release = attention_openblas_release,
};

#ifdef GPUBENCH_CUDA
static gb_status no_e4m3(const gb_variant *self, gb_case *c) {
  if (!gb_axis_is(&gb, c, "dtype", "e4m3")) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "%s has no e4m3", self->name);
}

/* The most bytes of scores for which `standard` is run on CUDA. With more, a single call would take over 20 ms on an
 * H200, and `standard` would take most of the time of a case. */
#define STANDARD_MOST ((uint64_t)16 << 30)

static gb_status standard_supports(const gb_variant *self, gb_case *c) {
  if (no_e4m3(self, c) != GB_OK) return GB_SKIP;
  struct shape shape = forward_shape_of(c);
  int64_t tiles = (shape.s + 127) / 128;
  if (shape.heads > INT_MAX / tiles / tiles)
    return gb_failf(&gb, c, GB_SKIP, "%lld heads of %lld x %lld score tiles are more than one grid holds",
                    (long long)shape.heads, (long long)tiles, (long long)tiles);
  const struct attention_problem p = {.heads = shape.heads, .s = (int32_t)shape.s, .stored = stored_of(shape.dtype)};
  const uint64_t bytes = attention_cuda_standard_workspace(&p);
  if (bytes > STANDARD_MOST)
    return gb_failf(&gb, c, GB_SKIP, "%s is for scores of up to 16 GiB, not %.1f: one run of more takes too long",
                    self->name, (double)bytes / (1 << 30));
  return attention_engine_takes(self, c);
}

static gb_status window_flash_supports(const gb_variant *self, gb_case *c) {
  if (!gb_axis_is(&gb, c, "dtype", "bf16"))
    return gb_failf(&gb, c, GB_SKIP, "%s has no %s", self->name, gb.point->str(c, "dtype"));
  return attention_engine_takes(self, c);
}

static gb_status forward_flash_supports(const gb_variant *self, gb_case *c) {
  if (no_e4m3(self, c) != GB_OK) return GB_SKIP;
  if (gb_axis_is(&gb, c, "dtype", "fp32") && gb.point->i64(c, "d") == 256)
    return gb_failf(&gb, c, GB_SKIP, "%s in fp32 has no heads of 256: its tiles are more than shared memory holds",
                    self->name);
  return attention_engine_takes(self, c);
}

VARIANT(cuda, standard, standard_supports, GB_VARIANT_BASELINE,
        "three kernels with the s x s scores in memory (fp32); bf16 and fp16 on tensor cores",
        .workspace = attention_cuda_standard_workspace, .prepare = attention_cuda_standard_prepare,
        .run_cuda = attention_cuda_standard_run, .graph = attention_graph_cuda_standard);
VARIANT(cuda, flash, forward_flash_supports, 0,
        "one kernel with an online softmax, nothing materialised; bf16 and fp16 on tensor cores",
        .prepare = attention_cuda_flash_prepare, .run_cuda = attention_cuda_flash_run,
        .graph = attention_graph_cuda_flash);
ATTENTION_VARIANT(cuda, cuda_window_flash, "flash", window_flash_supports, GB_VARIANT_BASELINE,
                  "one kernel with an online softmax over the blocks of keys that are seen; bf16 on tensor cores",
                  .sdk = &gb, .state = state_forward_problem, .prepare = attention_cuda_flash_prepare,
                  .run_cuda = attention_cuda_flash_run, .graph = attention_graph_cuda_flash);

/* ---- The variant `wgmma`, which keeps a plan (tensor maps and arguments) from `prepare` to `release` ---- */

static gb_status forward_wgmma_supports(const gb_variant *self, gb_case *c) {
  return attention_wgmma_takes(&gb, self, c, attention_wgmma_here);
}

static gb_status wgmma_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct attention_problem p = {.threads = 0};
  state_forward_problem(c, &p);
  p.workspace = gb.mem->alloc(c, GB_MEM_DEVICE, attention_wgmma_workspace(&p));
  if (p.workspace == NULL) return GB_ENOMEM;
  const gb_status status = attention_graph_cuda_wgmma(&gb, c, &p);
  const int error = status == GB_OK ? attention_wgmma_open(&p, gb.cuda->stream(c), vstate) : 0;
  if (error != 0)
    return gb_failf(&gb, c, GB_EDEVICE, "%s: cannot prepare: %s", self->name, attention_cuda_error(error));
  return status;
}

static gb_status forward_wgmma_run(const gb_variant *self, gb_case *c, void *vstate) {
  const int error = attention_wgmma_run(vstate, gb.cuda->stream(c));
  if (error != 0) return gb_failf(&gb, c, GB_EDEVICE, "%s: launch failed: %s", self->name, attention_cuda_error(error));
  return GB_OK;
}

static void wgmma_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  free(vstate);
}

static const gb_variant cuda_wgmma = {
    GB_SIZE(gb_variant),
    .name = "wgmma",
    .summary = "one kernel with an online softmax by wgmma; a warp fetches, warpgroups take turns; bf16, fp16, e4m3",
    .backend = "cuda",
    .math = "native",
    .supports = forward_wgmma_supports,
    .prepare = wgmma_prepare,
    .run = forward_wgmma_run,
    .release = wgmma_release,
};

static gb_status forward_cudnn_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const struct shape shape = forward_shape_of(c);
  const struct attention_cudnn_request request = {
      .sdk = &gb,
      .c = c,
      .variant = self->name,
      .shape = {.b = gb.point->i64(c, "b"),
                .h = gb.point->i64(c, "h"),
                .h_kv = gb.point->i64(c, "h_kv"),
                .s_q = shape.s,
                .s = shape.s,
                .d = shape.d,
                .window = shape.window < shape.s ? shape.window : 0,
                .causal = shape.causal,
                .bf16 = shape.dtype == GB_DTYPE_BF16},
      .tensors = {gb.tensor->data(c, "q"), gb.tensor->data(c, "k"), gb.tensor->data(c, "v"), gb.tensor->data(c, "o")},
  };
  struct attention_problem p = {.threads = 0};
  state_forward_problem(c, &p);
  const gb_status status = attention_graph_cudnn(&gb, c, &p);
  return status == GB_OK ? attention_cudnn_open(&request, vstate) : status;
}

static gb_status forward_cudnn_supports(const gb_variant *self, gb_case *c) {
  if (gb_axis_is(&gb, c, "dtype", "e4m3"))
    return gb_failf(&gb, c, GB_SKIP,
                    "%s is not asked for e4m3: before compute capability 10.0 its results are e4m3, too", self->name);
  return attention_cudnn_takes(&gb, self, c);
}

static const gb_variant cuda_cudnn = ATTENTION_CUDNN(forward_cudnn_supports, forward_cudnn_prepare);
#endif

static const gb_variant *const variants[] = {
    &cpu_standard, &cpu_flash,     &cpu_openblas,
#ifdef GPUBENCH_CUDA
    &cuda_cudnn,   &cuda_standard, &cuda_wgmma,   &cuda_flash,
#endif
    NULL,
};

/* The variants of "window". `standard` on CUDA is not among them, because it would compute scores outside the window,
 * too. */
const gb_variant *const attention_window_variants[] = {
    &cpu_standard, &cpu_flash,
#ifdef GPUBENCH_CUDA
    &cuda_cudnn,   &cuda_window_flash,
#endif
    NULL,
};

static const gb_bench forward = {
    GB_SIZE(gb_bench),
    ATTENTION_FORWARD,
    .name = "forward",
    .contract = CONTRACT,
    .contract_minor = MINOR_E4M3,
    .minor_of = forward_minor_of,
    .summary = "softmax(q k^T / sqrt(d)) v, heads may share keys and values",
    .axes = attention_forward_axes,
    .presets = attention_forward_presets,
    .variants = variants,
};

gb_status attention_forward_add(const gb_host *host, gb_registry *registry) {
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &forward) : status;
}
