/* The bench that the cheating variants of this folder join, its honest variant, and the plugin. */
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { BENCHES_MAX = 32, TRICKS_MAX = 64 };

gb_sdk gb;

/* ---- The work ---- */

float f(float x) {
  for (int k = 0; k < STEPS; k++)
    x = x * 0.9F + 0.15F;
  return x;
}

int64_t size(gb_case *c) {
  return gb.point->i64(c, "n");
}

const float *input(gb_case *c) {
  return gb.tensor->data(c, "x");
}

float *output(gb_case *c) {
  return gb.tensor->data(c, "y");
}

/* Not inlined, so that all variants that call it execute the same instructions. */
__attribute__((noinline)) void work(const float *x, float *y, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    y[i] = f(x[i]);
}

void compute(gb_case *c, int64_t first, int64_t end) {
  work(input(c) + first, output(c) + first, end - first);
}

void finish(gb_case *c) {
  *(int32_t *)gb.tensor->data(c, "count") = -1;
}

void honest(gb_case *c, struct memory *m) {
  (void)m;
  compute(c, 0, size(c));
  finish(c);
}

/* ---- The problem ---- */

gb_status problem_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t n = size(c), one = 1;
  gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_IN,           .dtype = GB_DTYPE_F32, .rank = 1,  .name = "x",
                 .shape = &n,        .fill = GB_FILL_UNIFORM, .fill_a = 1,           .fill_b = 2};
  gb_status status = gb.tensor->declare(c, &t);
  t.name = "y";
  t.role = GB_OUT;
  t.reduction = STEPS;
  if (status == GB_OK) status = gb.tensor->declare(c, &t);
  const gb_tensor count = {GB_SIZE(gb_tensor), .role = GB_OUT,  .dtype = GB_DTYPE_I32,
                           .rank = 1,          .name = "count", .shape = &one};
  return status == GB_OK ? gb.tensor->declare(c, &count) : status;
}

gb_status problem_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const uint64_t n = (uint64_t)size(c);
  /* the right value of the integer output; its bytes are 0xFF, which the host also uses to mark unwritten outputs */
  const double count = -1;
  double *values = malloc(n * sizeof *values);
  if (values == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory");
  gb_status status = gb.tensor->input(c, "x", 0, n, values);
  for (uint64_t i = 0; i < n; i++)
    values[i] = (double)f((float)values[i]);
  if (status == GB_OK) status = gb.tensor->expect(c, "y", 0, n, values);
  if (status == GB_OK) status = gb.tensor->expect(c, "count", 0, 1, &count);
  free(values);
  return status;
}

/* ---- Observations that a variant can make ---- */

double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int64_t known(gb_case *c, struct memory *m) {
  double sum = 0;
  for (int64_t i = 0; i < size(c); i += 64)
    sum += (double)input(c)[i];
  m->known = sum == m->seen ? m->known + 1 : 0;
  m->seen = sum;
  return m->known;
}

static void note_pause(struct memory *m) {
  static const double short_ns = 30e3;
  const double pause = now_ns() - m->left_ns;
  m->pause_ns = fmin(m->pause_ns, pause);
  m->streak = pause > 3 * m->pause_ns + short_ns ? 0 : m->streak + 1;
}

/* ---- Variants ---- */

static gb_status prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const struct trick *trick = self->user;
  struct memory *m = calloc(1, sizeof *m);
  *vstate = m;
  if (m == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory");
  m->pause_ns = INFINITY;
  m->kept = calloc((size_t)size(c), sizeof *m->kept);
  m->later = calloc((size_t)size(c), sizeof *m->later);
  if (m->kept == NULL || m->later == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory");
  if (trick->prepare != NULL) trick->prepare(c, m);
  return GB_OK;
}

static gb_status before(const gb_variant *self, gb_case *c, void *vstate) {
  ((const struct trick *)self->user)->before(c, vstate);
  return GB_OK;
}

static gb_status refresh(const gb_variant *self, gb_case *c, void *vstate) {
  ((const struct trick *)self->user)->refresh(c, vstate);
  return GB_OK;
}

static gb_status run(const gb_variant *self, gb_case *c, void *vstate) {
  struct memory *m = vstate;
  note_pause(m);
  ((const struct trick *)self->user)->act(c, m);
  m->calls++;
  m->left_ns = now_ns();
  return GB_OK;
}

static void release(const gb_variant *self, gb_case *c, void *vstate) {
  const struct trick *trick = self->user;
  struct memory *m = vstate;
  (void)c;
  if (trick->release != NULL) trick->release(m);
  free(m->kept);
  free(m->later);
  free(m);
}

/* ---- The plugin ---- */

gb_status problem_add(const gb_host *host, gb_registry *registry, gb_bench *bench, const struct trick *tricks) {
  static gb_variant variants[BENCHES_MAX * TRICKS_MAX];
  static const gb_variant *lists[BENCHES_MAX][TRICKS_MAX + 1];
  static int added;
  static size_t used;
  static const gb_axis axis = {GB_SIZE(gb_axis), .type = GB_I64, .name = "n", .values = "16384"};
  static const gb_axis *const axes[] = {&axis, NULL};
  const gb_variant **list = lists[added++];
  for (size_t i = 0; tricks[i].name != NULL; i++) {
    gb_variant *v = &variants[used++];
    *v = (gb_variant){GB_SIZE(gb_variant), .flags = tricks[i].flags, .name = tricks[i].name,
                      .backend = "cpu",    .math = "fp32",           .prepare = prepare,
                      .run = run,          .release = release,       .user = &tricks[i]};
    if (i == 0) v->flags |= GB_VARIANT_BASELINE;
    if (tricks[i].before != NULL) v->before = before;
    if (tricks[i].refresh != NULL) v->refresh = refresh;
    list[i] = v;
  }
  bench->struct_size = (uint32_t)sizeof *bench;
  bench->axes = axes;
  bench->variants = list;
  return host->add(host, registry, bench);
}

static gb_status cheats_open(const gb_host *host, gb_registry *registry, void **self) {
  static gb_bench benches[] = {{.name = "remember", .contract = "gpubench.org/test/cheats/remember/1"},
                               {.name = "elsewhere", .contract = "gpubench.org/test/cheats/elsewhere/1"},
                               {.name = "slip", .contract = "gpubench.org/test/cheats/slip/1"},
                               {.name = "manner", .contract = "gpubench.org/test/cheats/manner/1"}};
  const struct trick *const tricks[] = {remember_tricks, elsewhere_tricks, slip_tricks, manner_tricks};
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  for (size_t i = 0; status == GB_OK && i < sizeof benches / sizeof benches[0]; i++) {
    benches[i].setup = problem_setup;
    benches[i].reference = problem_reference;
    status = problem_add(host, registry, &benches[i], tricks[i]);
  }
  if (status == GB_OK) status = statements_add(host, registry);
  return status == GB_OK ? foresee_add(host, registry) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "cheats", .version = "1.0.0", .open = cheats_open};
