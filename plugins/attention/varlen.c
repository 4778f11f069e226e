/* The bench "varlen", attention over sequences of different lengths, packed one after the other without padding. This
 * file has the callbacks of the bench (tensors, number of operations, expected output), and the tables of its axes
 * (parameters), presets (named sets of axis values) and variants (implementations). */
#include <gpubench/sugar.h>
#include <limits.h>
#include <stdlib.h>

#include "axis.h"
#include "benches.h"
#include "engine.h"
#include "graph.h"
#include "lengths.h"
#include "varlen_reference.h"

#define MAX_TOTAL 4194304
#define MAX_SEQUENCES 65536

static gb_sdk gb;

static int64_t varlen_axis(gb_case *c, const char *name) {
  return gb.point->i64(c, name);
}

/* Returns, for one head of a sequence, the number of pairs of a query and a key that this query sees. The number is
 * exact, unlike in "forward", because for short sequences half of all pairs would be far off. */
static uint64_t pairs_in_sequence(int64_t length, int64_t window, int causal) {
  const uint64_t s = (uint64_t)length, w = window > 0 && window < length ? (uint64_t)window : s;
  return causal ? w * s - w * (w - 1) / 2 : s * s;
}

static struct varlen_shape varlen_shape_of(gb_case *c) {
  struct varlen_shape shape = {
      .total = varlen_axis(c, "total"),
      .sequences = varlen_axis(c, "sequences"),
      .h = varlen_axis(c, "h"),
      .h_kv = varlen_axis(c, "h_kv"),
      .d = varlen_axis(c, "d"),
      .window = varlen_axis(c, "window"),
      .causal = gb_axis_is(&gb, c, "causal", "yes"),
      .bf16 = gb_axis_is(&gb, c, "dtype", "bf16"),
  };
  struct lengths lengths = lengths_begin(gb.point->str(c, "lengths"), shape.total, shape.sequences);
  for (int64_t i = 0, first = 0; i < shape.sequences; ++i) {
    const int64_t end = lengths_next(&lengths), length = end - first;
    if (length > shape.longest) shape.longest = length;
    shape.pairs += pairs_in_sequence(length, shape.window, shape.causal);
    first = end;
  }
  return shape;
}

/* ---- The problem ---- */

static gb_status varlen_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  gb_status status = gb_axis_within(&gb, c, "total", 1, MAX_TOTAL);
  if (status == GB_OK)
    status = gb_axis_within(&gb, c, "sequences", 1,
                            varlen_axis(c, "total") < MAX_SEQUENCES ? varlen_axis(c, "total") : MAX_SEQUENCES);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "h", 1, INT_MAX / varlen_axis(c, "total"));
  if (status == GB_OK) status = gb_axis_within(&gb, c, "h_kv", 1, varlen_axis(c, "h"));
  if (status == GB_OK) status = gb_axis_within(&gb, c, "window", 0, INT_MAX);
  if (status != GB_OK) return status;
  const int64_t h = varlen_axis(c, "h"), h_kv = varlen_axis(c, "h_kv"), d = varlen_axis(c, "d");
  if (d != 64 && d != 128) return gb_failf(&gb, c, GB_SKIP, "d must be 64 or 128, not %lld", (long long)d);
  if (h % h_kv != 0)
    return gb_failf(&gb, c, GB_SKIP, "h_kv must divide h, not %lld of %lld", (long long)h_kv, (long long)h);
  if (varlen_axis(c, "window") > 0 && !gb_axis_is(&gb, c, "causal", "yes"))
    return gb_failf(&gb, c, GB_SKIP, "a window is one of causal attention");
  return GB_OK;
}

static gb_status declare_varlen(gb_case *c, const char *name, uint32_t role, const char *heads, int64_t terms) {
  const int64_t extents[3] = {varlen_axis(c, "total"), varlen_axis(c, heads), varlen_axis(c, "d")};
  const gb_tensor t = {
      GB_SIZE(gb_tensor),
      .role = role,
      .dtype = gb_dtype_named(gb.point->str(c, "dtype")),
      .rank = 3,
      .name = name,
      .shape = extents,
      .fill = role == GB_IN ? GB_FILL_NORMAL : 0,
      .fill_b = role == GB_IN ? 1.0 : 0.0,
      .reduction = (uint64_t)terms,
  };
  return gb.tensor->declare(c, &t);
}

static gb_status declare_offsets(gb_case *c) {
  const int64_t count = varlen_axis(c, "sequences") + 1;
  const gb_tensor t = {
      GB_SIZE(gb_tensor), .role = GB_IN,   .dtype = GB_DTYPE_I32, .rank = 1,
      .name = "offsets",  .shape = &count, .fill = GB_FILL_BENCH,
  };
  return gb.tensor->declare(c, &t);
}

static gb_status declare_varlen_work(gb_case *c, const struct varlen_shape *shape) {
  const uint64_t total = (uint64_t)shape->total, h = (uint64_t)shape->h, d = (uint64_t)shape->d;
  const uint64_t size = shape->bf16 ? 2 : 4;
  const gb_work work = {
      GB_SIZE(gb_work),
      .flops = 4 * shape->pairs * h * d,
      .bytes_read =
          total * (h + 2 * (uint64_t)shape->h_kv) * d * size + ((uint64_t)shape->sequences + 1) * sizeof(int32_t),
      .bytes_written = total * h * d * size,
      .items = total,
      .item_unit = "tokens",
  };
  return gb.point->work(c, &work);
}

