#include "preprocess_bench.h"

#include <stdlib.h>

#include "machine.h"
#include "pool.h"
#include "preprocess.h"

/* up to this many images, with at most CHECKED elements together, are all compared with the reference */
#define WHOLE 64
#define CHECKED ((int64_t)4 << 20)
#define SAMPLED 8

/* ---- The problem ----------------------------------------------------------------------------------------------- */

static struct image_shape preprocess_shape_of(gb_case *c) {
  return (struct image_shape){.height = (int32_t)gb.point->i64(c, "h"),
                              .width = (int32_t)gb.point->i64(c, "w"),
                              .crop = (int32_t)gb.point->i64(c, "crop")};
}

static gb_status preprocess_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  gb_status status = gb_axis_within(&gb, c, "n", 1, 65535);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "h", 1, 8192);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "w", 1, 8192);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "crop", 1, 8192);
  if (status != GB_OK) return status;
  const struct image_shape shape = preprocess_shape_of(c);
  if (shape.crop <= shape.height && shape.crop <= shape.width) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "crop is %d: must fit into %d x %d", shape.crop, shape.height, shape.width);
}

static gb_status declare_preprocess(gb_case *c, const char *name, uint32_t role, uint32_t dtype, uint32_t rank,
                                    const int64_t *extents, double below) {
  const gb_tensor tensor = {GB_SIZE(gb_tensor), .role = role,     .dtype = dtype,          .rank = rank,
                            .name = name,       .shape = extents, .fill = GB_FILL_UNIFORM, .fill_b = below,
                            .reduction = 1};
  return gb.tensor->declare(c, &tensor);
}

static gb_status preprocess_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const struct image_shape shape = preprocess_shape_of(c);
  const int64_t n = gb.point->i64(c, "n");
  const int64_t x[] = {n, shape.height, shape.width, IMAGE_CHANNELS}, geometry[] = {n, IMAGE_GEOMETRY};
  const int64_t y[] = {n, IMAGE_CHANNELS, shape.crop, shape.crop};
  const int half = gb_axis_is(&gb, c, "dtype", "fp16");
  /* The count of floating-point operations stays unset, because the bench is limited by the bytes that it moves. Of x
   * only the window of each image is counted, because a variant need not read the rest. */
  const gb_work work = {GB_SIZE(gb_work), .bytes_read = (uint64_t)(n * image_outputs(&shape)),
                        .bytes_written = (uint64_t)(n * image_outputs(&shape) * (half ? 2 : 4)), .items = (uint64_t)n,
                        .item_unit = "samples"};
  gb_status status = declare_preprocess(c, "x", GB_IN, GB_DTYPE_U8, 4, x, 256.0);
  if (status == GB_OK) status = declare_preprocess(c, "geometry", GB_IN, GB_DTYPE_I32, 2, geometry, 65536.0);
  if (status == GB_OK) status = declare_preprocess(c, "y", GB_OUT, half ? GB_DTYPE_F16 : GB_DTYPE_F32, 4, y, 0.0);
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

/* ---- The reference --------------------------------------------------------------------------------------------- */

static void expected_image(const struct image_shape *shape, const struct image_window *window, const double *x,
                           double *y) {
  for (int32_t channel = 0; channel < IMAGE_CHANNELS; channel++)
    for (int32_t row = 0; row < shape->crop; row++)
      for (int32_t column = 0; column < shape->crop; column++)
        y[image_target(shape, channel, row, column)] =
            image_value((uint8_t)x[image_source(shape, window, row, column) + channel], channel);
}

