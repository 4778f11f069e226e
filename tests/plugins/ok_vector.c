/* A correct plugin, with which most end-to-end tests run. It computes y = a * x and has axes of all three types,
 * presets, a baseline, a variant that does the work twice, one that skips sizes that it does not support, and one for
 * another backend. */
#include <gpubench/sugar.h>

#include "bf16.h"

enum { CHUNK = 1024 };

static gb_sdk gb;

struct scale {
  int64_t n;
  double a;
  int bf16;
  const void *x;
  void *y;
};

static struct scale scale_of(gb_case *c) {
  return (struct scale){.n = gb.point->i64(c, "n"),
                        .a = gb.point->f64(c, "a"),
                        .bf16 = gb.tensor->dtype(c, "x") == GB_DTYPE_BF16,
                        .x = gb.tensor->data(c, "x"),
                        .y = gb.tensor->data(c, "y")};
}

static void scale_once(const struct scale *s) {
  if (s->bf16) {
    const uint16_t *x = s->x;
    uint16_t *y = s->y;
    for (int64_t i = 0; i < s->n; i++)
      y[i] = to_bf16((float)s->a * from_bf16(x[i]));
  } else {
    const float *x = s->x;
    float *y = s->y;
    for (int64_t i = 0; i < s->n; i++)
      y[i] = (float)s->a * x[i];
  }
}

/* The function `run`. `user` points to the number of times that it does the work. */
static gb_status scale_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  struct scale s = scale_of(c);
  for (int i = 0; i < *(const int *)self->user; i++) {
    scale_once(&s);
    __asm__ volatile("" ::: "memory"); /* prevents the compiler from doing the work only once */
  }
  return GB_OK;
}

static gb_status blocked_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  int64_t n = gb.point->i64(c, "n");
  if (n % 8 == 0) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "n is %lld, not a multiple of 8", (long long)n);
}

/* Allocates a workspace, so that the column extra_mem_bytes of the results is not 0. */
static gb_status blocked_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  *vstate = gb.mem->alloc(c, GB_MEM_DEVICE, 4096);
  return *vstate != NULL ? GB_OK : GB_ENOMEM;
}

static gb_status scale_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  if (gb.point->i64(c, "n") <= 1 << 24) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "n is above 16M");
}

static gb_status scale_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  int64_t n = gb.point->i64(c, "n");
  uint32_t dtype = gb.point->str(c, "dtype")[0] == 'b' ? GB_DTYPE_BF16 : GB_DTYPE_F32;
  uint64_t bytes = (uint64_t)n * (dtype == GB_DTYPE_BF16 ? 2 : 4);
  const gb_tensor x = {GB_SIZE(gb_tensor), .role = GB_IN,          .dtype = dtype, .rank = 1,  .name = "x",
                       .shape = &n,        .fill = GB_FILL_NORMAL, .fill_a = 0,    .fill_b = 1};
  const gb_tensor y = {GB_SIZE(gb_tensor), .role = GB_OUT, .dtype = dtype, .rank = 1,
                       .name = "y",        .shape = &n,    .reduction = 1};
  const gb_work work = {GB_SIZE(gb_work),       .flops = (uint64_t)n, .bytes_read = bytes,
                        .bytes_written = bytes, .items = (uint64_t)n, .item_unit = "elements"};
  gb_status status = gb.tensor->declare(c, &x);
  if (status == GB_OK) status = gb.tensor->declare(c, &y);
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

static gb_status scale_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  double values[CHUNK], a = gb.point->f64(c, "a");
  uint64_t n = (uint64_t)gb.point->i64(c, "n");
  gb_status status = GB_OK;
  for (uint64_t first = 0; first < n && status == GB_OK; first += CHUNK) {
    uint64_t count = n - first < CHUNK ? n - first : CHUNK;
    status = gb.tensor->input(c, "x", first, count, values);
    for (uint64_t i = 0; i < count; i++)
      values[i] *= a;
    if (status == GB_OK) status = gb.tensor->expect(c, "y", first, count, values);
  }
  return status;
}

static const gb_axis axis_n = {GB_SIZE(gb_axis),   .type = GB_I64,      .name = "n",
                               .unit = "elements", .summary = "length", .values = "1k:64k:x8"};
static const gb_axis axis_dtype = {GB_SIZE(gb_axis), .type = GB_STR, .name = "dtype", .choices = "fp32,bf16",
                                   .values = "fp32"};
static const gb_axis axis_a = {GB_SIZE(gb_axis), .type = GB_F64, .name = "a", .summary = "factor", .values = "2.5"};

static const gb_preset preset_small = {GB_SIZE(gb_preset), .name = "small", .point = "n=4k", .backends = "cpu"};
static const gb_preset preset_large = {GB_SIZE(gb_preset), .name = "large", .summary = "beyond the first cache",
                                       .point = "n=64k", .backends = "cpu,cuda"};
static const gb_preset preset_odd = {GB_SIZE(gb_preset), .name = "odd", .point = "n=1001,dtype=bf16"};

static int once = 1, two = 2;
static const gb_variant plain = {GB_SIZE(gb_variant), .flags = GB_VARIANT_BASELINE,
                                 .name = "plain",     .summary = "one pass",
                                 .backend = "cpu",    .math = "fp32",
                                 .user = &once,       .run = scale_run};
static const gb_variant twice = {GB_SIZE(gb_variant), .name = "twice", .backend = "cpu",
                                 .math = "fp32",      .user = &two,    .run = scale_run};
static const gb_variant blocked = {
    GB_SIZE(gb_variant),          .name = "blocked",          .backend = "cpu", .math = "fp32", .user = &once,
    .supports = blocked_supports, .prepare = blocked_prepare, .run = scale_run};
static const gb_variant elsewhere = {GB_SIZE(gb_variant), .name = "elsewhere", .backend = "abacus",
                                     .math = "fp32",      .user = &once,       .run = scale_run};

static const gb_bench scale = {GB_SIZE(gb_bench),
                               .name = "scale",
                               .contract = "gpubench.org/test/vector/scale/1",
                               .summary = "y = a * x",
                               .axes = (const gb_axis *const[]){&axis_n, &axis_dtype, &axis_a, NULL},
                               .presets = (const gb_preset *const[]){&preset_small, &preset_large, &preset_odd, NULL},
                               .variants = (const gb_variant *const[]){&plain, &twice, &blocked, &elsewhere, NULL},
                               .supports = scale_supports,
                               .setup = scale_setup,
                               .reference = scale_reference};

static gb_status vector_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &scale) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD,       .id = "vector",         .version = "1.0.0",
                                .build = "for tests", .summary = "y = a * x", .open = vector_open};
