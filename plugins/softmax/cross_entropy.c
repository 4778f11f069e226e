/* The bench "cross_entropy", which computes the loss of every row of logits, without the backward pass. README.md
 * states what variants must compute. The kernels are in cross_entropy.cu and cpu_cross_entropy.c. */
#include "cross_entropy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../shared/processors.h"
#include "kernels.h"

#define gb softmax_gb

#define CHECKED ((int64_t)4 << 20) /* up to this many elements, every row is compared with the reference */
#define SAMPLED ((int64_t)1 << 20) /* about how many elements the rows of a sample have together */
#define MAX_ROWS 64                /* largest number of rows in a sample */
#define MIN_ROWS 8
#define READ_AHEAD ((int64_t)1 << 20) /* elements of x that are held in memory at a time */
#define ONE_TURN ((int64_t)8 * 1024)  /* about how many elements one CPU thread computes at a time */
#define STREAM_REFERENCE UINT64_C(1)  /* number of the random stream (see gb.rng) that chooses the rows of a sample */

static gb_status cross_entropy_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  const gb_status status = gb_axis_within(&gb, c, "m", 1, SOFTMAX_MAX_ROWS);
  return status == GB_OK ? gb_axis_within(&gb, c, "n", 1, SOFTMAX_MAX_N) : status;
}

/* Declares the tensors, and the number of bytes that a call moves. The logits are so large that exp of any of them
 * overflows fp32, so that a variant that does not subtract the maximum is detected. */