static gb_status varlen_setup(const gb_bench *self, gb_case *c, void **state) {
  const struct varlen_shape shape = varlen_shape_of(c);
  const int64_t keys = shape.window > 0 && shape.window < shape.longest ? shape.window : shape.longest;
  (void)self;
  (void)state;
  gb_status status = declare_varlen(c, "q", GB_IN, "h", 0);
  if (status == GB_OK) status = declare_varlen(c, "k", GB_IN, "h_kv", 0);
  if (status == GB_OK) status = declare_varlen(c, "v", GB_IN, "h_kv", 0);
  if (status == GB_OK) status = declare_offsets(c);
  if (status == GB_OK) status = declare_varlen(c, "o", GB_OUT, "h", keys + shape.d);
  return status == GB_OK ? declare_varlen_work(c, &shape) : status;
}

/* Fills the offsets of the sequences. They depend on the axes only and are the same for every seed. */
static gb_status varlen_fill(const gb_bench *self, gb_case *c, void *state) {
  enum { AT_ONCE = 1024 };
  const int64_t sequences = varlen_axis(c, "sequences");
  struct lengths lengths = lengths_begin(gb.point->str(c, "lengths"), varlen_axis(c, "total"), sequences);
  double values[AT_ONCE];
  gb_status status = GB_OK;
  (void)self;
  (void)state;
  for (int64_t first = 1; first <= sequences && status == GB_OK; first += AT_ONCE) {
    const int64_t some = sequences + 1 - first < AT_ONCE ? sequences + 1 - first : AT_ONCE;
    for (int64_t i = 0; i < some; ++i)
      values[i] = (double)lengths_next(&lengths);
    status = gb.input->write(c, "offsets", (uint64_t)first, (uint64_t)some, values);
  }
  return status;
}

static void varlen_teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  (void)state;
  attention_cpu_stop_threads();
}

static gb_status varlen_reference(const gb_bench *self, gb_case *c, void *state) {
  const struct varlen_shape shape = varlen_shape_of(c);
  struct lengths lengths = lengths_begin(gb.point->str(c, "lengths"), shape.total, shape.sequences);
  int32_t *offsets = calloc((size_t)shape.sequences + 1, sizeof *offsets);
  (void)self;
  (void)state;
  if (offsets == NULL) return gb_failf(&gb, c, GB_ENOMEM, "the reference: no host memory");
  for (int64_t i = 1; i <= shape.sequences; ++i)
    offsets[i] = (int32_t)lengths_next(&lengths);
  const gb_status status = attention_varlen_reference(&gb, c, &shape, offsets);
  free(offsets);
  return status;
}

/* ---- Variants ---- */

static void state_varlen_problem(gb_case *c, struct attention_problem *p) {
  const struct varlen_shape shape = varlen_shape_of(c);
  p->q = gb.tensor->data(c, "q");
  p->k = gb.tensor->data(c, "k");
  p->v = gb.tensor->data(c, "v");
  p->o = gb.tensor->data(c, "o");
  p->offsets = gb.tensor->data(c, "offsets");
  p->heads = shape.h;
  p->pairs = shape.pairs * (uint64_t)shape.h;
  p->group = (int32_t)(shape.h / shape.h_kv);
  p->s = (int32_t)shape.total;
  p->d = (int32_t)shape.d;
  p->causal = shape.causal;
  p->window = (int32_t)(shape.window < shape.longest ? shape.window : 0);
  p->sequences = (int32_t)shape.sequences;
  p->longest = (int32_t)shape.longest;
  p->stored = shape.bf16 ? STORED_BF16 : STORED_FP32;
}

