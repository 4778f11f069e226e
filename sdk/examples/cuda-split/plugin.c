/* z = 2x + y on a GPU: everything but the kernels, which are in kernel.cu. To make it yours: 1. name the problem and
 * its axes; 2. declare tensors in setup; 3. state the right outputs in reference; 4. write the kernels, and a function
 * that launches each; 5. list it all in the tables below. */
#include <gpubench/sugar.h>
#include <stdlib.h>

#include "kernel.h"

static gb_sdk gb; /* the host's services */

static gb_status axpy_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self, (void)state;
  int64_t n = gb.point->i64(c, "n");
  gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_IN,          .dtype = GB_DTYPE_F32, .rank = 1,
                 .shape = &n,        .fill = GB_FILL_NORMAL, .fill_b = 1,           .reduction = 2};
  t.name = "x", gb.tensor->declare(c, &t);
  t.name = "y", gb.tensor->declare(c, &t);
  t.name = "z", t.role = GB_OUT, gb.tensor->declare(c, &t);
  return gb.point->work(c, &(gb_work){GB_SIZE(gb_work), .flops = 2 * (uint64_t)n, .bytes_read = 8 * (uint64_t)n,
                                      .bytes_written = 4 * (uint64_t)n});
}

static gb_status axpy_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  uint64_t n = (uint64_t)gb.point->i64(c, "n");
  double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  if (!x || !y) return free(x), free(y), gb_failf(&gb, c, GB_ENOMEM, "reference: no memory for x and y");
  gb.tensor->input(c, "x", 0, n, x), gb.tensor->input(c, "y", 0, n, y);
  for (uint64_t i = 0; i < n; i++)
    x[i] = 2 * x[i] + y[i];
  gb_status status = gb.tensor->expect(c, "z", 0, n, x);
  return free(x), free(y), status;
}

/* The `user` data of a variant: the kernel that it launches. */
struct launcher {
  int (*launch)(const float *x, const float *y, float *z, int64_t n, struct CUstream_st *stream);
  int64_t multiple; /* n must be a multiple of this */
};

static gb_status axpy_supports(const gb_variant *self, gb_case *c) {
  const struct launcher *with = self->user;
  if (gb.point->i64(c, "n") % with->multiple == 0) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "n is no multiple of %d", (int)with->multiple);
}

static gb_status axpy_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  const struct launcher *with = self->user;
  const int code = with->launch(gb.tensor->data(c, "x"), gb.tensor->data(c, "y"), gb.tensor->data(c, "z"),
                                gb.point->i64(c, "n"), gb.cuda->stream(c));
  return code == 0 ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "launch: %s", kernel_error(code));
}

#define ON_GPU GB_SIZE(gb_variant), .backend = "cuda", .math = "fp32", .supports = axpy_supports, .run = axpy_run

static const gb_axis n = {GB_SIZE(gb_axis), .type = GB_I64, .name = "n", .values = "1M:64M:x8"};
static const struct launcher one = {kernel_plain, 1}, four = {kernel_vector, 4};
static const gb_variant plain = {ON_GPU, .name = "plain", .user = &one, .flags = GB_VARIANT_BASELINE};
static const gb_variant vector = {ON_GPU, .name = "vector", .user = &four};
static const gb_bench bench = {GB_SIZE(gb_bench),
                               .name = "axpy",
                               .contract = "example.org/mysplit/axpy/1",
                               .axes = GB_LIST(gb_axis, &n),
                               .variants = GB_LIST(gb_variant, &plain, &vector),
                               .setup = axpy_setup,
                               .reference = axpy_reference};

static gb_status mysplit_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "mysplit", .version = "0.1.0", .open = mysplit_open};
