/* The softmax plugin: registers its benchmarks, and defines the variants (implementations) of "rows" on CUDA and CPU,
 * its axes (parameters) and its presets (named values of the axes). The tensors and expected results of "rows" are in
 * rows.c. The benchmarks "masked" and "cross_entropy" are in files of their names. The kernels are in kernels.cu,
 * fused.cu, staged.cu, both.cu, pieces.cu and cpu.c. README.md states what the benchmarks compute. */
#include <stdlib.h>

#include "cross_entropy.h"
#include "kernels.h"
#include "masked.h"
#include "rows.h"
#ifdef GPUBENCH_CUDA
#include "../shared/image.h"
#endif

gb_sdk softmax_gb;
#define gb softmax_gb

int softmax_dtype(gb_case *c) {
  return gb_axis_is(&gb, c, "dtype", "fp16")   ? SOFTMAX_FP16
         : gb_axis_is(&gb, c, "dtype", "bf16") ? SOFTMAX_BF16
                                               : SOFTMAX_FP32;
}

uint64_t softmax_size(gb_case *c) {
  return gb_dtype_bytes(gb_dtype_named(gb.point->str(c, "dtype")));
}

/* ---- Variants -------------------------------------------------------------------------------------------------- */

typedef int (*cuda_launcher)(const void *, void *, int64_t, int64_t, int, struct CUstream_st *);
typedef void (*cpu_function)(const void *, void *, int64_t, int64_t, int, int, float *);

/* The properties in which the variants differ: the function, how often it reads x, and whether it needs scratch memory.
 * gb_variant.user points to this struct. */
typedef struct method {
  cuda_launcher cuda;
  cpu_function cpu;
  int passes;
  int scratch;
} method;

/* The arguments of a kernel, which `prepare` looks up once for all calls of `run`. */
typedef struct call {
  const void *x;
  void *y;
  int64_t m, n;
  int dtype;
  int threads;
  float *scratch;
  struct CUstream_st *stream;
} call;

/* Describes a variant as a graph with one step and the number of reads of x, for a diagram in the report. */
static gb_status state_rows_graph(const gb_variant *self, gb_case *c) {
  static const char *const reads[] = {"", "read once", "read twice", "read three times"};
  const method *how = self->user;
  const uint64_t count = (uint64_t)gb.point->i64(c, "m") * (uint64_t)gb.point->i64(c, "n");
  const uint64_t bytes = count * softmax_size(c);
  const uint32_t kind = how->cuda != NULL ? GB_NODE_KERNEL : GB_NODE_HOST;
  gb_status status = gb_node(&gb, c, GB_NODE_TENSOR, "x", "X", NULL, 0, bytes);
  if (status == GB_OK)
    status = gb_node(&gb, c, kind, "softmax", self->flags & GB_VARIANT_YARDSTICK ? "Y = X" : "Y = softmax(X)",
                     self->summary, 0, 0);
  if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_TENSOR, "y", "Y", NULL, 0, bytes);
  if (status == GB_OK) status = gb_edge(&gb, c, "x", "softmax", reads[how->passes], bytes * (uint64_t)how->passes);
  return status == GB_OK ? gb_edge(&gb, c, "softmax", "y", NULL, bytes) : status;
}

static gb_status rows_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const method *how = self->user;
  const gb_status status = state_rows_graph(self, c);
  call *a = status == GB_OK ? calloc(1, sizeof *a) : NULL;
  if (status != GB_OK) return status;
  if (a == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  a->x = gb.tensor->data(c, "x");
  a->y = gb.tensor->data(c, "y");
  a->m = gb.point->i64(c, "m");
  a->n = gb.point->i64(c, "n");
  a->dtype = softmax_dtype(c);
  if (how->cuda != NULL) {
    a->stream = gb.cuda->stream(c);
  } else {
    a->threads = gb_threads(&gb, c, a->m);
  }
  if (how->scratch) {
    const uint64_t floats = (uint64_t)softmax_cpu_scratch(a->n) * (uint64_t)a->threads;
    a->scratch = gb.mem->alloc(c, GB_MEM_HOST, floats * sizeof *a->scratch);
    if (a->scratch == NULL) {
      free(a);
      return GB_ENOMEM;
    }
  }
  *vstate = a;
  return GB_OK;
}

static void rows_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  free(vstate);
}

static gb_status rows_cpu_run(const gb_variant *self, gb_case *c, void *vstate) {
  const method *how = self->user;
  const call *a = vstate;
  (void)c;
  how->cpu(a->x, a->y, a->m, a->n, a->dtype, a->threads, a->scratch);
  return GB_OK;
}