static gb_status cross_entropy_setup(const gb_bench *self, gb_case *c, void **state) {
  const uint32_t dtype = gb_dtype_named(gb.point->str(c, "dtype"));
  const int64_t shape[] = {gb.point->i64(c, "m"), gb.point->i64(c, "n")};
  const uint64_t m = (uint64_t)shape[0], size = gb_dtype_bytes(dtype);
  const gb_tensor x = {GB_SIZE(gb_tensor), .role = GB_IN,          .dtype = dtype,  .rank = 2,    .name = "x",
                       .shape = shape,     .fill = GB_FILL_NORMAL, .fill_a = 104.0, .fill_b = 4.0};
  const gb_tensor target = {GB_SIZE(gb_tensor),        .role = GB_IN,  .dtype = GB_DTYPE_I32,   .rank = 1,
                            .name = "target",          .shape = shape, .fill = GB_FILL_UNIFORM, .fill_a = 0.0,
                            .fill_b = (double)shape[1]};
  const gb_tensor loss = {GB_SIZE(gb_tensor), .role = GB_OUT, .dtype = GB_DTYPE_F32,          .rank = 1,
                          .name = "loss",     .shape = shape, .reduction = (uint64_t)shape[1]};
  const gb_work work = {GB_SIZE(gb_work), .bytes_read = m * ((uint64_t)shape[1] * size + 4), .bytes_written = 4 * m,
                        .items = m, .item_unit = "rows"};
  (void)self, (void)state;
  gb_status status = gb.tensor->declare(c, &x);
  if (status == GB_OK) status = gb.tensor->declare(c, &target);
  if (status == GB_OK) status = gb.tensor->declare(c, &loss);
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

/* ---- The reference --------------------------------------------------------------------------------------------- */

static double expected_loss(const double *row, int64_t n, int64_t target) {
  double max = row[0], sum = 0.0;
  for (int64_t i = 1; i < n; i++)
    max = row[i] > max ? row[i] : max;
  for (int64_t i = 0; i < n; i++)
    sum += exp(row[i] - max);
  return log(sum) + max - row[target];
}

/* Rows whose expected losses are computed together. */
struct batch {
  int64_t rows, n;
  double *values;
  double target[MAX_ROWS], loss[MAX_ROWS];
};

static int64_t loss_rows_at_once(int64_t n) {
  return n < ONE_TURN ? ONE_TURN / n : 1;
}

static void compute_losses(void *context, int64_t piece) {
  struct batch *batch = context;
  const int64_t some = loss_rows_at_once(batch->n), first = piece * some;
  for (int64_t i = first; i < first + some && i < batch->rows; i++)
    batch->loss[i] = expected_loss(batch->values + i * batch->n, batch->n, (int64_t)batch->target[i]);
}

/* Computes the expected losses of the rows of `batch`, and passes them to gpubench for verification. Of the m rows,
 * `count` are verified; the batch begins with number `first` of these. */
static gb_status expect_losses(gb_case *c, struct batch *batch, int64_t first, int64_t count, int64_t m) {
  const uint64_t n = (uint64_t)batch->n;
  gb_status status = GB_OK;
  for (int64_t i = 0; i < batch->rows && status == GB_OK; i++) {
    const uint64_t at = (uint64_t)gb_sampled(&gb, c, STREAM_REFERENCE, first + i, count, m);
    status = gb.tensor->input(c, "x", at * n, n, batch->values + i * batch->n);
    if (status == GB_OK) status = gb.tensor->input(c, "target", at, 1, &batch->target[i]);
  }
  if (status != GB_OK) return status;
  processors_each((batch->rows + loss_rows_at_once(batch->n) - 1) / loss_rows_at_once(batch->n), compute_losses, batch);
  for (int64_t i = 0; i < batch->rows && status == GB_OK; i++)
    status = gb.tensor->expect(c, "loss", (uint64_t)gb_sampled(&gb, c, STREAM_REFERENCE, first + i, count, m), 1,
                               &batch->loss[i]);
  return status;
}

static gb_status cross_entropy_reference(const gb_bench *self, gb_case *c, void *state) {
  const int64_t m = gb.point->i64(c, "m"), n = gb.point->i64(c, "n"), some = SAMPLED / n;
  const int64_t few = some < MIN_ROWS ? MIN_ROWS : some > MAX_ROWS ? MAX_ROWS : some;
  const int64_t count = m <= CHECKED / n || m <= few ? m : few, fit = n < READ_AHEAD ? READ_AHEAD / n : 1;
  const int64_t most = fit < MAX_ROWS ? fit : MAX_ROWS;
  struct batch batch = {.n = n, .values = malloc((size_t)(most * n) * sizeof(double))};
  (void)self, (void)state;
  if (batch.values == NULL)
    return gb_failf(&gb, c, GB_ENOMEM, "no host memory for %lld elements", (long long)(most * n));
  gb_status status = GB_OK;
  for (int64_t i = 0; i < count && status == GB_OK; i += batch.rows) {
    batch.rows = count - i < most ? count - i : most;
    status = expect_losses(c, &batch, i, count, m);
  }
  free(batch.values);
  return status;
}

/* ---- Variants -------------------------------------------------------------------------------------------------- */

typedef int (*kernel)(const struct cross_entropy_call *call);

typedef struct method {
  kernel run;
  int passes; /* how often the variant reads x */
} method;

static gb_status state_loss_graph(const gb_variant *self, gb_case *c) {
  static const char *const reads[] = {"", "read once", "read twice"};
  const method *how = self->user;
  const uint64_t m = (uint64_t)gb.point->i64(c, "m"), n = (uint64_t)gb.point->i64(c, "n");
  const uint64_t bytes = m * n * softmax_size(c);
  const uint32_t kind = strcmp(self->backend, "cuda") == 0 ? GB_NODE_KERNEL : GB_NODE_HOST;
  gb_status status = gb_node(&gb, c, GB_NODE_TENSOR, "x", "X", NULL, 0, bytes);
  if (status == GB_OK)
    status = gb_node(&gb, c, kind, "loss", self->flags & GB_VARIANT_YARDSTICK ? "sum of a row" : "log sum exp - logit",
                     self->summary, 0, 0);
  if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_TENSOR, "y", "loss", NULL, 0, 4 * m);
  if (status == GB_OK) status = gb_edge(&gb, c, "x", "loss", reads[how->passes], bytes * (uint64_t)how->passes);
  return status == GB_OK ? gb_edge(&gb, c, "loss", "y", NULL, 4 * m) : status;
}

static gb_status cross_entropy_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const gb_status status = state_loss_graph(self, c);
  if (status != GB_OK) return status;
  struct cross_entropy_call *call = calloc(1, sizeof *call);
  if (call == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  call->x = gb.tensor->data(c, "x");
  call->target = gb.tensor->data(c, "target");
  call->loss = gb.tensor->data(c, "loss");
  call->m = gb.point->i64(c, "m");
  call->n = gb.point->i64(c, "n");
  call->dtype = softmax_dtype(c);
  call->threads = gb_threads(&gb, c, call->m);
  call->stream = gb.cuda->stream(c);
  *vstate = call;
  return GB_OK;
}