static gb_status expect_image(gb_case *c, const struct image_shape *shape, int64_t i, double *x, double *y) {
  double raw[IMAGE_GEOMETRY] = {0.0};
  int32_t geometry[IMAGE_GEOMETRY];
  gb_status status = gb.tensor->input(c, "geometry", (uint64_t)i * IMAGE_GEOMETRY, IMAGE_GEOMETRY, raw);
  const uint64_t bytes = (uint64_t)image_bytes(shape), outputs = (uint64_t)image_outputs(shape);
  if (status == GB_OK) status = gb.tensor->input(c, "x", (uint64_t)i * bytes, bytes, x);
  if (status != GB_OK) return status;
  for (int j = 0; j < IMAGE_GEOMETRY; j++)
    geometry[j] = (int32_t)raw[j];
  const struct image_window window = image_window_of(geometry, shape);
  expected_image(shape, &window, x, y);
  return gb.tensor->expect(c, "y", (uint64_t)i * outputs, outputs, y);
}

static gb_status preprocess_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const struct image_shape shape = preprocess_shape_of(c);
  const int64_t n = gb.point->i64(c, "n");
  const int64_t count = n <= SAMPLED || (n <= WHOLE && n * image_outputs(&shape) <= CHECKED) ? n : SAMPLED;
  double *memory = malloc((size_t)(image_bytes(&shape) + image_outputs(&shape)) * sizeof *memory);
  if (memory == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory for the reference");
  gb_status status = GB_OK;
  for (int64_t i = 0; i < count && status == GB_OK; i++)
    status = expect_image(c, &shape, gb_sampled(&gb, c, 1, i, count, n), memory, memory + image_bytes(&shape));
  free(memory);
  return status;
}

/* ---- Variants -------------------------------------------------------------------------------------------------- */

/* The properties in which the variants differ; gb_variant.user points to this struct. */
struct method {
  void (*cpu)(const struct preprocess *p, int64_t from, int64_t to);
  int (*cuda)(const struct preprocess *p, struct CUstream_st *stream);
  /* true: the variant consists of several kernels and needs memory (preprocess.work) for arrays between them */
  bool works;
};

/* The arguments of `run`, which `prepare` has looked up once. */
struct call {
  struct preprocess p;
  const struct method *how;
  struct pool *pool; /* for CPU variants only */
  int threads;
  struct CUstream_st *stream; /* for CUDA variants only */
};

static void preprocess_part(void *context, int index) {
  const struct call *call = context;
  call->how->cpu(&call->p, call->p.n * index / call->threads, call->p.n * (index + 1) / call->threads);
}

static gb_status open_threads(struct call *call, gb_case *c) {
  call->threads = threads_of(c, "threads");
  call->pool = pool_open(call->threads);
  if (call->pool == NULL) return gb_failf(&gb, c, GB_ENOMEM, "%d threads cannot be started", call->threads);
  return gb_notef(&gb, c, "threads", "%d", call->threads);
}

#ifdef GPUBENCH_CUDA
static gb_status take_work(struct call *call, gb_case *c) {
  for (int i = 0; i < 2 && call->how->works; i++) {
    call->p.work[i] = gb.mem->alloc(c, GB_MEM_DEVICE, (uint64_t)preprocess_cuda_work(&call->p, i) * sizeof(float));
    if (call->p.work[i] == NULL) return GB_ENOMEM;
  }
  return GB_OK;
}
#endif

static gb_status preprocess_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct call *call = calloc(1, sizeof *call);
  if (call == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  call->how = self->user;
  call->p = (struct preprocess){.x = gb.tensor->data(c, "x"),
                                .geometry = gb.tensor->data(c, "geometry"),
                                .y = gb.tensor->data(c, "y"),
                                .shape = preprocess_shape_of(c),
                                .scale = image_scale_of(),
                                .n = gb.point->i64(c, "n"),
                                .half = gb_axis_is(&gb, c, "dtype", "fp16")};
  gb_status status = GB_OK;
#ifdef GPUBENCH_CUDA
  call->stream = gb.cuda->stream(c);
  status = take_work(call, c);
#endif
  if (status == GB_OK && call->how->cpu != NULL) status = open_threads(call, c);
  if (status == GB_OK) {
    *vstate = call;
    return GB_OK;
  }
  pool_close(call->pool);
  free(call);
  return status;
}

