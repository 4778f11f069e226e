/* A variant on a GPU that hangs, as do those of hangs.c on a CPU. `prepare` of the variant `trap` launches a kernel
 * that never ends or, if the environment variable HANGS is "stream", its `run` does so. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bad_hang_cuda.h"
#include "simple.h"

static bool hangs(gb_case *c, const char *what) {
  const char *name = getenv("HANGS"), *which = getenv("HANGS_IN");
  const bool here = which == NULL || which[0] == '\0' || atoi(which) == gb.point->i64(c, "which");
  return here && name != NULL && strcmp(name, what) == 0;
}

static gb_status told(gb_case *c, int rc) {
  return rc == 0 ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "cudaError %d", rc);
}

static gb_status run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  return told(c, bad_hang_cuda_scale(gb.tensor->data(c, "x"), gb.tensor->data(c, "y"), SIMPLE_N, gb.cuda->stream(c)));
}

static gb_status trap_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self, (void)vstate;
  return hangs(c, "device") ? told(c, bad_hang_cuda_endless()) : GB_OK;
}

static gb_status trap_run(const gb_variant *self, gb_case *c, void *vstate) {
  const gb_status status = hangs(c, "stream") ? told(c, bad_hang_cuda_endless()) : GB_OK;
  return status == GB_OK ? run(self, c, vstate) : status;
}

#define VARIANT(label) \
  { GB_SIZE(gb_variant), .name = label, .backend = "cuda", .math = "fp32", .run = run }
static const gb_variant good = {
    GB_SIZE(gb_variant), .flags = GB_VARIANT_BASELINE, .name = "good", .backend = "cuda", .math = "fp32", .run = run};
static const gb_variant trap = {GB_SIZE(gb_variant), .name = "trap",          .backend = "cuda",
                                .math = "fp32",      .prepare = trap_prepare, .run = trap_run};
static const gb_variant v2 = VARIANT("v2"), v3 = VARIANT("v3"), v4 = VARIANT("v4"), v5 = VARIANT("v5"),
                        v6 = VARIANT("v6"), v7 = VARIANT("v7"), v8 = VARIANT("v8");

static const gb_axis which = {GB_SIZE(gb_axis), .type = GB_I64, .name = "which", .values = "1"};
static const gb_axis each = {GB_SIZE(gb_axis), .type = GB_I64, .name = "which", .values = "1,2,3"};
static const gb_axis *const one_case[] = {&which, NULL}, *const three_cases[] = {&each, NULL};
static const gb_variant *const alone_list[] = {&trap, NULL}, *const three_list[] = {&good, &trap, &v2, NULL},
                               *const nine_list[] = {&good, &v2, &v3, &v4, &trap, &v5, &v6, &v7, &v8, NULL};

static gb_status open(const gb_host *host, gb_registry *registry, void **self) {
  static gb_bench alone = SIMPLE_BENCH("alone", alone_list), nine = SIMPLE_BENCH("nine", nine_list),
                  three = SIMPLE_BENCH("three", three_list);
  (void)self;
  alone.axes = nine.axes = one_case;
  three.axes = three_cases;
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK) status = host->add(host, registry, &alone);
  if (status == GB_OK) status = host->add(host, registry, &nine);
  return status == GB_OK ? host->add(host, registry, &three) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "hangcuda", .version = "1.0.0", .open = open};
