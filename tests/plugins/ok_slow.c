/* Slow variants with right results, for tests that a run ends within the time that it announced at its start. A call
 * takes as many milliseconds as the axis `ms` says, times the environment variable SLOW_TIMES if that is set. The
 * variant `stuck` never returns, `long` takes three seconds more, and `tires` takes six seconds from its seventh call
 * on. `compiles` takes `ms` in `prepare`. Its first call takes ten times as long, unless the file $SLOW_CACHE exists,
 * and creates this file. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "simple.h"

static void wait_ms(int64_t ms) {
  const char *times = getenv("SLOW_TIMES");
  if (times != NULL) ms *= atoi(times);
  const struct timespec time = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
  nanosleep(&time, NULL);
}

static gb_status nap(const gb_variant *self, gb_case *c, void *vstate) {
  wait_ms(gb.point->i64(c, "ms"));
  return simple_run(self, c, vstate);
}

static gb_status stuck(const gb_variant *self, gb_case *c, void *vstate) {
  wait_ms(3600 * 1000);
  return simple_run(self, c, vstate);
}

static gb_status take_long(const gb_variant *self, gb_case *c, void *vstate) {
  wait_ms(3000);
  return nap(self, c, vstate);
}

static gb_status tire(const gb_variant *self, gb_case *c, void *vstate) {
  static int calls;
  wait_ms(calls++ < 6 ? 30 : 6000);
  return simple_run(self, c, vstate);
}

/* Returns true if the cache file $SLOW_CACHE exists. Otherwise creates it. */
static bool is_cached(void) {
  const char *path = getenv("SLOW_CACHE");
  FILE *file = path != NULL ? fopen(path, "r") : NULL;
  const bool found = file != NULL;
  if (path != NULL && !found) file = fopen(path, "w");
  if (file != NULL) fclose(file);
  return found;
}

static gb_status load(const gb_variant *self, gb_case *c, void **vstate) {
  static bool compiled;
  (void)self;
  wait_ms(gb.point->i64(c, "ms"));
  compiled = false;
  *vstate = &compiled;
  return GB_OK;
}

static gb_status compile(const gb_variant *self, gb_case *c, void *vstate) {
  bool *compiled = vstate;
  if (!*compiled && !is_cached()) wait_ms(10 * gb.point->i64(c, "ms"));
  *compiled = true;
  return simple_run(self, c, vstate);
}

static const gb_variant sixth = {GB_SIZE(gb_variant), .name = "compiles", .backend = "cpu",
                                 .math = "fp32",      .prepare = load,    .run = compile};
static const gb_variant first = {
    GB_SIZE(gb_variant), .flags = GB_VARIANT_BASELINE, .name = "nap", .backend = "cpu", .math = "fp32", .run = nap};
static const gb_variant second = SIMPLE_VARIANT("again", nap), third = SIMPLE_VARIANT("stuck", stuck),
                        fourth = SIMPLE_VARIANT("long", take_long), fifth = SIMPLE_VARIANT("tires", tire);
static const gb_axis ms = {GB_SIZE(gb_axis), .type = GB_I64, .name = "ms", .values = "1"};

static const gb_bench bench = {
    GB_SIZE(gb_bench),
    .name = "slow",
    .contract = "gpubench.org/test/slow/1",
    .axes = (const gb_axis *const[]){&ms, NULL},
    .variants = (const gb_variant *const[]){&first, &second, &third, &fourth, &fifth, &sixth, NULL},
    .setup = simple_setup,
    .reference = simple_reference,
};

static gb_status open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "slow", .version = "1", .open = open};
