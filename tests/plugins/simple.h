/* The bench of the faulty test plugins, which is itself correct: y = 2 * x over n floats. Each plugin adds its
 * variants. */
#ifndef SIMPLE_H
#define SIMPLE_H

#include <gpubench/sugar.h>

#ifndef SIMPLE_LENGTH
#define SIMPLE_LENGTH 4096
#endif
enum { SIMPLE_N = SIMPLE_LENGTH };

static gb_sdk gb;

static inline void simple_do(gb_case *c, int64_t first, int64_t end) {
  const float *x = gb.tensor->data(c, "x");
  float *y = gb.tensor->data(c, "y");
  for (int64_t i = first; i < end; i++)
    y[i] = 2 * x[i];
}

static inline gb_status simple_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  simple_do(c, 0, SIMPLE_N);
  return GB_OK;
}

static inline gb_status simple_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t n = SIMPLE_N;
  const gb_tensor x = {GB_SIZE(gb_tensor), .role = GB_IN,           .dtype = GB_DTYPE_F32, .rank = 1,  .name = "x",
                       .shape = &n,        .fill = GB_FILL_UNIFORM, .fill_a = 1,           .fill_b = 2};
  const gb_tensor y = {GB_SIZE(gb_tensor), .role = GB_OUT, .dtype = GB_DTYPE_F32, .rank = 1,
                       .name = "y",        .shape = &n,    .reduction = 1};
  gb_status status = gb.tensor->declare(c, &x);
  return status == GB_OK ? gb.tensor->declare(c, &y) : status;
}

static inline gb_status simple_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  double values[SIMPLE_N];
  gb_status status = gb.tensor->input(c, "x", 0, SIMPLE_N, values);
  for (int i = 0; i < SIMPLE_N; i++)
    values[i] *= 2;
  return status == GB_OK ? gb.tensor->expect(c, "y", 0, SIMPLE_N, values) : status;
}

#define SIMPLE_VARIANT(label, function) \
  { GB_SIZE(gb_variant), .name = label, .backend = "cpu", .math = "fp32", .run = function }
#define SIMPLE_BASELINE(label)                                                                          \
  {                                                                                                     \
    GB_SIZE(gb_variant), .flags = GB_VARIANT_BASELINE, .name = label, .backend = "cpu", .math = "fp32", \
                         .run = simple_run                                                              \
  }
#define SIMPLE_BENCH(label, list)                                                                          \
  {                                                                                                        \
    GB_SIZE(gb_bench), .name = label, .contract = "gpubench.org/test/" label "/1", .summary = "y = 2 * x", \
                       .variants = list, .setup = simple_setup, .reference = simple_reference              \
  }

#endif
