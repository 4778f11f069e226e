/* The bench "decode", attention of a few queries at the end of a long sequence. This file has the callbacks of the
 * bench (tensors, number of operations, expected output) and its variants (implementations). The functions declared in
 * decode_kernels.h do the arithmetic. */
#include "benches.h"

#include <gpubench/sugar.h>
#include <limits.h>
#include <stdlib.h>

#include "decode_kernels.h"
#include "decode_points.h"
#include "engine.h"
#include "kernels.h"
#include "reference.h"
#ifdef GPUBENCH_CUDA
#include "../shared/image.h"
#include "cudnn.h"
#endif

#define MAX_S_Q 16
#define MAX_S ((int64_t)1 << 20)
#define MAX_ROWS ((int64_t)1 << 24) /* the most rows of queries, all heads together */
#define MANY_ROWS 16                /* with at least this many rows per head of keys, `wgmma` is always supported */

static gb_sdk gb;

static int64_t decode_axis(gb_case *c, const char *name) {
  return gb.point->i64(c, name);
}

static struct shape decode_shape_of(gb_case *c) {
  return (struct shape){
      .heads = decode_axis(c, "b") * decode_axis(c, "h"),
      .group = decode_axis(c, "h") / decode_axis(c, "h_kv"),
      .s_q = decode_axis(c, "s_q"),
      .s = decode_axis(c, "s"),
      .d = decode_axis(c, "d"),
      .dtype = gb_dtype_named(gb.point->str(c, "dtype")),
      .causal = true,
  };
}

/* ---- The problem ---- */

static gb_status decode_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  gb_status status = gb_axis_within(&gb, c, "b", 1, MAX_ROWS);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "s_q", 1, MAX_S_Q);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "h", 1, MAX_ROWS / decode_axis(c, "b") / decode_axis(c, "s_q"));
  if (status == GB_OK) status = gb_axis_within(&gb, c, "h_kv", 1, decode_axis(c, "h"));
  if (status == GB_OK) status = gb_axis_within(&gb, c, "s", decode_axis(c, "s_q"), MAX_S);
  if (status != GB_OK) return status;
  const int64_t h = decode_axis(c, "h"), h_kv = decode_axis(c, "h_kv"), d = decode_axis(c, "d");
  if (d != 64 && d != 128) return gb_failf(&gb, c, GB_SKIP, "d must be 64 or 128, not %lld", (long long)d);
  if (h % h_kv == 0) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "h_kv must divide h, not %lld of %lld", (long long)h_kv, (long long)h);
}

/* Declares a tensor. Queries have standard deviation 2, which spreads the scores: a few keys get most of the weight, so
 * that an error with a single key among thousands (left out, or seen too early) changes the output. */
static gb_status declare_decode(gb_case *c, const char *name, uint32_t role, const char *heads, const char *positions) {
  const int64_t extents[4] = {decode_axis(c, "b"), decode_axis(c, heads), decode_axis(c, positions),
                              decode_axis(c, "d")};
  gb_tensor t = {
      GB_SIZE(gb_tensor), .role = role, .dtype = gb_dtype_named(gb.point->str(c, "dtype")),
      .rank = 4,          .name = name, .shape = extents,
  };
  if (role == GB_IN) {
    t.fill = GB_FILL_NORMAL;
    t.fill_b = name[0] == 'q' ? 2.0 : 1.0;
  } else {
    /* The number of summed terms, on which the tolerance depends: an output is a sum over s keys, and the weight of
     * each key comes from a sum over d columns. */
    t.reduction = (uint64_t)(decode_axis(c, "s") + decode_axis(c, "d"));
  }
  return gb.tensor->declare(c, &t);
}

static gb_status declare_decode_work(gb_case *c) {
  const struct shape shape = decode_shape_of(c);
  const uint64_t size = gb_dtype_bytes(shape.dtype), d = (uint64_t)shape.d, s = (uint64_t)shape.s;
  const uint64_t queries = (uint64_t)(shape.heads * shape.s_q), keys = (uint64_t)(shape.heads / shape.group) * s;
  const gb_work work = {
      GB_SIZE(gb_work),
      .flops = 4 * queries * s * d,
      .bytes_read = (2 * keys + queries) * d * size,
      .bytes_written = queries * d * size,
      .items = (uint64_t)(decode_axis(c, "b") * shape.s_q),
      .item_unit = "tokens",
  };
  return gb.point->work(c, &work);
}

