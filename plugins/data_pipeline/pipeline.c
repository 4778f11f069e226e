/* The bench `pipeline`: its file and tensors, the reference, and the tables of its axes, presets and variants. */
#include "pipeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define PATH_BYTES 4096
/* arrays of times: one for each stage, and three for times that CUDA events measure */
#define LINE_ARRAYS (FLOW_STAGES + 3)

/* ---- The problem ----------------------------------------------------------------------------------------------- */

static gb_status pipeline_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  gb_status status = gb_axis_within(&gb, c, "side", 8, 4096);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "chunk", 1, 65535);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "chunks", 1, 1 << 20);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "work", 1, 1 << 20);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "depth", 1, FLOW_DEPTH_MAX);
  return status == GB_OK ? gb_axis_within(&gb, c, "workers", 0, MACHINE_THREADS_MAX) : status;
}

/* Returns the number of worker threads. If the axis `workers` gives no number, it is the number of processors. On more
 * than four processors it is two less, because one thread enqueues work for the device and another waits for it. */
static int workers_of(gb_case *c) {
  const int workers = threads_of(c, "workers");
  const bool given = gb.point->i64(c, "workers") > 0;
  return given || workers <= 4 ? workers : workers - 2;
}

static gb_status take_room(struct pipeline *p, gb_case *c) {
  const uint64_t records = p->file.layout.records;
  p->drawn = malloc(records * IMAGE_GEOMETRY * sizeof *p->drawn);
  p->expected = malloc(records * sizeof *p->expected);
  return p->drawn != NULL && p->expected != NULL ? GB_OK : gb_failf(&gb, c, GB_ENOMEM, "no host memory");
}

static gb_status open_pipeline_file(struct pipeline *p, gb_case *c) {
  const uint64_t chunk = (uint64_t)gb.point->i64(c, "chunk");
  const struct records_wish wish = {.record_bytes = (uint64_t)image_bytes(&p->shape),
                                    .records = chunk * (uint64_t)gb.point->i64(c, "chunks"),
                                    .chunk_records = chunk,
                                    .synced = p->cold};
  const gb_status status = records_open(&p->file, c, &wish, p->pool, p->workers);
  return status == GB_OK && p->cold ? records_chill(&p->file, c) : status;
}

/* ---- The expected result of the consumer, computed in float64 from the file ------------------------------------- */

/* Computes weights[i % IMAGE_WEIGHTS] for each element i of an image: the sum of the element's weights over all
 * repetitions. This sum depends on i % IMAGE_WEIGHTS only. */
static void sum_weights(int32_t repeats, double *weights) {
  for (int32_t i = 0; i < IMAGE_WEIGHTS; i++) {
    weights[i] = 0.0;
    for (int32_t r = 0; r < repeats; r++)
      weights[i] += (double)image_weight(image_weight_index(i, r));
  }
}

static double expected_sum(const struct pipeline *p, const uint8_t *x, uint64_t record, const double *weights) {
  const struct image_window window = image_window_of(p->drawn + record * IMAGE_GEOMETRY, &p->shape);
  double sum = 0.0;
  for (int32_t channel = 0; channel < IMAGE_CHANNELS; channel++)
    for (int32_t row = 0; row < p->shape.crop; row++)
      for (int32_t column = 0; column < p->shape.crop; column++)
        sum += image_value(x[image_source(&p->shape, &window, row, column) + channel], channel) *
               weights[image_target(&p->shape, channel, row, column) % IMAGE_WEIGHTS];
  return sum;
}

struct expect_job {
  struct pipeline *p;
  double weights[IMAGE_WEIGHTS];
  struct trouble trouble;
};

static void expect_task(void *context, int index) {
  struct expect_job *job = context;
  struct pipeline *p = job->p;
  const uint64_t bytes = p->file.layout.record_bytes;
  uint8_t *x = malloc(bytes);
  if (x == NULL) {
    trouble_set(&job->trouble, GB_ENOMEM, "no host memory for a record");
    return;
  }
  for (uint64_t i = (uint64_t)index; i < p->file.layout.records; i += (uint64_t)p->workers) {
    if (records_read(&p->file, p->file.fd, i * bytes, bytes, x, &job->trouble) != 0) break;
    p->expected[i] = expected_sum(p, x, i, job->weights);
  }
  free(x);
}

/* Reads the input tensor `geometry` through the host into p->drawn, column by column. p->expected serves as the buffer
 * for a column. */