static void preprocess_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  struct call *call = vstate;
  pool_close(call->pool);
  free(call);
}

static gb_status preprocess_cpu_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  struct call *call = vstate;
  pool_run(call->pool, call->threads, preprocess_part, call);
  return GB_OK;
}

static struct method plain_method = {.cpu = preprocess_plain};
static struct method rows_method = {.cpu = preprocess_rows};

#define VARIANT(id, label, what, on, flag, how, enter)                              \
  static const gb_variant id = {GB_SIZE(gb_variant), .flags = flag,                 \
                                .name = label,       .summary = what,               \
                                .backend = on,       .math = "fp32",                \
                                .user = &how,        .prepare = preprocess_prepare, \
                                .run = enter,        .release = preprocess_release}

VARIANT(cpu_plain, "plain", "loops in the order of the output, images over threads", "cpu", GB_VARIANT_BASELINE,
        plain_method, preprocess_cpu_run);
VARIANT(cpu_rows, "rows", "a row's three channels at once, vectorised, images over threads", "cpu", 0, rows_method,
        preprocess_cpu_run);

#ifdef GPUBENCH_CUDA
static gb_status preprocess_cuda_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct call *call = vstate;
  const int code = call->how->cuda(&call->p, call->stream);
  if (code != 0) return gb_failf(&gb, c, GB_EDEVICE, "launch of %s: %s", self->name, preprocess_cuda_error(code));
  return GB_OK;
}

static struct method separate_method = {.cuda = preprocess_cuda_separate, .works = true};
static struct method fused_method = {.cuda = preprocess_cuda_fused};

VARIANT(cuda_separate, "separate", "four kernels: cast, crop and mirror, normalise, transpose", "cuda",
        GB_VARIANT_BASELINE, separate_method, preprocess_cuda_run);
VARIANT(cuda_fused, "fused", "one kernel: 8-bit pixels in, normalised planes out", "cuda", 0, fused_method,
        preprocess_cuda_run);
#endif

/* ---- The tables ------------------------------------------------------------------------------------------------ */

#define CPU_DEFAULT(id, text) \
  static const gb_axis_default id = {GB_SIZE(gb_axis_default), .backend = "cpu", .values = text}
#define AXIS(id, label, what, text, ...)                        \
  static const gb_axis id = {GB_SIZE(gb_axis), .type = GB_I64,  \
                             .name = label,    .summary = what, \
                             .values = text,   .defaults = (const gb_axis_default *const[]){__VA_ARGS__ NULL}}

CPU_DEFAULT(cpu_n, "32");

AXIS(axis_n, "n", "images", "256", &cpu_n, );
AXIS(axis_h, "h", "height of an image", "256", );
AXIS(axis_w, "w", "width of an image", "256", );
AXIS(axis_crop, "crop", "height and width of its window", "224", );
AXIS(axis_threads, "threads", "on the cpu; 0: one per CPU", "0", );
static const gb_axis axis_dtype = {GB_SIZE(gb_axis),           .type = GB_STR,         .name = "dtype",
                                   .summary = "of the output", .choices = "fp16,fp32", .values = "fp16"};

const gb_bench preprocess_bench = {
    GB_SIZE(gb_bench),
    .name = "preprocess",
    .contract = "gpubench.org/data_pipeline/preprocess/1",
    .summary = "8-bit images to normalised planes, cropped and mirrored",
    .axes = (const gb_axis *const[]){&axis_n, &axis_h, &axis_w, &axis_crop, &axis_dtype, &axis_threads, NULL},
    .variants =
        (const gb_variant *const[]){
#ifdef GPUBENCH_CUDA
            &cuda_separate, &cuda_fused,
#endif
            &cpu_plain, &cpu_rows, NULL},
    .supports = preprocess_supports,
    .setup = preprocess_setup,
    .reference = preprocess_reference,
};