static gb_status decode_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  gb_status status = declare_decode(c, "q", GB_IN, "h", "s_q");
  if (status == GB_OK) status = declare_decode(c, "k", GB_IN, "h_kv", "s");
  if (status == GB_OK) status = declare_decode(c, "v", GB_IN, "h_kv", "s");
  if (status == GB_OK) status = declare_decode(c, "o", GB_OUT, "h", "s_q");
  return status == GB_OK ? declare_decode_work(c) : status;
}

static void decode_teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  (void)state;
  attention_cpu_stop_threads();
}

static gb_status decode_reference(const gb_bench *self, gb_case *c, void *state) {
  const struct shape shape = decode_shape_of(c);
  (void)self;
  (void)state;
  return attention_reference(&gb, c, &shape);
}

/* ---- Variants: the member `user` of gb_variant points to the variant's struct engine ---- */

struct engine {
  /* Returns how many keys a share has. A share is a part of the keys of a head that is processed separately. NULL: the
   * keys are not cut into shares, and no workspace is needed. */
  int32_t (*share_keys)(const struct decode_problem *p);
  uint64_t (*workspace)(const struct decode_problem *p);
  int (*prepare)(struct decode_problem *p, struct CUstream_st *stream);
  int (*run_cuda)(const struct decode_problem *p, struct CUstream_st *stream);
  void (*run_cpu)(const struct decode_problem *p);
};

/* Describes a variant as a graph of steps and tensors for the report. `parts` is the number of bytes of partial
 * results, one for each share of the keys, that the variant writes to memory and merges afterwards; 0 if it has
 * none. */
static gb_status state_decode_graph(gb_case *c, const struct decode_problem *p, uint32_t kind, const char *how,
                                    uint64_t parts) {
  const uint64_t size = p->bf16 ? 2 : 4, queries = (uint64_t)p->units * (uint64_t)p->rows * (uint64_t)p->d * size;
  const uint64_t keys = (uint64_t)p->units * (uint64_t)p->s * (uint64_t)p->d * size;
  gb_status status = gb_node(&gb, c, GB_NODE_TENSOR, "q", "Q", NULL, 0, queries);
  if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_TENSOR, "k", "K", NULL, 0, keys);
  if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_TENSOR, "v", "V", NULL, 0, keys);
  if (status == GB_OK)
    status =
        gb_node(&gb, c, kind, "decode", "O = softmax(Q K^T / sqrt(d)) V", how, 2 * queries / size * (uint64_t)p->s, 0);
  if (status == GB_OK) status = gb_edge(&gb, c, "q", "decode", NULL, queries);
  if (status == GB_OK) status = gb_edge(&gb, c, "k", "decode", NULL, keys);
  if (status == GB_OK) status = gb_edge(&gb, c, "v", "decode", NULL, keys);
  if (parts > 0) {
    if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_TENSOR, "parts", "parts", "of each share, fp32", 0, parts);
    if (status == GB_OK) status = gb_node(&gb, c, kind, "combine", "combine", NULL, 0, 0);
    if (status == GB_OK) status = gb_edge(&gb, c, "decode", "parts", NULL, parts);
    if (status == GB_OK) status = gb_edge(&gb, c, "parts", "combine", NULL, parts);
  }
  if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_TENSOR, "o", "O", NULL, 0, queries);
  return status == GB_OK ? gb_edge(&gb, c, parts > 0 ? "combine" : "decode", "o", NULL, queries) : status;
}

static struct decode_problem decode_problem_of(gb_case *c, bool cpu) {
  const struct shape shape = decode_shape_of(c);
  return (struct decode_problem){
      .q = gb.tensor->data(c, "q"),
      .k = gb.tensor->data(c, "k"),
      .v = gb.tensor->data(c, "v"),
      .o = gb.tensor->data(c, "o"),
      .units = shape.heads / shape.group,
      .rows = (int32_t)(shape.group * shape.s_q),
      .s_q = (int32_t)shape.s_q,
      .s = (int32_t)shape.s,
      .d = (int32_t)shape.d,
      .bf16 = shape.dtype == GB_DTYPE_BF16,
      .workers = cpu ? gb_threads(&gb, c, 1024) : (int32_t)gb.device->i64(c, "sm_count"),
  };
}

