/* The part of the check that runs on a GPU: it computes, keeps and compares the sums of Freivalds' check (explained in
 * check_sums.c) in device memory. The kernels are in sums.cu and elements.cu. */
#include "check_parts.h"

#ifdef GPUBENCH_CUDA
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>

#define SUM_INPUTS ((int64_t)1 << 31)  /* at most about this many elements of a and b are read for the sums */
#define SUM_OUTPUTS ((int64_t)1 << 31) /* at most this many elements of c are read for the sums */
/* At most this many columns take part in the sums, because the CPU generates a random weight for each. */
#define SUM_COLUMNS ((int64_t)1 << 20)
/* At most this many sums are computed (rows times blocks of columns), because each takes 72 bytes: four expected and
 * five measured numbers. */
#define SUMS ((int64_t)1 << 20)

/* If there is an epilogue, every element of c is compared with an fp32 product that a simple kernel computes. The
 * allowed error is ELEMENT_FACTOR times that of the sample, because rounding to 16 bits alone reaches 2.3 times the
 * sample's error. ELEMENT_ERROR bounds the error of the fp32 product itself, for k up to 2^16. */
#define ELEMENT_FACTOR 6.0
#define ELEMENT_ERROR 0x1p-18

enum { VECTORS = MATMUL_VECTORS };

struct matmul_device {
  struct matmul_sums sums;
  struct CUstream_st *stream;
  /* numbers of the rows and columns that take part in the sums, in device memory; unused if all of them do */
  int64_t *row, *column;
  int64_t *sample_row, *sample_column;
  double *weight;
};

