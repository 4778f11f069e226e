/* A variant whose `prepare` takes long and reports progress, one that takes long and does not, one whose `after` copies
 * its outputs to the place where gpubench reads them, and one that works in that place directly. */
#include <string.h>
#include <time.h>

#include "simple.h"

enum { NAPS = 40 };

static void nap(void) {
  const struct timespec time = {0, 100000000};
  nanosleep(&time, NULL);
}

static gb_status stepping_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  (void)vstate;
  for (int i = 0; i < NAPS; i++) {
    nap();
    gb.progress->step(c, (uint64_t)i + 1, NAPS);
  }
  return GB_OK;
}

/* Reports the same step again and again. Only a higher step counts as progress, which extends the time limit of
 * `prepare`. */
static gb_status stuck_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  (void)vstate;
  for (int i = 0; i < 100 * NAPS; i++) {
    nap();
    gb.progress->step(c, 1, NAPS);
  }
  return GB_OK;
}

static gb_status remote_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  *vstate = gb.mem->alloc(c, GB_MEM_HOST, SIMPLE_N * sizeof(float));
  return *vstate != NULL ? GB_OK : GB_ENOMEM;
}

static gb_status remote_run(const gb_variant *self, gb_case *c, void *vstate) {
  const float *x = gb.tensor->data(c, "x");
  float *y = vstate;
  (void)self;
  for (int i = 0; i < SIMPLE_N; i++)
    y[i] = 2 * x[i];
  return GB_OK;
}

static gb_status remote_after(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  memcpy(gb.tensor->data(c, "y"), vstate, SIMPLE_N * sizeof(float));
  return GB_OK;
}

static gb_status nothing(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  (void)vstate;
  return GB_OK;
}

static const gb_variant plain = SIMPLE_BASELINE("plain");
static const gb_variant stepping = {
    GB_SIZE(gb_variant), .flags = GB_VARIANT_BY_NAME, .name = "stepping", .backend = "cpu",
    .math = "fp32",      .prepare = stepping_prepare, .run = simple_run};
static const gb_variant stuck = {GB_SIZE(gb_variant), .flags = GB_VARIANT_BY_NAME, .name = "stuck",  .backend = "cpu",
                                 .math = "fp32",      .prepare = stuck_prepare,    .run = simple_run};
static const gb_variant remote = {GB_SIZE(gb_variant),       .name = "remote",  .backend = "cpu",     .math = "fp32",
                                  .prepare = remote_prepare, .run = remote_run, .after = remote_after};
static const gb_variant late = {
    GB_SIZE(gb_variant), .flags = GB_VARIANT_BY_NAME, .name = "late", .backend = "cpu", .math = "fp32",
    .run = nothing,      .after = simple_run};
static const gb_variant *const variants[] = {&plain, &stepping, &stuck, &remote, &late, NULL};
static const gb_bench bench = SIMPLE_BENCH("progress", variants);

static gb_status progress_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "progress", .version = "1.0.0", .open = progress_open};
