/* Variants with wrong results, each in its own way, together with a baseline and another variant that are right. */
#include <math.h>
#include <string.h>

#include "simple.h"

static float *output(gb_case *c) {
  simple_do(c, 0, SIMPLE_N);
  return gb.tensor->data(c, "y");
}

static gb_status everywhere(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  float *y = output(c);
  for (int i = 0; i < SIMPLE_N; i++)
    y[i] *= 1.01F;
  return GB_OK;
}

static gb_status last(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  output(c)[SIMPLE_N - 1] += 0.01F;
  return GB_OK;
}

static gb_status nan_one(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  output(c)[77] = NAN;
  return GB_OK;
}

static gb_status partial(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  simple_do(c, 0, SIMPLE_N / 2);
  simple_do(c, SIMPLE_N / 2 + 1, SIMPLE_N);
  return GB_OK;
}

static gb_status input(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  output(c);
  ((float *)gb.tensor->data(c, "x"))[5] = 1.25F;
  return GB_OK;
}

static gb_status beyond(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  output(c)[SIMPLE_N] = 0;
  return GB_OK;
}

static gb_status before(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  output(c)[-1] = 0;
  return GB_OK;
}

/* A variant that is right in its first five calls and wrong afterwards. Only a verification during or after the timed
 * calls finds that. */
static gb_status later_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  *vstate = gb.mem->alloc(c, GB_MEM_HOST, sizeof(int));
  if (*vstate == NULL) return GB_ENOMEM;
  *(int *)*vstate = 0;
  return GB_OK;
}

static gb_status later(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  float *y = output(c);
  if (++*(int *)vstate > 5) y[3] = -1;
  return GB_OK;
}

/* A variant whose outputs are right, but which also writes behind the end of memory that it has allocated. */
static gb_status overrun(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  output(c);
  ((char *)vstate)[sizeof(int)]++;
  return GB_OK;
}

/* A variant that returns the result of its first call, even if the inputs have changed. */
static gb_status stale_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  *vstate = gb.mem->alloc(c, GB_MEM_HOST, SIMPLE_N * sizeof(float));
  if (*vstate == NULL) return GB_ENOMEM;
  ((float *)*vstate)[0] = 0;
  return GB_OK;
}

static gb_status stale(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  float *kept = vstate;
  if (kept[0] == 0)
    memcpy(kept, output(c), SIMPLE_N * sizeof *kept);
  else
    memcpy(gb.tensor->data(c, "y"), kept, SIMPLE_N * sizeof *kept);
  return GB_OK;
}

static gb_status fails(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  return gb_failf(&gb, c, GB_EFAIL, "the third wheel came off");
}

static gb_status silent(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  (void)vstate;
  return GB_EFAIL;
}

static const gb_variant good = SIMPLE_BASELINE("good"), other = SIMPLE_VARIANT("other", simple_run),
                        v_everywhere = SIMPLE_VARIANT("everywhere", everywhere), v_last = SIMPLE_VARIANT("last", last),
                        v_nan = SIMPLE_VARIANT("nan", nan_one), v_partial = SIMPLE_VARIANT("partial", partial),
                        v_input = SIMPLE_VARIANT("input", input), v_beyond = SIMPLE_VARIANT("beyond", beyond),
                        v_before = SIMPLE_VARIANT("before", before), v_fails = SIMPLE_VARIANT("fails", fails),
                        v_silent = SIMPLE_VARIANT("silent", silent);
static const gb_variant v_later = {GB_SIZE(gb_variant), .name = "later",          .backend = "cpu",
                                   .math = "fp32",      .prepare = later_prepare, .run = later};
static const gb_variant v_overrun = {GB_SIZE(gb_variant), .name = "overrun",        .backend = "cpu",
                                     .math = "fp32",      .prepare = later_prepare, .run = overrun};
static const gb_variant v_stale = {GB_SIZE(gb_variant), .name = "stale",          .backend = "cpu",
                                   .math = "fp32",      .prepare = stale_prepare, .run = stale};

static const gb_variant *const variants[] = {&good,      &v_everywhere, &v_last,   &v_nan,   &v_partial,
                                             &v_input,   &v_beyond,     &v_before, &v_later, &v_stale,
                                             &v_overrun, &v_fails,      &v_silent, &other,   NULL};
static const gb_bench bench = SIMPLE_BENCH("wrong", variants);

static gb_status wrong_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "bad", .version = "1.0.0", .open = wrong_open};
