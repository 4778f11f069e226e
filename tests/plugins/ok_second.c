/* Variants that this plugin adds to the bench of another plugin, ok_vector.c: "quarter", which does the work four
 * times, and "plain", whose name a variant of ok_vector.c has, too. */
#include <gpubench/sugar.h>

static gb_sdk gb;

static gb_status second_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  if (gb.point->str(c, "dtype")[0] == 'f') return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "fp32 only");
}

static gb_status second_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  const float *x = gb.tensor->data(c, "x"), a = (float)gb.point->f64(c, "a");
  float *y = gb.tensor->data(c, "y");
  int64_t n = gb.tensor->dim(c, "y", 0);
  for (int pass = 0; pass < *(const int *)self->user; pass++) {
    for (int64_t i = 0; i < n; i++)
      y[i] = a * x[i];
    __asm__ volatile("" ::: "memory");
  }
  return GB_OK;
}

static int once = 1, four = 4;
static const gb_variant quarter = {GB_SIZE(gb_variant), .name = "quarter",           .backend = "cpu", .math = "fp32",
                                   .user = &four,       .supports = second_supports, .run = second_run};
static const gb_variant plain = {GB_SIZE(gb_variant), .name = "plain", .backend = "cpu",
                                 .math = "fp32",      .user = &once,   .supports = second_supports,
                                 .run = second_run};

static gb_status second_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK) status = host->attach(host, registry, "gpubench.org/test/vector/scale/1", &quarter);
  return status == GB_OK ? host->attach(host, registry, "gpubench.org/test/vector/scale/1", &plain) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "second", .version = "2.0.0", .open = second_open};
