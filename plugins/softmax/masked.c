/* The bench "masked": softmax of rows in which a mask hides elements. README.md states what variants must compute. The
 * kernels are in masked.cu and cpu_masked.c. */
#include "masked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../shared/processors.h"
#include "kernels.h"

#define gb softmax_gb

/* Up to CHECKED elements, every row is compared with the reference. Of larger problems a random sample of MIN_ROWS to
 * MAX_ROWS rows is compared. */
#define CHECKED ((int64_t)4 << 20)
#define READ_AHEAD ((int64_t)1 << 20) /* elements of x that are held in memory at a time */
#define ONE_TURN ((int64_t)8 * 1024)  /* about how many elements one CPU thread computes at a time */
#define MIN_ROWS 8
#define MAX_ROWS 64                  /* largest number of rows in a sample */
#define LEAST_N 64                   /* shortest row; a random mask practically never hides all of a longer one */
#define MOST_N ((int64_t)1 << 20)    /* the most elements of a row */
#define MOST_ROWS ((int64_t)1 << 30) /* largest number of rows of all matrices together */
#define STREAM_REFERENCE UINT64_C(1) /* number of the random stream (see gb.rng) that chooses the rows of a sample */

/* The axes (parameters) of a case as numbers. */
struct shape {
  int64_t b, m, n;
  int causal, dtype;
  uint64_t size; /* bytes of an element */
};

static struct shape masked_shape_of(gb_case *c) {
  return (struct shape){.b = gb.point->i64(c, "b"),
                        .m = gb.point->i64(c, "m"),
                        .n = gb.point->i64(c, "n"),
                        .causal = gb_axis_is(&gb, c, "mask", "causal"),
                        .dtype = softmax_dtype(c),
                        .size = softmax_size(c)};
}

static gb_status masked_supports(const gb_bench *self, gb_case *c) {
  const int64_t least = gb_axis_is(&gb, c, "mask", "causal") ? 1 : LEAST_N;
  (void)self;
  gb_status status = gb_axis_within(&gb, c, "b", 1, MOST_ROWS);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "m", 1, MOST_ROWS / gb.point->i64(c, "b"));
  return status == GB_OK ? gb_axis_within(&gb, c, "n", least, MOST_N) : status;
}

/* Returns how many elements of a matrix a causal mask shows: in row i, elements 0 to i. */
static uint64_t seen_of(const struct shape *shape) {
  const int64_t short_rows = shape->m < shape->n ? shape->m : shape->n;
  return (uint64_t)(short_rows * (short_rows + 1) / 2 + (shape->m - short_rows) * shape->n);
}

/* Declares the tensors, and the number of bytes that a call moves. All logits, hidden ones included, are so large that
 * exp of any of them overflows fp32, so that a variant that does not subtract the maximum is detected. */