static void cross_entropy_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)c;
  free(vstate);
}

static gb_status cross_entropy_run(const gb_variant *self, gb_case *c, void *vstate) {
  const int code = ((const method *)self->user)->run(vstate);
  if (code == 0) return GB_OK;
#ifdef GPUBENCH_CUDA
  return gb_failf(&gb, c, GB_EDEVICE, "launch of %s: %s", self->name, softmax_cuda_error(code));
#else
  return gb_failf(&gb, c, GB_EDEVICE, "%s: %d", self->name, code);
#endif
}

#define VARIANT(on, id, what, reads, flag)                                                      \
  static const method on##_##id##_method = {.run = cross_entropy_##on##_##id, .passes = reads}; \
  static const gb_variant on##_##id = {GB_SIZE(gb_variant),                                     \
                                       .flags = flag,                                           \
                                       .name = #id,                                             \
                                       .summary = what,                                         \
                                       .backend = #on,                                          \
                                       .math = "native",                                        \
                                       .user = &on##_##id##_method,                             \
                                       .prepare = cross_entropy_prepare,                        \
                                       .run = cross_entropy_run,                                \
                                       .release = cross_entropy_release}

VARIANT(cpu, naive, "two passes: maximum, sum", 2, GB_VARIANT_BASELINE);
VARIANT(cpu, online, "one pass: running maximum and sum", 1, 0);
VARIANT(cpu, read, "the sum of each row", 1, GB_VARIANT_YARDSTICK);
#ifdef GPUBENCH_CUDA
VARIANT(cuda, naive, "a block per row, two passes: maximum, sum", 2, GB_VARIANT_BASELINE);
VARIANT(cuda, online, "a block per row, one pass: running maximum and sum", 1, 0);
VARIANT(cuda, read, "a block per row, its sum", 1, GB_VARIANT_YARDSTICK);
#endif

/* ---- The tables ------------------------------------------------------------------------------------------------ */

static const gb_axis axis_m = {GB_SIZE(gb_axis), .type = GB_I64,    .name = "m",
                               .unit = "rows",   .summary = "rows", .values = "1024"};
static const gb_axis axis_n = {GB_SIZE(gb_axis),   .type = GB_I64,          .name = "n",
                               .unit = "elements", .summary = "vocabulary", .values = "1024"};
static const gb_axis axis_dtype = {
    GB_SIZE(gb_axis), .type = GB_STR, .name = "dtype", .summary = "storage type of x", .choices = "fp32,fp16,bf16",
    .values = "fp32"};

#define PRESET(id, label, where, what, backend) \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = what, .point = where, .backends = backend}

PRESET(gpt2, "gpt2", "m=8192,n=50257,dtype=fp32", "GPT-2's vocabulary: rows off every alignment", NULL);
PRESET(gpt2_bf16, "gpt2-bf16", "m=8192,n=50257,dtype=bf16", "the same in bf16", NULL);
PRESET(llama, "llama3-bf16", "m=4096,n=128256,dtype=bf16", "Llama 3's", "cuda");
PRESET(cpu_gpt2, "cpu-gpt2", "m=256,n=50257,dtype=fp32", "GPT-2's vocabulary", "cpu");

const gb_bench softmax_cross_entropy = {
    GB_SIZE(gb_bench),
    .name = "cross_entropy",
    .contract = "gpubench.org/softmax/cross_entropy/1",
    .summary = "cross-entropy of every row of logits with its target, forward",
    .axes = (const gb_axis *const[]){&axis_m, &axis_n, &axis_dtype, NULL},
    .presets = (const gb_preset *const[]){&gpt2, &gpt2_bf16, &llama, &cpu_gpt2, NULL},
    .variants =
        (const gb_variant *const[]){
#ifdef GPUBENCH_CUDA
            &cuda_naive, &cuda_online, &cuda_read,
#endif
            &cpu_naive, &cpu_online, &cpu_read, NULL},
    .supports = cross_entropy_supports,
    .setup = cross_entropy_setup,
    .reference = cross_entropy_reference,
};
