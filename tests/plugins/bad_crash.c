/* Variants that crash, end their process or never return, together with a baseline and another variant that are
 * right. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "simple.h"

static gb_status segv(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  (void)vstate;
  volatile int *nowhere = NULL;
  *nowhere = 1;
  return GB_OK;
}

static gb_status aborts(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  (void)vstate;
  abort();
}

static gb_status exits(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  (void)vstate;
  exit(0);
}

static gb_status exits_at_once(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  (void)vstate;
  _exit(0);
}

static gb_status loop(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  (void)vstate;
  for (volatile int forever = 1; forever;)
    usleep(1000);
  return GB_OK;
}

/* Hangs, and ignores SIGTERM and SIGINT. */
static gb_status deaf(const gb_variant *self, gb_case *c, void *vstate) {
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  return loop(self, c, vstate);
}

static volatile int depth_limit = -1;

static int deeper(int depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  return depth == depth_limit ? 0 : deeper(depth + 1) + frame[0];
}

static gb_status overflow(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  (void)vstate;
  return deeper(0) == 0 ? GB_OK : GB_EFAIL;
}

static gb_status fpe(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  (void)vstate;
  volatile int zero = 0, many = 1000; /* volatile, so that the compiler cannot omit the division */
  return many / zero == 0 ? GB_OK : GB_EFAIL;
}

static gb_status prepare_segv(const gb_variant *self, gb_case *c, void **vstate) {
  return segv(self, c, *vstate);
}

static void release_segv(const gb_variant *self, gb_case *c, void *vstate) {
  segv(self, c, vstate);
}

/* Prints much on stdout and stderr. The output must neither block the worker nor appear in the output of gpubench. */
static gb_status noisy(const gb_variant *self, gb_case *c, void *vstate) {
  printf("%0*d noise on stdout\n", 200, 0);
  fprintf(stderr, "%0*d noise on stderr\n", 200, 0);
  return simple_run(self, c, vstate);
}

static const gb_variant good = SIMPLE_BASELINE("good"), other = SIMPLE_VARIANT("other", simple_run),
                        v_segv = SIMPLE_VARIANT("segv", segv), v_abort = SIMPLE_VARIANT("abort", aborts),
                        v_exit = SIMPLE_VARIANT("exit", exits),
                        v_exit_at_once = SIMPLE_VARIANT("exit_at_once", exits_at_once),
                        v_loop = SIMPLE_VARIANT("loop", loop), v_deaf = SIMPLE_VARIANT("deaf", deaf),
                        v_overflow = SIMPLE_VARIANT("overflow", overflow), v_fpe = SIMPLE_VARIANT("fpe", fpe),
                        v_noisy = SIMPLE_VARIANT("noisy", noisy);
static const gb_variant v_prepare = {GB_SIZE(gb_variant), .name = "prepare",       .backend = "cpu",
                                     .math = "fp32",      .prepare = prepare_segv, .run = simple_run};
static const gb_variant v_release = {GB_SIZE(gb_variant), .name = "release", .backend = "cpu",
                                     .math = "fp32",      .run = simple_run, .release = release_segv};

static const gb_variant v_before = {GB_SIZE(gb_variant), .name = "before", .backend = "cpu",
                                    .math = "fp32",      .before = segv,   .run = simple_run};

static const gb_variant *const variants[] = {&good,           &v_before,   &v_segv,  &v_abort,   &v_exit,
                                             &v_exit_at_once, &v_overflow, &v_fpe,   &v_prepare, &v_release,
                                             &v_loop,         &v_deaf,     &v_noisy, &other,     NULL};
static const gb_bench bench = SIMPLE_BENCH("crash", variants);

static gb_status crash_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "bad", .version = "1.0.0", .open = crash_open};
