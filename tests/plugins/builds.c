/* A plugin that CMakeLists.txt builds several times with different definitions. WORK sets how much work a call does.
 * CRASH makes one variant crash. MORE adds a variant. OTHER_CONTRACT and OTHER_AXES make it another bench of the same
 * name. USE_LIBRARY takes the amount of work from a separate library. Variants compute y = 2 * x. Before that they
 * multiply and add many times in a row, only to take time; the compiler cannot remove these operations. */
#include <gpubench/sugar.h>
#include <signal.h>
#include <stdbool.h>

#include "builds.h"

#ifdef USE_LIBRARY
int builds_steps(void);
#else
static int builds_steps(void) {
  return WORK * 1000;
}
#endif

#ifdef OTHER_CONTRACT
#define CONTRACT "gpubench.org/test/builds/spin/2"
#else
#define CONTRACT "gpubench.org/test/builds/spin/1"
#endif

enum { N = 1024 };

static gb_sdk gb;

static uint64_t chain(int steps) {
  uint64_t state = 1;
  for (int i = 0; i < steps; i++) {
    state = state * UINT64_C(6364136223846793005) + 1;
    __asm__ volatile("" : "+r"(state));
  }
  return state;
}

static gb_status spin(int steps, gb_case *c) {
  const float *x = gb.tensor->data(c, "x");
  float *y = gb.tensor->data(c, "y");
  float none = chain(steps) == 0 ? 1 : 0; /* never true */
  for (int i = 0; i < N; i++)
    y[i] = 2 * x[i] + none;
  return GB_OK;
}

static gb_status whole_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  return spin(builds_steps(), c);
}

static gb_status half_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
#ifdef CRASH
  raise(SIGSEGV);
#endif
  return spin(builds_steps() / 2, c);
}

#ifdef GPUBENCH_CUDA
static gb_status launch(int steps, gb_case *c) {
  int rc = builds_launch(gb.tensor->data(c, "x"), gb.tensor->data(c, "y"), N, steps, gb.cuda->stream(c));
  return rc == 0 ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "launch: CUDA error %d", rc);
}

static gb_status whole_launch(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  return launch(builds_steps(), c);
}

static gb_status half_launch(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  return launch(builds_steps() / 2, c);
}
#endif

static gb_status setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self, (void)state;
  const int64_t n = N;
  gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_IN,          .dtype = GB_DTYPE_F32, .rank = 1,
                 .shape = &n,        .fill = GB_FILL_NORMAL, .fill_b = 1,           .reduction = 2};
  t.name = "x";
  gb_status status = gb.tensor->declare(c, &t);
  t.name = "y", t.role = GB_OUT;
  return status == GB_OK ? gb.tensor->declare(c, &t) : status;
}

static gb_status reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  double values[N];
  gb_status status = gb.tensor->input(c, "x", 0, N, values);
  for (int i = 0; i < N; i++)
    values[i] *= 2;
  return status == GB_OK ? gb.tensor->expect(c, "y", 0, N, values) : status;
}

#define VARIANT(label, where, function, flag) \
  { GB_SIZE(gb_variant), .flags = flag, .name = label, .backend = where, .math = "fp32", .run = function }
static const gb_variant whole = VARIANT("whole", "cpu", whole_run, GB_VARIANT_BASELINE);
static const gb_variant half = VARIANT("half", "cpu", half_run, 0);
#ifdef MORE
static const gb_variant more = VARIANT("more", "cpu", half_run, 0);
#endif
#ifdef GPUBENCH_CUDA
static const gb_variant whole_cuda = VARIANT("whole", "cuda", whole_launch, GB_VARIANT_BASELINE);
static const gb_variant half_cuda = VARIANT("half", "cuda", half_launch, 0);
#endif

static const gb_axis repeat = {GB_SIZE(gb_axis), .type = GB_I64, .name = "repeat", .values = "1"};
#ifdef OTHER_AXES
static const gb_axis extra = {GB_SIZE(gb_axis), .type = GB_I64, .name = "extra", .values = "1"};
#endif
static const gb_axis *const axes[] = {&repeat,
#ifdef OTHER_AXES
                                      &extra,
#endif
                                      NULL};
static const gb_variant *const variants[] = {&whole,      &half,
#ifdef MORE
                                             &more,
#endif
#ifdef GPUBENCH_CUDA
                                             &whole_cuda, &half_cuda,
#endif
                                             NULL};
static const gb_bench bench = {GB_SIZE(gb_bench),    .name = "spin", .contract = CONTRACT,  .axes = axes,
                               .variants = variants, .setup = setup, .reference = reference};

static gb_status builds_open(const gb_host *host, gb_registry *registry, void **self) {
  static bool opened;
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK && opened) return gb_failf(&gb, NULL, GB_EFAIL, "opened twice");
  opened = true;
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "builds", .version = "1.0.0", .open = builds_open};