#define CPU_VARIANT(id, what, reads, workspace, flag)                                                 \
  static method cpu_##id##_method = {.cpu = softmax_cpu_##id, .passes = reads, .scratch = workspace}; \
  static const gb_variant cpu_##id = {GB_SIZE(gb_variant),                                            \
                                      .flags = flag,                                                  \
                                      .name = #id,                                                    \
                                      .summary = what,                                                \
                                      .backend = "cpu",                                               \
                                      .math = "native",                                               \
                                      .user = &cpu_##id##_method,                                     \
                                      .prepare = rows_prepare,                                        \
                                      .run = rows_cpu_run,                                            \
                                      .release = rows_release}

CPU_VARIANT(naive, "three passes: maximum, sum, result", 3, 0, GB_VARIANT_BASELINE);
CPU_VARIANT(online, "two passes: running maximum and sum, result", 2, 0, 0);
CPU_VARIANT(fused, "one read: exponentials kept in cache and rescaled", 1, 1, 0);
CPU_VARIANT(copy, "libc's memcpy of each row of x to y", 1, 0, GB_VARIANT_YARDSTICK);

#ifdef GPUBENCH_CUDA
static gb_status rows_cuda_run(const gb_variant *self, gb_case *c, void *vstate) {
  const method *how = self->user;
  const call *a = vstate;
  const int code = how->cuda(a->x, a->y, a->m, a->n, a->dtype, a->stream);
  if (code != 0) return gb_failf(&gb, c, GB_EDEVICE, "launch of %s: %s", self->name, softmax_cuda_error(code));
  return GB_OK;
}

static gb_status rows_fused_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t n = gb.point->i64(c, "n");
  const int64_t capability = image_capability(gb.device->i64(c, "compute_capability"));
  const int64_t limit = softmax_cuda_fused_limit(capability);
  if (n > limit)
    return gb_failf(&gb, c, GB_SKIP, "n is %lld: at compute capability %lld a row of at most %lld stays on chip",
                    (long long)n, (long long)capability, (long long)limit);
  return GB_OK;
}

/* Returns GB_SKIP if the device cannot run a kernel in which the blocks of a cluster share a row. `bytes` is the shared
 * memory that each block needs. It fits on the device unless the row is too long even for 16 blocks. */
static gb_status check_cluster(gb_case *c, int64_t bytes) {
  const int64_t m = gb.point->i64(c, "m"), n = gb.point->i64(c, "n");
  const int64_t capability = image_capability(gb.device->i64(c, "compute_capability"));
  const int64_t most = gb.device->i64(c, "shared_memory_per_block_bytes") - SOFTMAX_STAGED_RESERVE;
  if (capability < 90)
    return gb_failf(&gb, c, GB_SKIP, "compute capability is %lld: bulk copies need 90 or later", (long long)capability);
  if (bytes > most)
    return gb_failf(&gb, c, GB_SKIP, "n is %lld: that is %lld bytes for each of 16 blocks, more than %lld",
                    (long long)n, (long long)bytes, (long long)most);
  if (m <= SOFTMAX_MAX_ROWS / 2) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "m is %lld: must be at most %lld", (long long)m, (long long)SOFTMAX_MAX_ROWS / 2);
}

static gb_status staged_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  return check_cluster(c, softmax_cuda_staged_bytes(gb.point->i64(c, "n"), (int64_t)softmax_size(c)));
}

static gb_status both_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t n = gb.point->i64(c, "n"), size = (int64_t)softmax_size(c);
  if (n * size > SOFTMAX_BOTH_ABOVE) return check_cluster(c, softmax_cuda_both_bytes(n, size));
  return gb_failf(&gb, c, GB_SKIP, "a row has %lld bytes: up to %d it fits a block's registers, see `fused`",
                  (long long)(n * size), SOFTMAX_BOTH_ABOVE);
}

static gb_status pieces_supports(const gb_variant *self, gb_case *c) {
  const int64_t bytes = gb.point->i64(c, "n") * (int64_t)softmax_size(c);
  if (bytes > SOFTMAX_PIECES_ABOVE) return both_supports(self, c);
  return gb_failf(&gb, c, GB_SKIP, "a row has %lld bytes: up to %d a block has it, see `both`", (long long)bytes,
                  SOFTMAX_PIECES_ABOVE);
}

#define CUDA_VARIANT(id, what, reads, check, flag)                                 \
  static method cuda_##id##_method = {.cuda = softmax_cuda_##id, .passes = reads}; \
  static const gb_variant cuda_##id = {GB_SIZE(gb_variant),                        \
                                       .flags = flag,                              \
                                       .name = #id,                                \
                                       .summary = what,                            \
                                       .backend = "cuda",                          \
                                       .math = "native",                           \
                                       .user = &cuda_##id##_method,                \
                                       .supports = check,                          \
                                       .prepare = rows_prepare,                    \
                                       .run = rows_cuda_run,                       \
                                       .release = rows_release}

CUDA_VARIANT(naive, "a block per row, three passes over global memory", 3, NULL, GB_VARIANT_BASELINE);
CUDA_VARIANT(online, "a block per row, two passes: running maximum and sum, result", 2, NULL, 0);
CUDA_VARIANT(fused, "one read: the row stays in registers of a warp, block or cluster", 1, rows_fused_supports, 0);
CUDA_VARIANT(staged, "one read: bulk copies bring the row into shared memory of a block or cluster", 1, staged_supports,
             0);