static gb_status masked_setup(const gb_bench *self, gb_case *c, void **state) {
  const uint32_t dtype = gb_dtype_named(gb.point->str(c, "dtype"));
  const struct shape shape = masked_shape_of(c);
  const int64_t extents[] = {shape.b, shape.m, shape.n};
  const uint64_t b = (uint64_t)shape.b, matrix = (uint64_t)shape.m * (uint64_t)shape.n;
  const gb_tensor x = {GB_SIZE(gb_tensor), .role = GB_IN,          .dtype = dtype,  .rank = 3,    .name = "x",
                       .shape = extents,   .fill = GB_FILL_NORMAL, .fill_a = 104.0, .fill_b = 4.0};
  const gb_tensor mask = {GB_SIZE(gb_tensor), .role = GB_IN,        .dtype = GB_DTYPE_U8,    .rank = 2,
                          .name = "mask",     .shape = extents + 1, .fill = GB_FILL_UNIFORM, .fill_a = 0.0,
                          .fill_b = 2.0};
  const gb_tensor y = {GB_SIZE(gb_tensor),
                       .role = GB_OUT,
                       .dtype = dtype,
                       .rank = 3,
                       .name = "y",
                       .shape = extents,
                       .reduction = (uint64_t)shape.n};
  const uint64_t read = shape.causal ? b * seen_of(&shape) * shape.size : b * matrix * shape.size + matrix;
  const gb_work work = {GB_SIZE(gb_work), .bytes_read = read, .bytes_written = b * matrix * shape.size,
                        .items = b * (uint64_t)shape.m, .item_unit = "rows"};
  (void)self, (void)state;
  gb_status status = gb.tensor->declare(c, &x);
  if (status == GB_OK && !shape.causal) status = gb.tensor->declare(c, &mask);
  if (status == GB_OK) status = gb.tensor->declare(c, &y);
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

/* ---- The reference --------------------------------------------------------------------------------------------- */

/* Rows whose expected results are computed together: their elements, and which of them the mask shows. */
struct batch {
  const struct shape *shape;
  int64_t rows;
  double *values, *mask; /* mask is NULL if causal */
  int64_t number[MAX_ROWS];
};

static void masked_softmax_row(double *row, const double *mask, int64_t seen, int64_t n) {
  double max = -HUGE_VAL, sum = 0.0;
  for (int64_t i = 0; i < n; i++)
    if (i >= seen || (mask != NULL && mask[i] == 0.0)) row[i] = -HUGE_VAL;
  for (int64_t i = 0; i < n; i++)
    max = row[i] > max ? row[i] : max;
  for (int64_t i = 0; i < n; i++)
    sum += row[i] = exp(row[i] - max);
  for (int64_t i = 0; i < n; i++)
    row[i] /= sum;
}

static int64_t masked_rows_at_once(int64_t n) {
  return n < ONE_TURN ? ONE_TURN / n : 1;
}

static void compute_masked_rows(void *context, int64_t piece) {
  const struct batch *batch = context;
  const int64_t n = batch->shape->n, some = masked_rows_at_once(n), first = piece * some;
  for (int64_t i = first; i < first + some && i < batch->rows; i++)
    masked_softmax_row(batch->values + i * n, batch->mask == NULL ? NULL : batch->mask + i * n,
                       batch->mask == NULL ? batch->number[i] % batch->shape->m + 1 : n, n);
}

static gb_status expect_masked_rows(gb_case *c, struct batch *batch) {
  const uint64_t n = (uint64_t)batch->shape->n;
  gb_status status = GB_OK;
  for (int64_t i = 0; i < batch->rows && status == GB_OK; i++) {
    const uint64_t row = (uint64_t)batch->number[i];
    status = gb.tensor->input(c, "x", row * n, n, batch->values + i * batch->shape->n);
    if (status == GB_OK && batch->mask != NULL)
      status = gb.tensor->input(c, "mask", row % (uint64_t)batch->shape->m * n, n, batch->mask + i * batch->shape->n);
  }
  if (status != GB_OK) return status;
  processors_each((batch->rows + masked_rows_at_once(batch->shape->n) - 1) / masked_rows_at_once(batch->shape->n),
                  compute_masked_rows, batch);
  for (int64_t i = 0; i < batch->rows && status == GB_OK; i++)
    status = gb.tensor->expect(c, "y", (uint64_t)batch->number[i] * n, n, batch->values + i * batch->shape->n);
  return status;
}

static int64_t smaller_count(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static gb_status masked_reference(const gb_bench *self, gb_case *c, void *state) {
  const struct shape shape = masked_shape_of(c);
  const int64_t rows = shape.b * shape.m, some = CHECKED / shape.n;
  const int64_t few = some < MIN_ROWS ? MIN_ROWS : smaller_count(some, MAX_ROWS),
                count = rows <= some ? rows : smaller_count(rows, few);
  const int64_t most = smaller_count(shape.n < READ_AHEAD ? READ_AHEAD / shape.n : 1, MAX_ROWS), held = most * shape.n;
  double *memory = malloc((size_t)held * (shape.causal ? 1 : 2) * sizeof *memory);
  (void)self, (void)state;
  if (memory == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory for %lld elements", (long long)held);
  struct batch batch = {.shape = &shape, .values = memory, .mask = shape.causal ? NULL : memory + held};
  gb_status status = GB_OK;
  for (int64_t i = 0; i < count && status == GB_OK; i += batch.rows) {
    batch.rows = smaller_count(most, count - i);
    for (int64_t k = 0; k < batch.rows; k++)
      batch.number[k] = gb_sampled(&gb, c, STREAM_REFERENCE, i + k, count, rows);
    status = expect_masked_rows(c, &batch);
  }
  free(memory);
  return status;
}

/* ---- Variants -------------------------------------------------------------------------------------------------- */

typedef struct method {
  int (*run)(const struct masked_call *call);
  int passes;  /* how often the variant reads x */
  int scratch; /* true: needs scratch memory */
} method;

static gb_status state_masked_graph(const gb_variant *self, gb_case *c) {
  static const char *const reads[] = {"", "read once", "read twice", "read three times"};
  const method *how = self->user;
  const struct shape shape = masked_shape_of(c);
  const uint64_t matrix = (uint64_t)shape.m * (uint64_t)shape.n, bytes = (uint64_t)shape.b * matrix * shape.size;
  const uint64_t read = shape.causal ? (uint64_t)shape.b * seen_of(&shape) * shape.size : bytes;
  const uint64_t times = (uint64_t)how->passes;
  const uint32_t kind = strcmp(self->backend, "cuda") == 0 ? GB_NODE_KERNEL : GB_NODE_HOST;
  gb_status status = gb_node(&gb, c, GB_NODE_TENSOR, "x", "X", NULL, 0, bytes);
  if (status == GB_OK)
    status = gb_node(&gb, c, kind, "softmax",
                     self->flags & GB_VARIANT_YARDSTICK ? "Y = X where seen" : "Y = softmax(X where seen)",
                     self->summary, 0, 0);
  if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_TENSOR, "y", "Y", NULL, 0, bytes);
  if (status == GB_OK) status = gb_edge(&gb, c, "x", "softmax", reads[how->passes], read * times);
  if (status == GB_OK && !shape.causal) {
    status = gb_node(&gb, c, GB_NODE_TENSOR, "mask", "mask", NULL, 0, matrix);
    if (status == GB_OK) status = gb_edge(&gb, c, "mask", "softmax", NULL, matrix);
  }
  return status == GB_OK ? gb_edge(&gb, c, "softmax", "y", NULL, bytes) : status;
}

static gb_status masked_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const method *how = self->user;
  const struct shape shape = masked_shape_of(c);
  const gb_status status = state_masked_graph(self, c);
  if (status != GB_OK) return status;
  struct masked_call *call = calloc(1, sizeof *call);
  if (call == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  call->x = gb.tensor->data(c, "x");
  call->mask = shape.causal ? NULL : gb.tensor->data(c, "mask");
  call->y = gb.tensor->data(c, "y");
  call->rows = shape.b * shape.m;
  call->m = shape.m;
  call->n = shape.n;
  call->dtype = shape.dtype;
  call->threads = gb_threads(&gb, c, call->rows);
  call->stream = gb.cuda->stream(c);
  if (how->scratch) {
    const uint64_t floats = (uint64_t)softmax_cpu_scratch(call->n) * (uint64_t)call->threads;
    call->scratch = gb.mem->alloc(c, GB_MEM_HOST, floats * sizeof *call->scratch);
    if (call->scratch == NULL) {
      free(call);
      return GB_ENOMEM;
    }
  }
  *vstate = call;
  return GB_OK;
}

static void masked_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)c;
  free(vstate);
}