static gb_status build_problem(const gb_variant *self, gb_case *c, struct decode_problem *p) {
  const struct engine *engine = self->user;
  const bool cpu = engine->run_cpu != NULL;
  *p = decode_problem_of(c, cpu);
  if (engine->share_keys != NULL) p->share_keys = engine->share_keys(p);
  const uint64_t bytes = engine->share_keys != NULL ? engine->workspace(p) : 0;
  if (bytes > 0) p->workspace = gb.mem->alloc(c, cpu ? GB_MEM_HOST : GB_MEM_DEVICE, bytes);
  if (bytes > 0 && p->workspace == NULL) return GB_ENOMEM;
#ifdef GPUBENCH_CUDA
  const int error = engine->prepare != NULL ? engine->prepare(p, gb.cuda->stream(c)) : 0;
  if (error != 0)
    return gb_failf(&gb, c, GB_EDEVICE, "%s: cannot prepare: %s", self->name, attention_cuda_error(error));
#endif
  if (engine->share_keys != NULL) {
    const gb_status status = gb_notef(&gb, c, "shares", "%d keys each", (int)p->share_keys);
    if (status != GB_OK) return status;
  }
  return state_decode_graph(c, p, cpu ? GB_NODE_HOST : GB_NODE_KERNEL, bytes > 0 ? "of shares of the keys" : NULL,
                            bytes);
}

static void decode_release(const gb_variant *self, gb_case *c, void *vstate) {
  struct decode_problem *p = vstate;
  (void)self;
  (void)c;
  free(p->plan);
  free(p);
}

static gb_status decode_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct decode_problem *p = calloc(1, sizeof *p);
  if (p == NULL) return gb_failf(&gb, c, GB_ENOMEM, "%s: no host memory", self->name);
  const gb_status status = build_problem(self, c, p);
  if (status == GB_OK)
    *vstate = p;
  else
    decode_release(self, c, p);
  return status;
}

static gb_status decode_cpu_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct engine *engine = self->user;
  (void)c;
  engine->run_cpu(vstate);
  return GB_OK;
}

static const struct engine engine_standard = {.share_keys = decode_cpu_standard_share_keys,
                                              .workspace = decode_cpu_standard_workspace,
                                              .run_cpu = decode_cpu_standard};
static const gb_variant cpu_standard = {
    GB_SIZE(gb_variant),
    .flags = GB_VARIANT_BASELINE,
    .name = "standard",
    .summary = "shares of the cache side by side, each read once for all heads and queries that share it",
    .backend = "cpu",
    .math = "native",
    .user = &engine_standard,
    .prepare = decode_prepare,
    .run = decode_cpu_run,
    .release = decode_release,
};

#ifdef GPUBENCH_CUDA
static gb_status decode_cuda_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct engine *engine = self->user;
  const int error = engine->run_cuda(vstate, gb.cuda->stream(c));
  if (error != 0) return gb_failf(&gb, c, GB_EDEVICE, "%s: launch failed: %s", self->name, attention_cuda_error(error));
  return GB_OK;
}

static gb_status split_supports(const gb_variant *self, gb_case *c) {
  const int64_t capability = image_capability(gb.device->i64(c, "compute_capability"));
  if (capability < 80)
    return gb_failf(&gb, c, GB_SKIP, "%s needs compute capability 80, the device has %lld", self->name,
                    (long long)capability);
  if (!gb_axis_is(&gb, c, "dtype", "bf16"))
    return gb_failf(&gb, c, GB_SKIP, "%s is for bf16, which tensor cores multiply", self->name);
  const struct shape shape = decode_shape_of(c);
  const struct decode_problem p = {.rows = (int32_t)(shape.group * shape.s_q), .d = (int32_t)shape.d};
  const int64_t needs = decode_cuda_split_shared_memory(&p), has = gb.device->i64(c, "shared_memory_per_block_bytes");
  if (has < needs)
    return gb_failf(&gb, c, GB_SKIP, "%s needs %lld bytes of shared memory in a block, the device has %lld", self->name,
                    (long long)needs, (long long)has);
  return GB_OK;
}

static const struct engine engine_naive = {.run_cuda = decode_cuda_naive_run};
static const gb_variant cuda_naive = {
    GB_SIZE(gb_variant),    .flags = GB_VARIANT_BASELINE,
    .name = "naive",        .summary = "a block per query and head, which reads all of the cache of that head",
    .backend = "cuda",      .math = "native",
    .user = &engine_naive,  .prepare = decode_prepare,
    .run = decode_cuda_run, .release = decode_release,
};