static gb_status take_geometry(struct pipeline *p, gb_case *c) {
  const uint64_t records = p->file.layout.records;
  for (uint64_t column = 0; column < IMAGE_GEOMETRY; column++) {
    const gb_status status = gb.tensor->input_strided(c, "geometry", column, IMAGE_GEOMETRY, records, p->expected);
    if (status != GB_OK) return status;
    for (uint64_t i = 0; i < records; i++)
      p->drawn[i * IMAGE_GEOMETRY + column] = (int32_t)p->expected[i];
  }
  return GB_OK;
}

static gb_status take_expected(struct pipeline *p, gb_case *c) {
  struct expect_job job = {.p = p, .trouble = TROUBLE_NONE};
  sum_weights(p->repeats, job.weights);
  pool_run(p->pool, p->workers, expect_task, &job);
  return trouble_tell(&job.trouble, c);
}

static gb_status pipeline_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  struct pipeline *p = state;
  gb_status status = take_geometry(p, c);
  if (status == GB_OK) status = take_expected(p, c);
  return status == GB_OK ? gb.tensor->expect(c, "sums", 0, p->file.layout.records, p->expected) : status;
}

/* ---- Set-up ----------------------------------------------------------------------------------------------------- */

/* Fills the input tensor `path` with the bytes of the path of the file, followed by zeros. Variants that other plugins
 * add to this bench read the path there. */
static gb_status pipeline_fill(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  const struct pipeline *p = state;
  double bytes[PATH_BYTES];
  const size_t length = strlen(p->file.path);
  for (size_t i = 0; i < length; i++)
    bytes[i] = (unsigned char)p->file.path[i];
  return gb.input->write(c, "path", 0, length, bytes);
}

static gb_status declare_inputs(const struct pipeline *p, gb_case *c) {
  const int64_t windows[] = {(int64_t)p->file.layout.records, IMAGE_GEOMETRY}, bytes = PATH_BYTES;
  const gb_tensor geometry = {GB_SIZE(gb_tensor), .role = GB_IN,    .dtype = GB_DTYPE_I32,   .rank = 2,
                              .name = "geometry", .shape = windows, .fill = GB_FILL_UNIFORM, .fill_b = 65536.0};
  const gb_tensor path = {GB_SIZE(gb_tensor), .role = GB_IN,   .dtype = GB_DTYPE_U8, .rank = 1,
                          .name = "path",     .shape = &bytes, .fill = GB_FILL_BENCH};
  const gb_status status = gb.tensor->declare(c, &geometry);
  return status == GB_OK ? gb.tensor->declare(c, &path) : status;
}

static gb_status declare_output(const struct pipeline *p, gb_case *c) {
  const int64_t records = (int64_t)p->file.layout.records;
  const gb_tensor sums = {GB_SIZE(gb_tensor),
                          .role = GB_OUT,
                          .dtype = GB_DTYPE_F32,
                          .rank = 1,
                          .name = "sums",
                          .shape = &records,
                          .reduction = (uint64_t)image_outputs(&p->shape) * (uint64_t)p->repeats};
  const gb_work work = {GB_SIZE(gb_work), .bytes_read = layout_bytes(&p->file.layout), .items = (uint64_t)records,
                        .item_unit = "samples"};
  const gb_status status = gb.tensor->declare(c, &sums);
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

static gb_status declare_metrics(gb_case *c) {
  static const struct {
    const char *name, *unit;
    uint32_t better;
    const char *summary;
  } metrics[] = {
      {"samples", "1/s", GB_BETTER_MORE, "records that came through"},
      {"rate", "GB/s", GB_BETTER_MORE, "bytes of records that came through"},
      {"read/busy", "1", GB_BETTER_NEITHER, "share of the time in which a chunk was being read"},
      {"h2d/busy", "1", GB_BETTER_NEITHER, "the same of copies to the device"},
      {"preprocess/busy", "1", GB_BETTER_NEITHER, "the same of preprocessing"},
      {"consume/busy", "1", GB_BETTER_NEITHER, "the same of the consumer"},
      {"slowest", "1", GB_BETTER_MORE, "the busiest stage's share: 1 where nothing but it takes time"},
      {"overlap", "1", GB_BETTER_MORE, "of the time that stages could hide behind the busiest, what they did"},
      {"cpu", "s/GB", GB_BETTER_LESS, "CPU seconds per GB of records"},
  };
  gb_status status = GB_OK;
  for (size_t i = 0; i < sizeof metrics / sizeof metrics[0] && status == GB_OK; i++)
    if (strcmp(metrics[i].name, "h2d/busy") != 0 || !on_cpu(c))
      status = declare_metric(c, metrics[i].name, metrics[i].unit, metrics[i].better, metrics[i].summary);
  return status;
}

static gb_status build_pipeline(struct pipeline *p, gb_case *c) {
  const int32_t side = (int32_t)gb.point->i64(c, "side");
  p->shape = (struct image_shape){side, side, side / 8 * 7};
  p->scale = image_scale_of();
  p->repeats = (int32_t)gb.point->i64(c, "work");
  p->cold = gb_axis_is(&gb, c, "cache", "cold");
  p->workers = workers_of(c);
  p->pool = pool_open(3 * p->workers + 2); /* enough threads for all stages of the largest variant */
  if (p->pool == NULL) return gb_failf(&gb, c, GB_ENOMEM, "%d threads cannot be started", 3 * p->workers + 2);
  gb_status status = open_pipeline_file(p, c);
  if (status == GB_OK) status = take_room(p, c);
  if (status == GB_OK) status = declare_inputs(p, c);
  if (status == GB_OK) status = declare_output(p, c);
  return status == GB_OK ? declare_metrics(c) : status;
}

static void destroy_pipeline(struct pipeline *p) {
  records_close(&p->file);
  pool_close(p->pool);
  free(p->drawn);
  free(p->expected);
  free(p);
}

static gb_status pipeline_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  struct pipeline *p = calloc(1, sizeof *p);
  if (p == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  p->file.fd = -1;
  const gb_status status = build_pipeline(p, c);
  if (status == GB_OK)
    *state = p;
  else
    destroy_pipeline(p);
  return status;
}

static void pipeline_teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  destroy_pipeline(state);
}