#define VARIANT(on, id, check, flag, what, ...) \
  ATTENTION_VARIANT(on, on##_##id, #id, check, flag, what, .sdk = &gb, .state = state_varlen_problem, __VA_ARGS__)
VARIANT(cpu, standard, NULL, GB_VARIANT_BASELINE,
        "scores, softmax and output one after the other; the scores of each sequence in memory",
        .workspace = attention_cpu_standard_workspace, .run_cpu = attention_cpu_standard,
        .graph = attention_graph_cpu_standard);
VARIANT(cpu, flash, NULL, 0, "one pass over the keys with an online softmax, queries side by side in vectors",
        .workspace = attention_cpu_flash_workspace, .run_cpu = attention_cpu_flash, .graph = attention_graph_cpu_flash);

#ifdef GPUBENCH_CUDA
static gb_status varlen_flash_supports(const gb_variant *self, gb_case *c) {
  if (!gb_axis_is(&gb, c, "dtype", "bf16"))
    return gb_failf(&gb, c, GB_SKIP, "%s has no %s", self->name, gb.point->str(c, "dtype"));
  return attention_engine_takes(self, c);
}

VARIANT(cuda, flash, varlen_flash_supports, GB_VARIANT_BASELINE,
        "one kernel with an online softmax, tiles of no more than one sequence; bf16 on tensor cores",
        .prepare = attention_cuda_flash_prepare, .run_cuda = attention_cuda_flash_run,
        .graph = attention_graph_cuda_flash);
#endif

static const gb_variant *const variants[] = {
    &cpu_standard,
    &cpu_flash,
#ifdef GPUBENCH_CUDA
    &cuda_flash,
#endif
    NULL,
};

/* ---- Tables ---- */

AXIS(axis_total, "total", GB_I64, "tokens of all sequences", NULL, "1k", "32k");
AXIS(axis_sequences, "sequences", GB_I64, "how many they are; at most total", NULL, "8", "32");
AXIS(axis_lengths, "lengths", GB_STR, "how long each is", "equal,uniform,zipf", "zipf", "zipf");
AXIS(axis_h, "h", GB_I64, "heads", NULL, "12", "32");
AXIS(axis_h_kv, "h_kv", GB_I64, "heads of keys and values; divides h", NULL, "12", "8");
AXIS(axis_d, "d", GB_I64, "head size: 64 or 128", NULL, "64", "128");
AXIS(axis_dtype, "dtype", GB_STR, "storage type", "fp32,bf16", "fp32", "bf16");
AXIS(axis_causal, "causal", GB_STR, "query i of a sequence sees its keys 0 to i", "yes,no", "yes", "yes");
AXIS(axis_window, "window", GB_I64, "of these only the last so many; 0: all", NULL, "0", "0");
static const gb_axis *const axes[] = {&axis_total, &axis_sequences, &axis_lengths, &axis_h,      &axis_h_kv,
                                      &axis_d,     &axis_dtype,     &axis_causal,  &axis_window, NULL};

/* Presets named after models take heads and windows from the model's config.json. */
#define PRESETS(X)                                                                                              \
  X(llama_zipf, "cuda", "llama3-8b/mixed-32k", "Llama 3 8B, 32 prompts, the longest of 8k",                     \
    "total=32k,sequences=32,lengths=zipf,h=32,h_kv=8,d=128")                                                    \
  X(llama_uniform, "cuda", "llama3-8b/uniform-16k", "Llama 3 8B, 16 prompts of up to 2k",                       \
    "total=16k,sequences=16,lengths=uniform,h=32,h_kv=8,d=128")                                                 \
  X(llama_equal, "cuda", "llama3-8b/4x2k", "what forward has as llama3-8b/2k, packed",                          \
    "total=8k,sequences=4,lengths=equal,h=32,h_kv=8,d=128")                                                     \
  X(llama_short, NULL, "llama3-8b/256x64", "Llama 3 8B, many short prompts",                                    \
    "total=16k,sequences=256,lengths=uniform,h=32,h_kv=8,d=128")                                                \
  X(llama_70b, NULL, "llama3-70b/mixed-32k", "Llama 3 70B, 32 prompts, the longest of 8k",                      \
    "total=32k,sequences=32,lengths=zipf,h=64,h_kv=8,d=128")                                                    \
  X(mistral, "cuda", "mistral-7b/mixed-32k", "Mistral 7B v0.1, prompts within its window and beyond",           \
    "total=32k,sequences=16,lengths=zipf,h=32,h_kv=8,d=128,window=4k")                                          \
  X(bert_large, "cuda", "bert-large/uniform-16k", "BERT large, 64 texts of up to 512 tokens, all keys visible", \
    "total=16k,sequences=64,lengths=uniform,h=16,h_kv=16,d=64,causal=no")                                       \
  X(gpt2, "cpu", "gpt2/mixed-1k", "GPT-2, 8 texts", "total=1k,sequences=8,lengths=zipf,h=12,h_kv=12,d=64")      \
  X(bert_base, "cpu", "bert-base/uniform-1k", "BERT base, 8 texts, all keys visible",                           \
    "total=1k,sequences=8,lengths=uniform,h=12,h_kv=12,d=64,causal=no")                                         \
  X(odd_777, "cpu", "odd/777-in-9", "lengths that no tile divides",                                             \
    "total=777,sequences=9,lengths=zipf,h=6,h_kv=2,d=64")
#define PRESET(id, on, label, text, values) \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = text, .point = values, .backends = on};
#define ADDRESS(id, ...) &id,
PRESETS(PRESET)
static const gb_preset *const presets[] = {PRESETS(ADDRESS) NULL};

static const gb_bench varlen = {
    GB_SIZE(gb_bench),
    .flags = GB_BENCH_BY_NAME,
    .name = "varlen",
    .contract = "gpubench.org/attention/varlen/1",
    .summary = "softmax(q k^T / sqrt(d)) v of sequences of different lengths, packed without padding",
    .axes = axes,
    .presets = presets,
    .variants = variants,
    .supports = varlen_supports,
    .setup = varlen_setup,
    .fill = varlen_fill,
    .reference = varlen_reference,
    .teardown = varlen_teardown,
};

gb_status attention_varlen_add(const gb_host *host, gb_registry *registry) {
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &varlen) : status;
}