CUDA_VARIANT(both, "one read: the row stays in shared memory and registers of a block or cluster", 1, both_supports, 0);
CUDA_VARIANT(paced, "the same, the first rows one after the other, as memory brings them", 1, both_supports,
             GB_VARIANT_BY_NAME);
CUDA_VARIANT(pieces, "the same, added up as it arrives, and no fence between a row's blocks", 1, pieces_supports, 0);
CUDA_VARIANT(copy, "x to y, one 16-byte pack a thread", 1, NULL, GB_VARIANT_YARDSTICK);
#endif

/* ---- The tables ------------------------------------------------------------------------------------------------ */

static const gb_axis axis_m = {GB_SIZE(gb_axis), .type = GB_I64,    .name = "m",
                               .unit = "rows",   .summary = "rows", .values = "1024"};
static const gb_axis axis_n = {GB_SIZE(gb_axis),   .type = GB_I64,          .name = "n",
                               .unit = "elements", .summary = "row length", .values = "1024"};
static const gb_axis axis_dtype = {
    GB_SIZE(gb_axis), .type = GB_STR, .name = "dtype", .summary = "storage type", .choices = "fp32,fp16,bf16",
    .values = "fp32"};

#define PRESET(id, label, where, what, backend) \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = what, .point = where, .backends = backend}

PRESET(square_fp32, "square-8k", "m=8192,n=8192,dtype=fp32", "the usual yardstick", NULL);
PRESET(square_bf16, "square-8k-bf16", "m=8192,n=8192,dtype=bf16", "the same in bf16", "cuda");
PRESET(square_fp16, "square-8k-fp16", "m=8192,n=8192,dtype=fp16", "the same in fp16", NULL);
PRESET(scores_fp32, "scores-1k", "m=32768,n=1024,dtype=fp32", "attention scores: 32 heads, 1024 x 1024", NULL);
PRESET(scores_bf16, "scores-1k-bf16", "m=32768,n=1024,dtype=bf16", "the same in bf16", "cuda");
PRESET(logits_fp32, "gpt2-logits", "m=4096,n=50257,dtype=fp32", "GPT-2's vocabulary: rows off every alignment", "cuda");
PRESET(long_fp32, "long-64k", "m=2048,n=65536,dtype=fp32", "rows beyond one SM's registers", NULL);
PRESET(long_bf16, "long-64k-bf16", "m=2048,n=65536,dtype=bf16", "the same in bf16", NULL);
PRESET(longest_fp32, "long-256k", "m=128,n=262144,dtype=fp32", "rows of 1 MiB", "cuda");
PRESET(cpu_short, "cpu-1k", "m=8192,n=1024,dtype=fp32", "many short rows", "cpu");
PRESET(cpu_square, "cpu-8k", "m=1024,n=8192,dtype=fp32", "rows of a first-level cache's size", "cpu");
PRESET(cpu_logits, "cpu-gpt2-logits", "m=128,n=50257,dtype=fp32", "rows off every alignment", "cpu");

static const gb_bench rows = {
    GB_SIZE(gb_bench),
    .name = "rows",
    .contract = "gpubench.org/softmax/rows/1",
    .summary = "softmax of every row of a matrix",
    .axes = (const gb_axis *const[]){&axis_m, &axis_n, &axis_dtype, NULL},
    .presets =
        (const gb_preset *const[]){&square_fp32, &square_bf16, &square_fp16, &scores_fp32, &scores_bf16, &logits_fp32,
                                   &long_fp32, &long_bf16, &longest_fp32, &cpu_short, &cpu_square, &cpu_logits, NULL},
    .variants =
        (const gb_variant *const[]){
#ifdef GPUBENCH_CUDA
            &cuda_naive, &cuda_online, &cuda_fused, &cuda_staged, &cuda_both, &cuda_paced, &cuda_pieces, &cuda_copy,
#endif
            &cpu_naive, &cpu_online, &cpu_fused, &cpu_copy, NULL},
    .supports = softmax_rows_supports,
    .setup = softmax_rows_setup,
    .reference = softmax_rows_reference,
    .verify = softmax_rows_verify,
};

static gb_status softmax_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  const gb_bench *const benches[] = {&rows, &softmax_cross_entropy, &softmax_masked};
  gb_status status = gb_sdk_open(&gb, host);
  for (size_t i = 0; i < sizeof benches / sizeof benches[0] && status == GB_OK; i++)
    status = host->add(host, registry, benches[i]);
  return status;
}

GB_EXPORT const gb_plugin gb_plugin_v1 = {
    GB_PLUGIN_HEAD,       .id = "softmax",
    .version = "0.1.0",   .summary = "row softmax and cross-entropy: naive, online and fused",
    .open = softmax_open,
};
