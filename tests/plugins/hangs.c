/* Callbacks that never return, for tests/hangs/battery.py. The environment variable HANGS names the callback, and
 * HANGS_IN the case in which it hangs (empty: all cases). The variant `trap` has these callbacks. There are benches in
 * which it is alone, in which it is one of nine variants, and with three cases. The other variants are right. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "simple.h"

static bool hangs(gb_case *c, const char *what) {
  const char *name = getenv("HANGS"), *which = getenv("HANGS_IN");
  const bool here = which == NULL || which[0] == '\0' || atoi(which) == gb.point->i64(c, "which");
  return here && name != NULL && strcmp(name, what) == 0;
}

static void rest_for_ever(void) {
  for (;;)
    pause();
}

static void spin_for_ever(void) {
  for (volatile int turns = 0;; turns = turns + 1)
    continue;
}

static void *wait_for_ever(void *argument) {
  rest_for_ever();
  return argument;
}

static void join_for_ever(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, wait_for_ever, NULL) == 0) pthread_join(thread, NULL);
}

static void report_for_ever(gb_case *c) {
  static const struct timespec nap = {0, 10000000};
  for (uint64_t i = 1;; i++) {
    nanosleep(&nap, NULL);
    gb.progress->step(c, i, UINT64_MAX);
  }
}

static gb_status trap_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self, (void)vstate;
  if (hangs(c, "prepare")) rest_for_ever();
  if (hangs(c, "progress")) report_for_ever(c);
  return GB_OK;
}

static gb_status trap_run(const gb_variant *self, gb_case *c, void *vstate) {
  if (hangs(c, "run")) spin_for_ever();
  if (hangs(c, "thread")) join_for_ever();
  return simple_run(self, c, vstate);
}

static void trap_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  if (hangs(c, "release")) rest_for_ever();
}

static gb_status reference(const gb_bench *self, gb_case *c, void *state) {
  if (hangs(c, "reference")) spin_for_ever();
  return simple_reference(self, c, state);
}

static void teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  if (hangs(c, "teardown")) rest_for_ever();
}

static const gb_axis which = {GB_SIZE(gb_axis), .type = GB_I64, .name = "which", .values = "1"};
static const gb_axis each = {GB_SIZE(gb_axis), .type = GB_I64, .name = "which", .values = "1,2,3"};
static const gb_axis *const one_case[] = {&which, NULL}, *const three_cases[] = {&each, NULL};

static const gb_variant good = SIMPLE_BASELINE("good");
static const gb_variant trap = {GB_SIZE(gb_variant),     .name = "trap",  .backend = "cpu",       .math = "fp32",
                                .prepare = trap_prepare, .run = trap_run, .release = trap_release};
static const gb_variant v2 = SIMPLE_VARIANT("v2", simple_run), v3 = SIMPLE_VARIANT("v3", simple_run),
                        v4 = SIMPLE_VARIANT("v4", simple_run), v5 = SIMPLE_VARIANT("v5", simple_run),
                        v6 = SIMPLE_VARIANT("v6", simple_run), v7 = SIMPLE_VARIANT("v7", simple_run),
                        v8 = SIMPLE_VARIANT("v8", simple_run);

#define BENCH(label, points, list)                                                                           \
  {                                                                                                          \
    GB_SIZE(gb_bench), .name = label, .contract = "gpubench.org/test/hangs/" label "/1", .axes = points,     \
                       .variants = list, .setup = simple_setup, .reference = reference, .teardown = teardown \
  }
static const gb_variant *const alone_list[] = {&trap, NULL}, *const three_list[] = {&good, &trap, &v2, NULL},
                               *const nine_list[] = {&good, &v2, &v3, &v4, &trap, &v5, &v6, &v7, &v8, NULL};
static const gb_bench alone = BENCH("alone", one_case, alone_list), nine = BENCH("nine", one_case, nine_list),
                      three = BENCH("three", three_cases, three_list);

static gb_status open_hangs(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK) status = host->add(host, registry, &alone);
  if (status == GB_OK) status = host->add(host, registry, &nine);
  return status == GB_OK ? host->add(host, registry, &three) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "hangs", .version = "1", .open = open_hangs};