static gb_status masked_run(const gb_variant *self, gb_case *c, void *vstate) {
  const int code = ((const method *)self->user)->run(vstate);
  if (code == 0) return GB_OK;
#ifdef GPUBENCH_CUDA
  return gb_failf(&gb, c, GB_EDEVICE, "launch of %s: %s", self->name, softmax_cuda_error(code));
#else
  return gb_failf(&gb, c, GB_EDEVICE, "%s: %d", self->name, code);
#endif
}

#define VARIANT(on, id, what, reads, workspace, check, flag)                                                   \
  static const method on##_##id##_method = {.run = masked_##on##_##id, .passes = reads, .scratch = workspace}; \
  static const gb_variant on##_##id = {GB_SIZE(gb_variant),                                                    \
                                       .flags = flag,                                                          \
                                       .name = #id,                                                            \
                                       .summary = what,                                                        \
                                       .backend = #on,                                                         \
                                       .math = "native",                                                       \
                                       .user = &on##_##id##_method,                                            \
                                       .supports = check,                                                      \
                                       .prepare = masked_prepare,                                              \
                                       .run = masked_run,                                                      \
                                       .release = masked_release}

VARIANT(cpu, naive, "three passes: maximum, sum, result", 3, 0, NULL, GB_VARIANT_BASELINE);
VARIANT(cpu, fused, "one read: exponentials kept in cache and rescaled", 1, 1, NULL, 0);
VARIANT(cpu, copy, "x where it is seen, 0 elsewhere", 1, 0, NULL, GB_VARIANT_YARDSTICK);
#ifdef GPUBENCH_CUDA
static gb_status masked_fused_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  return gb_axis_within(&gb, c, "n", 1, MASKED_FUSED_MAX);
}