static const struct engine engine_split = {.share_keys = decode_cuda_split_share_keys,
                                           .workspace = decode_cuda_split_workspace,
                                           .prepare = decode_cuda_split_prepare,
                                           .run_cuda = decode_cuda_split_run};
static const gb_variant cuda_split = {
    GB_SIZE(gb_variant),
    .name = "split",
    .summary = "shares of the cache side by side, each read once for all that share it; bf16 on tensor cores",
    .backend = "cuda",
    .math = "native",
    .user = &engine_split,
    .supports = split_supports,
    .prepare = decode_prepare,
    .run = decode_cuda_run,
    .release = decode_release,
};

/* Skips a case with fewer than MANY_ROWS rows of queries per unit (a head of keys) unless there are more units than
 * SMs: with few rows, `wgmma` is faster than `split` only if a CTA processes several units, one after the other. */
static gb_status decode_wgmma_supports(const gb_variant *self, gb_case *c) {
  const gb_status status = attention_wgmma_takes(&gb, self, c, decode_wgmma_here);
  const struct shape shape = decode_shape_of(c);
  const int64_t rows = shape.group * shape.s_q, multiprocessors = gb.device->i64(c, "sm_count");
  if (status != GB_OK) return status;
  if (rows >= MANY_ROWS || shape.heads / shape.group > multiprocessors) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP,
                  "%s is for %d and more queries that share keys, or more heads of keys than the %lld multiprocessors",
                  self->name, MANY_ROWS, (long long)multiprocessors);
}

static const struct engine engine_wgmma = {.share_keys = decode_wgmma_share_keys,
                                           .workspace = decode_wgmma_workspace,
                                           .prepare = decode_wgmma_prepare,
                                           .run_cuda = decode_wgmma_run};
static const gb_variant cuda_wgmma = {
    GB_SIZE(gb_variant),
    .name = "wgmma",
    .summary = "as split, for many rows that share a cache or many caches: wgmma, fed by the copy engine",
    .backend = "cuda",
    .math = "native",
    .user = &engine_wgmma,
    .supports = decode_wgmma_supports,
    .prepare = decode_prepare,
    .run = decode_cuda_run,
    .release = decode_release,
};

/* Skips cases with more than one query. The causal mask that cuDNN's attention supports aligns query 0 with key 0,
 * whereas the queries of "decode" are at the last positions of the keys. */
static gb_status decode_cudnn_supports(const gb_variant *self, gb_case *c) {
  const gb_status status = attention_cudnn_takes(&gb, self, c);
  if (status != GB_OK || decode_axis(c, "s_q") == 1) return status;
  return gb_failf(&gb, c, GB_SKIP, "%s is given one query here", self->name);
}

static gb_status decode_cudnn_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const struct decode_problem p = decode_problem_of(c, false);
  const struct attention_cudnn_request request = {
      .sdk = &gb,
      .c = c,
      .variant = self->name,
      .shape = {.b = decode_axis(c, "b"),
                .h = decode_axis(c, "h"),
                .h_kv = decode_axis(c, "h_kv"),
                .s_q = p.s_q,
                .s = p.s,
                .d = p.d,
                .bf16 = p.bf16},
      .tensors = {p.q, p.k, p.v, p.o},
  };
  const gb_status status = state_decode_graph(c, &p, GB_NODE_KERNEL, "by cuDNN", 0);
  return status == GB_OK ? attention_cudnn_open(&request, vstate) : status;
}

static const gb_variant cuda_cudnn = ATTENTION_CUDNN(decode_cudnn_supports, decode_cudnn_prepare);
#endif

/* ---- The bench ---- */

/* A speedup is relative to the first baseline of this list with correct results. A vendor's library comes first. */

static const gb_variant *const variants[] = {
#ifdef GPUBENCH_CUDA
    &cuda_cudnn,   &cuda_wgmma, &cuda_split, &cuda_naive,
#endif
    &cpu_standard, NULL,
};

static const gb_bench decode = {
    GB_SIZE(gb_bench),
    .name = "decode",
    .contract = "gpubench.org/attention/decode/1",
    .summary = "the last queries of a sequence against the cache of its keys and values",
    .axes = attention_decode_axes,
    .presets = attention_decode_presets,
    .variants = variants,
    .supports = decode_supports,
    .setup = decode_setup,
    .reference = decode_reference,
    .teardown = decode_teardown,
};

gb_status attention_decode_add(const gb_host *host, gb_registry *registry) {
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &decode) : status;
}