static gb_status device_status(const gb_sdk *sdk, gb_case *c, const char *what, int code) {
  return code == 0 ? GB_OK : gb_failf(sdk, c, GB_EDEVICE, "the check's %s: %s", what, matmul_cuda_error(code));
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

/* One allocation of device memory, which is divided into parts. take_arena_part() is called for all parts twice. During
 * the first pass `base` is 0, and only `used` matters: it becomes the size that the allocation must have. The second
 * pass returns the addresses of the parts. */
struct arena {
  uintptr_t base;
  uint64_t used;
};

static void *take_arena_part(struct arena *arena, int64_t count, size_t size) {
  void *part = (void *)(arena->base + arena->used); /* NOLINT: without a base the pointer is not used */
  arena->used += ((uint64_t)count * size + 255) / 256 * 256;
  return part;
}

static void take_device_parts(struct matmul_device *d, struct arena *arena, int64_t samples) {
  struct matmul_sums *s = &d->sums;
  const int64_t sums = s->rows * s->blocks;
  d->row = take_arena_part(arena, s->rows, sizeof *d->row);
  d->column = take_arena_part(arena, s->columns, sizeof *d->column);
  s->weight = d->weight = take_arena_part(arena, s->columns * VECTORS, sizeof *d->weight);
  s->vectors = take_arena_part(arena, s->blocks * VECTORS * s->depth, sizeof *s->vectors);
  s->sums = take_arena_part(arena, sums * VECTORS, sizeof *s->sums);
  s->measured = take_arena_part(arena, sums * (VECTORS + 1), sizeof *s->measured);
  s->wrong = take_arena_part(arena, 1, sizeof *s->wrong);
  s->sample_row = d->sample_row = take_arena_part(arena, MATMUL_SAMPLE_ROWS, sizeof *d->sample_row);
  s->sample_column = d->sample_column = take_arena_part(arena, MATMUL_SAMPLE_COLUMNS, sizeof *d->sample_column);
  s->sample = take_arena_part(arena, samples, sizeof *s->sample);
}

/* ---- The operations of struct matmul_check_work ---------------------------------------------------------------- */

static int64_t device_stride(const struct matmul_check *check) {
  const int64_t inputs = parts((check->m + check->n) * check->k, SUM_INPUTS);
  const int64_t outputs = parts(check->m * check->n, SUM_OUTPUTS);
  const int64_t blocks = min_i64(parts(check->n, MATMUL_SUM_BLOCK), MATMUL_SUM_BLOCKS);
  return max_i64(max_i64(inputs, outputs), max_i64(parts(check->n, SUM_COLUMNS), parts(check->m * blocks, SUMS)));
}

static int put_on_device(const struct matmul_device *d, void *to, const void *from, int64_t count, size_t size) {
  return (int)cudaMemcpyAsync(to, from, (size_t)count * size, cudaMemcpyHostToDevice, d->stream);
}

/* Copies from the device, and waits for all work on the stream. */
static int get_from_device(const struct matmul_device *d, void *to, const void *from, int64_t count, size_t size) {
  const int code = (int)cudaMemcpyAsync(to, from, (size_t)count * size, cudaMemcpyDeviceToHost, d->stream);
  return code == 0 ? (int)cudaStreamSynchronize(d->stream) : code;
}

static gb_status device_state(const gb_sdk *sdk, gb_case *c, struct matmul_check *check) {
  struct matmul_device *d = check->device;
  struct matmul_sums *s = &d->sums;
  const int all = check->stride == 1;
  int code = put_on_device(d, d->weight, check->weight, s->columns * VECTORS, sizeof *d->weight);
  if (code == 0 && !all) code = put_on_device(d, d->row, check->sum_row, s->rows, sizeof *d->row);
  if (code == 0 && !all) code = put_on_device(d, d->column, check->sum_column, s->columns, sizeof *d->column);
  s->row = all ? NULL : d->row;
  s->column = all ? NULL : d->column;
  s->a = sdk->tensor->data(c, "a");
  s->b = sdk->tensor->data(c, "b");
  s->c = sdk->tensor->data(c, "c");
  if (code == 0) code = matmul_cuda_state_sums(s, d->stream);
  if (code == 0) code = (int)cudaStreamSynchronize(d->stream);
  return device_status(sdk, c, "sums of the inputs", code);
}

static gb_status device_sample(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, double *values) {
  struct matmul_device *d = check->device;
  struct matmul_sums *s = &d->sums;
  int code = put_on_device(d, d->sample_row, check->row, check->rows, sizeof *d->sample_row);
  if (code == 0) code = put_on_device(d, d->sample_column, check->column, check->columns, sizeof *d->sample_column);
  s->c = sdk->tensor->data(c, "c");
  s->sample_rows = check->rows;
  s->sample_columns = check->columns;
  if (code == 0) code = matmul_cuda_take_sample(s, d->stream);
  if (code == 0) code = get_from_device(d, values, s->sample, check->rows * check->columns, sizeof *values);
  return device_status(sdk, c, "sample of c", code);
}

/* Reports an error for the sum with index `at` (row * blocks + block), which the GPU found to be wrong. */
static gb_status report_off(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check,
                            const struct matmul_measured *m, int64_t at) {
  const struct matmul_device *d = check->device;
  double found[VECTORS + 1], stated[VECTORS];
  int code = get_from_device(d, found, d->sums.measured + at * (VECTORS + 1), VECTORS + 1, sizeof *found);
  if (code == 0) code = get_from_device(d, stated, d->sums.sums + at * VECTORS, VECTORS, sizeof *stated);
  if (code != 0) return device_status(sdk, c, "sums of c", code);
  const struct matmul_off off = matmul_check_judge(check, m, at % check->blocks, found, stated);
  return matmul_check_report(sdk, c, check, at / check->blocks, at % check->blocks, &off);
}

static gb_status device_compare(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check,
                                const struct matmul_measured *m) {
  const struct matmul_device *d = check->device;
  unsigned long long wrong = 0;
  int code = matmul_cuda_compare_sums(&d->sums, matmul_check_factor(m), m->rms, d->stream);
  if (code == 0) code = get_from_device(d, &wrong, d->sums.wrong, 1, sizeof wrong);
  if (code != 0) return device_status(sdk, c, "sums of c", code);
  return wrong == ~0ULL ? GB_OK : report_off(sdk, c, check, m, (int64_t)wrong);
}

/* Compares every element of c with a plain fp32 product and its epilogue. The first wrong element is computed again in
 * float64, for the message. */
static gb_status device_elements(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check,
                                 const struct matmul_measured *m) {
  const struct matmul_device *d = check->device;
  const struct matmul_problem p = {.a = sdk->tensor->data(c, "a"),
                                   .b = sdk->tensor->data(c, "b"),
                                   .c = sdk->tensor->data(c, "c"),
                                   .extra = sdk->tensor->data(c, matmul_extra_name(check->epilogue)),
                                   .m = check->m,
                                   .n = check->n,
                                   .k = check->k,
                                   .dtype = d->sums.dtype,
                                   .epilogue = check->epilogue};
  const double factor = ELEMENT_FACTOR * (m->error + ELEMENT_ERROR);
  unsigned long long wrong = 0;
  double must = 0, is = 0;
  int code = matmul_cuda_compare_elements(&p, factor, m->rms, d->sums.wrong, d->stream);
  if (code == 0) code = get_from_device(d, &wrong, d->sums.wrong, 1, sizeof wrong);
  if (code != 0 || wrong == ~0ULL) return device_status(sdk, c, "plain product", code);
  const int64_t row = (int64_t)wrong / check->n, column = (int64_t)wrong % check->n;
  gb_status status = matmul_check_element(sdk, c, check, row, column, &must);
  if (status == GB_OK) status = sdk->tensor->output(c, "c", wrong, 1, &is);
  if (status != GB_OK) return status;
  return gb_failf(sdk, c, GB_EFAIL, "element [%lld, %lld] of c is %.6g and must be %.6g, by no more than %.3g",
                  (long long)row, (long long)column, is, must, factor * (fabs(must) + m->rms));
}

static const struct matmul_check_work elements = {.sample = device_sample, .compare = device_elements};

static const struct matmul_check_work device = {
    .stride = device_stride, .sample = device_sample, .state = device_state, .compare = device_compare};

int matmul_check_device_sums(const struct matmul_check *check, double *sums, double *measured) {
  const struct matmul_device *d = check->device;
  const int64_t count = d->sums.rows * d->sums.blocks;
  int code = sums == NULL ? 0 : get_from_device(d, sums, d->sums.sums, count * VECTORS, sizeof *sums);
  if (code == 0 && measured != NULL)
    code = get_from_device(d, measured, d->sums.measured, count * (VECTORS + 1), sizeof *measured);
  return code;
}

gb_status matmul_check_on_device(const gb_sdk *sdk, gb_case *c, struct matmul_check *check, int32_t dtype) {
  const int all = matmul_check_states_all(check);
  struct arena arena = {0, 0};
  const int plain = check->epilogue == MATMUL_PLAIN;
  check->work = plain ? &device : &elements;
  check->most_rows = MATMUL_SAMPLE_ROWS;
  check->most_columns = MATMUL_SAMPLE_COLUMNS;
  if (all && check->error_most <= 0) return GB_OK;
  struct matmul_device *d = check->device = calloc(1, sizeof *d);
  if (d == NULL) return gb_failf(sdk, c, GB_ENOMEM, "no host memory");
  if (plain) matmul_check_lay_out_sums(check);
  d->stream = sdk->cuda->stream(c);
  d->sums = (struct matmul_sums){.n = check->n, .k = check->k, .dtype = dtype};
  if (!all && plain) {
    d->sums.rows = check->sum_rows, d->sums.columns = check->sum_columns;
    d->sums.blocks = check->blocks, d->sums.width = check->width;
    d->sums.depth = min_i64(check->k, MATMUL_DEPTH);
  }
  const int64_t samples = min_i64(check->m, MATMUL_SAMPLE_ROWS) * min_i64(check->n, MATMUL_SAMPLE_COLUMNS);
  take_device_parts(d, &arena, samples);
  arena.base = (uintptr_t)sdk->mem->alloc(c, GB_MEM_DEVICE, arena.used);
  if (arena.base == 0) return GB_ENOMEM;
  arena.used = 0;
  take_device_parts(d, &arena, samples);
  return GB_OK;
}
#endif
