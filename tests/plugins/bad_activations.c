/* Variants that this plugin adds to benches of the activations plugin, in fp32 on a CPU. Each has an error that the
 * inputs of the bench must reveal: the other form of GELU, norms with a slightly different variance, a plain copy that
 * is registered as an implementation, and a copy for comparison that omits an element. */
#include <gpubench/sugar.h>
#include <math.h>
#include <string.h>

static gb_sdk gb;

#define COUNT(c) (gb.tensor->dim(c, "x", 0) * (gb.tensor->rank(c, "x") > 1 ? gb.tensor->dim(c, "x", 1) : 1))

static gb_status fp32_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  if (strcmp(gb.point->str(c, "dtype"), "fp32") == 0) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "fp32 only");
}

static gb_status other_form(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  const int erf = strcmp(gb.point->str(c, "form"), "erf") == 0;
  const float *x = gb.tensor->data(c, "x");
  float *y = gb.tensor->data(c, "y");
  for (int64_t i = 0; i < COUNT(c); i++)
    y[i] = 0.5f * x[i] *
           (1.0f + (erf ? tanhf(0.797884561f * (x[i] + 0.044715f * x[i] * x[i] * x[i])) : erff(x[i] * 0.707106781f)));
  return GB_OK;
}

static gb_status copy(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  const int64_t kept = strcmp(self->name, "short-copy") == 0 ? 1 : 0;
  memcpy(gb.tensor->data(c, "y"), gb.tensor->data(c, "x"), (size_t)(COUNT(c) - kept) * sizeof(float));
  return GB_OK;
}

/* The error of a norm. The variant's `user` points to it. `epsilon` is added to the variance, and `fewer` is subtracted
 * from the number by which the variance is divided. */
typedef struct slip {
  double epsilon, fewer;
} slip;

static gb_status layernorm(const gb_variant *self, gb_case *c, void *vstate) {
  const slip *wrong = self->user;
  const int64_t m = gb.tensor->dim(c, "x", 0), n = gb.tensor->dim(c, "x", 1);
  const float *x = gb.tensor->data(c, "x"), *gamma = gb.tensor->data(c, "gamma"), *beta = gb.tensor->data(c, "beta");
  float *y = gb.tensor->data(c, "y");
  (void)vstate;
  for (int64_t i = 0; i < m; i++, x += n, y += n) {
    double mean = 0, square = 0;
    for (int64_t j = 0; j < n; j++)
      mean += (double)x[j] / (double)n;
    for (int64_t j = 0; j < n; j++)
      square += ((double)x[j] - mean) * ((double)x[j] - mean);
    const double scale = 1 / sqrt(square / ((double)n - wrong->fewer) + wrong->epsilon);
    for (int64_t j = 0; j < n; j++)
      y[j] = (float)(((double)x[j] - mean) * scale) * gamma[j] + beta[j];
  }
  return GB_OK;
}

static slip right = {1e-5, 0}, no_epsilon = {0, 0}, sample_variance = {1e-5, 1};

#define VARIANT(id, label, what, function, kind, how)                                                          \
  static const gb_variant id = {GB_SIZE(gb_variant), .flags = kind,  .name = label, .summary = what,           \
                                .backend = "cpu",    .math = "fp32", .user = how,   .supports = fp32_supports, \
                                .run = function}
VARIANT(form, "other-form", "tanh where erf is asked for, and the reverse", other_form, 0, NULL);
VARIANT(posing, "posing-copy", "moves the bytes and says it is GELU", copy, 0, NULL);
VARIANT(whole, "whole-copy", "an honest yardstick", copy, GB_VARIANT_YARDSTICK, NULL);
VARIANT(partial, "short-copy", "a yardstick that leaves the last element out", copy, GB_VARIANT_YARDSTICK, NULL);
VARIANT(norm, "guest", "in double, right", layernorm, 0, &right);
VARIANT(bare, "no-epsilon", "divides by the bare variance", layernorm, 0, &no_epsilon);
VARIANT(sample, "sample-variance", "divides by n - 1", layernorm, 0, &sample_variance);

static gb_status bad_open(const gb_host *host, gb_registry *registry, void **self) {
  static const gb_variant *const gelus[] = {&form, &posing, &whole, &partial}, *const norms[] = {&norm, &bare, &sample};
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  for (int i = 0; i < 4 && status == GB_OK; i++)
    status = host->attach(host, registry, "gpubench.org/activations/gelu/1", gelus[i]);
  for (int i = 0; i < 3 && status == GB_OK; i++)
    status = host->attach(host, registry, "gpubench.org/activations/layernorm/1", norms[i]);
  return status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "bad-activations", .version = "1.0.0", .open = bad_open};