/* ---- Variants -------------------------------------------------------------------------------------------------- */

/* The properties in which the variants differ; gb_variant.user points to this struct. */
struct method {
  int depth; /* number of chunks in the pipeline at once; 0: the value of the axis `depth` */
  bool ships;
  gb_status (*open)(struct line *line, gb_case *c);
  gb_status (*run)(struct line *line, gb_case *c);
  void (*close)(struct line *line);
};

static void close_line(const struct method *how, struct line *line) {
  how->close(line);
  free(line->times);
  free(line);
}

static gb_status state_pipeline_notes(const struct line *line, gb_case *c) {
  const struct pipeline *p = line->p;
  gb_status status =
      gb_notef(&gb, c, "file", "%" PRIu64 " records of %" PRIu64 " bytes on %s%s", p->file.layout.records,
               p->file.layout.record_bytes, p->file.system, p->file.users ? ", the user's" : "");
  if (status == GB_OK) status = gb_notef(&gb, c, "chunks", "%" PRIu64, p->file.layout.chunks);
  if (status == GB_OK) status = gb_notef(&gb, c, "workers", "%d", p->workers);
  if (status == GB_OK && p->cold) status = gb_notef(&gb, c, "cold", "posix_fadvise(DONTNEED), checked by mincore");
  return status == GB_OK ? gb_notef(&gb, c, "depth", "%d", line->depth) : status;
}

static gb_status pipeline_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const struct method *how = self->user;
  struct line *line = calloc(1, sizeof *line);
  if (line == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  line->p = gb.point->state(c);
  line->p->sums = gb.tensor->data(c, "sums");
  line->p->geometry = gb.tensor->data(c, "geometry");
  line->depth = how->depth > 0 ? how->depth : (int)gb.point->i64(c, "depth");
  line->ships = how->ships;
  line->times = calloc(LINE_ARRAYS * line->p->file.layout.chunks, sizeof *line->times);
  gb_status status = line->times == NULL ? gb_failf(&gb, c, GB_ENOMEM, "no host memory") : how->open(line, c);
  if (status == GB_OK) status = state_pipeline_notes(line, c);
  if (status == GB_OK)
    *vstate = line;
  else
    close_line(how, line);
  return status;
}

static gb_status pipeline_before(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  const struct pipeline *p = ((const struct line *)vstate)->p;
  return p->cold ? records_chill(&p->file, c) : GB_OK;
}

static gb_status pipeline_run(const gb_variant *self, gb_case *c, void *vstate) {
  return ((const struct method *)self->user)->run(vstate, c);
}

static void pipeline_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)c;
  close_line(self->user, vstate);
}

/* ---- The tables ------------------------------------------------------------------------------------------------ */

#define VARIANT(id, label, what, on, flag, slots, shipping)                   \
  static struct method on##_##id##_method = {.depth = slots,                  \
                                             .ships = shipping,               \
                                             .open = pipeline_##on##_open,    \
                                             .run = pipeline_##on##_run,      \
                                             .close = pipeline_##on##_close}; \
  static const gb_variant on##_##id = {GB_SIZE(gb_variant),                   \
                                       .flags = flag,                         \
                                       .name = label,                         \
                                       .summary = what,                       \
                                       .backend = #on,                        \
                                       .math = "fp32",                        \
                                       .user = &on##_##id##_method,           \
                                       .prepare = pipeline_prepare,           \
                                       .before = pipeline_before,             \
                                       .run = pipeline_run,                   \
                                       .release = pipeline_release}

