/* Callbacks `supports` that crash or hang in some of many cases. That of the bench does so in cases whose number ends
 * in 2, those of two variants in cases whose number ends in 3 and in 4. */
#include <unistd.h>

#include "simple.h"

static int64_t at(gb_case *c) {
  return gb.point->i64(c, "at");
}

static void crash(void) {
  volatile int *nowhere = NULL;
  *nowhere = 1;
}

static gb_status bench_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  if (at(c) % 10 == 2) crash();
  return GB_OK;
}

static gb_status segv_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  if (at(c) % 10 == 3) crash();
  return GB_OK;
}

static gb_status loop_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  for (; at(c) % 10 == 4;)
    usleep(1000);
  return GB_OK;
}

static gb_status odd_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  return at(c) % 2 == 0 ? GB_OK : gb_failf(&gb, c, GB_SKIP, "%d is odd", (int)at(c));
}

#define ASKED(label, function) \
  { GB_SIZE(gb_variant), .name = label, .backend = "cpu", .math = "fp32", .supports = function, .run = simple_run }

static const gb_variant good = SIMPLE_BASELINE("good"), odd = ASKED("odd", odd_supports),
                        segv = ASKED("segv", segv_supports), loop = ASKED("loop", loop_supports),
                        other = SIMPLE_VARIANT("other", simple_run);
static const gb_variant *const variants[] = {&good, &odd, &segv, &loop, &other, NULL};
static const gb_axis at_axis = {GB_SIZE(gb_axis), .name = "at", .type = GB_I64, .values = "1:5"};
static const gb_axis *const axes[] = {&at_axis, NULL};
static const gb_bench bench = {
    GB_SIZE(gb_bench),          .name = "supports",    .contract = "gpubench.org/test/supports/1",
    .summary = "y = 2 * x",     .axes = axes,          .variants = variants,
    .supports = bench_supports, .setup = simple_setup, .reference = simple_reference};

static gb_status supports_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "bad", .version = "1.0.0", .open = supports_open};