VARIANT(cuda, naive, "a block per row, three passes over global memory", 3, 0, NULL, GB_VARIANT_BASELINE);
VARIANT(cuda, fused, "one read of what is seen: the row stays in registers of a warp or block", 1, 0,
        masked_fused_supports, 0);
VARIANT(cuda, copy, "a block per row: x where it is seen, 0 elsewhere", 1, 0, NULL, GB_VARIANT_YARDSTICK);
#endif

/* ---- The tables ------------------------------------------------------------------------------------------------ */

#define AXIS(id, label, of, what, number)                                      \
  static const gb_axis id = {GB_SIZE(gb_axis), .type = GB_I64,  .name = label, \
                             .unit = of,       .summary = what, .values = number}
#define CHOICE(id, label, what, all, first)                                   \
  static const gb_axis id = {GB_SIZE(gb_axis), .type = GB_STR, .name = label, \
                             .summary = what,  .choices = all, .values = first}
#define PRESET(id, label, where, what, backend) \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = what, .point = where, .backends = backend}

AXIS(axis_b, "b", "matrices", "matrices: heads of all sequences", "1");
AXIS(axis_m, "m", "rows", "rows of a matrix: queries", "1024");
AXIS(axis_n, "n", "elements", "row length: keys", "1024");
CHOICE(axis_mask, "mask", "what is hidden: all behind the diagonal, or what a mask says", "causal,given", "causal");
CHOICE(axis_dtype, "dtype", "storage type", "fp32,fp16,bf16", "fp32");

PRESET(gpt2_bf16, "gpt2-bf16", "b=96,m=1024,n=1024,mask=causal,dtype=bf16", "8 sequences of 1024, 12 heads", NULL);
PRESET(long_bf16, "llama-bf16", "b=32,m=2048,n=2048,mask=causal,dtype=bf16", "32 heads, 2048 tokens", "cuda");
PRESET(long_fp32, "llama", "b=32,m=2048,n=2048,mask=causal,dtype=fp32", "the same in fp32", NULL);
PRESET(given_bf16, "given-bf16", "b=32,m=2048,n=2048,mask=given,dtype=bf16", "the same size, half of it hidden", NULL);
PRESET(given_fp32, "given", "b=32,m=2048,n=2048,mask=given,dtype=fp32", "the same in fp32", NULL);
PRESET(cpu_gpt2, "cpu-gpt2", "b=12,m=512,n=512,mask=causal,dtype=fp32", "12 heads, 512 tokens", "cpu");

const gb_bench softmax_masked = {
    GB_SIZE(gb_bench),
    .name = "masked",
    .contract = "gpubench.org/softmax/masked/1",
    .summary = "softmax of rows of which a mask hides elements",
    .axes = (const gb_axis *const[]){&axis_b, &axis_m, &axis_n, &axis_mask, &axis_dtype, NULL},
    .presets =
        (const gb_preset *const[]){&gpt2_bf16, &long_bf16, &long_fp32, &given_bf16, &given_fp32, &cpu_gpt2, NULL},
    .variants =
        (const gb_variant *const[]){
#ifdef GPUBENCH_CUDA
            &cuda_naive, &cuda_fused, &cuda_copy,
#endif
            &cpu_naive, &cpu_fused, &cpu_copy, NULL},
    .supports = masked_supports,
    .setup = masked_setup,
    .reference = masked_reference,
};