#define FIRST GB_VARIANT_BASELINE
VARIANT(serial, "serial", "depth 1: a chunk is consumed before the next is read", cpu, FIRST, 1, false);
VARIANT(double_, "double", "depth 2", cpu, 0, 2, false);
VARIANT(triple, "triple", "depth 3", cpu, 0, 3, false);
VARIANT(deep, "deep", "as deep as the axis says", cpu, 0, 0, false);

#ifdef GPUBENCH_CUDA
#define SYNC GB_VARIANT_SYNC
VARIANT(serial, "serial", "depth 1: a chunk is consumed before the next is read", cuda, SYNC | FIRST, 1, false);
VARIANT(double_, "double", "depth 2", cuda, SYNC, 2, false);
VARIANT(triple, "triple", "depth 3", cuda, SYNC, 3, false);
VARIANT(deep, "deep", "as deep as the axis says", cuda, SYNC, 0, false);
VARIANT(ships, "ship-fp32", "deep, preprocessed on the CPU by all workers: floats cross the link", cuda, SYNC, 0, true);
#endif

#define CPU_DEFAULT(id, text) \
  static const gb_axis_default id = {GB_SIZE(gb_axis_default), .backend = "cpu", .values = text}
#define AXIS(id, label, of, what, text, ...)   \
  static const gb_axis id = {GB_SIZE(gb_axis), \
                             .type = GB_I64,   \
                             .name = label,    \
                             .unit = of,       \
                             .summary = what,  \
                             .values = text,   \
                             .defaults = (const gb_axis_default *const[]){__VA_ARGS__ NULL}}

CPU_DEFAULT(cpu_side, "64");
CPU_DEFAULT(cpu_chunk, "64");
CPU_DEFAULT(cpu_chunks, "48");

AXIS(axis_side, "side", "pixels", "of an image, a record of 3 side^2 bytes; its window is 7/8 as wide", "256",
     &cpu_side, );
AXIS(axis_chunk, "chunk", "records", "records of a chunk", "32", &cpu_chunk, );
AXIS(axis_chunks, "chunks", "chunks", "of the file, as far as there is room; the user's has what it has", "100",
     &cpu_chunks, );
AXIS(axis_work, "work", NULL, "times that the consumer goes over its data", "1", );
AXIS(axis_depth, "depth", "chunks", "of the variants that are deep", "8", );
AXIS(axis_workers, "workers", "threads", "of a stage on the CPU; 0: as many as there are CPUs", "0", );
static const gb_axis axis_cache = {GB_SIZE(gb_axis),
                                   .type = GB_STR,
                                   .name = "cache",
                                   .choices = "hot,cold",
                                   .summary = "is the file in the page cache?",
                                   .values = "hot"};

static const gb_preset hot = {GB_SIZE(gb_preset), .name = "hot", .summary = "the file is in the page cache",
                              .point = "cache=hot", .backends = "cuda,cpu"};
#define SLOW(id, label, where, on)                                                                             \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = "the consumer is the bottleneck", \
                               .point = where, .backends = on}
SLOW(slow, "slow-consumer", "cache=hot,work=8", NULL);
SLOW(cpu_slow, "cpu-slow-consumer", "cache=hot,work=96", "cpu");

const gb_bench pipeline_bench = {
    GB_SIZE(gb_bench),
    .flags = GB_BENCH_NO_ROOF,
    .name = "pipeline",
    .contract = "gpubench.org/data_pipeline/pipeline/1",
    .summary = "a file of records through reading, copying, preprocessing and a consumer",
    .axes = (const gb_axis *const[]){&axis_side, &axis_chunk, &axis_chunks, &axis_work, &axis_depth, &axis_workers,
                                     &axis_cache, NULL},
    .presets = (const gb_preset *const[]){&hot, &slow, &cpu_slow, NULL},
    .variants =
        (const gb_variant *const[]){
#ifdef GPUBENCH_CUDA
            &cuda_serial, &cuda_double_, &cuda_triple, &cuda_deep, &cuda_ships,
#endif
            &cpu_serial, &cpu_double_, &cpu_triple, &cpu_deep, NULL},
    .supports = pipeline_supports,
    .setup = pipeline_setup,
    .fill = pipeline_fill,
    .reference = pipeline_reference,
    .teardown = pipeline_teardown,
};
