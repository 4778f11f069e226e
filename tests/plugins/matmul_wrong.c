/* Variants that this plugin adds to the gemm bench. They are wrong in one place of a large matrix, except one that is
 * exact apart from rounding. The bench compares only a sample of the results with its reference, so that its own
 * verification of all of c must tell the wrong ones from the exact one. */
#include <gpubench/sugar.h>
#include <string.h>

#include "bf16.h"

static gb_sdk gb;

/* The error: a square of c at (m / 3, n / 3), which the rows and columns of the sample rarely meet. */
struct fault {
  int64_t size;
  float by; /* added to each element of the square, in units of a typical element */
};

struct problem {
  const float *a, *b; /* in the workspace, as floats */
  void *c;
  int64_t m, n, k;
  int bf16;
};

static gb_status wrong_supports(const gb_variant *self, gb_case *c) {
  const char *dtype = gb.point->str(c, "dtype");
  (void)self;
  return strcmp(dtype, "fp32") == 0 || strcmp(dtype, "bf16") == 0 ? GB_OK : gb_failf(&gb, c, GB_SKIP, "no %s", dtype);
}

static gb_status wrong_prepare(const gb_variant *self, gb_case *c, void **workspace) {
  const int64_t rows = gb.point->i64(c, "m") + gb.point->i64(c, "n");
  (void)self;
  *workspace = gb.mem->alloc(c, GB_MEM_HOST, (uint64_t)(rows * gb.point->i64(c, "k")) * sizeof(float));
  return *workspace != NULL ? GB_OK : GB_ENOMEM;
}

static const float *widen(float *to, const void *from, int64_t count, int bf16) {
  for (int64_t i = 0; i < count; i++)
    to[i] = bf16 ? from_bf16(((const uint16_t *)from)[i]) : ((const float *)from)[i];
  return to;
}

static float dot(const struct problem *p, int64_t row, int64_t column) {
  const float *a = p->a + row * p->k, *b = p->b + column * p->k;
  float sums[8] = {0}, sum = 0;
  int64_t i = 0;
  for (; i + 8 <= p->k; i += 8)
    for (int j = 0; j < 8; j++)
      sums[j] += a[i + j] * b[i + j];
  for (; i < p->k; i++)
    sum += a[i] * b[i];
  for (int j = 0; j < 8; j++)
    sum += sums[j];
  return sum;
}

static float root(int64_t value) {
  float x = 1;
  for (int i = 0; i < 32; i++)
    x = (x + (float)value / x) / 2;
  return x;
}

static void multiply(const struct problem *p, const struct fault *fault) {
  const int64_t row0 = p->m / 3, column0 = p->n / 3;
  const float by = fault->by * root(p->k);
  for (int64_t i = 0; i < p->m; i++)
    for (int64_t j = 0; j < p->n; j++) {
      const int inside = i >= row0 && i < row0 + fault->size && j >= column0 && j < column0 + fault->size;
      const float value = dot(p, i, j) + (!inside ? 0 : (i + j) % 2 == 0 ? by : -by);
      if (p->bf16)
        ((uint16_t *)p->c)[i * p->n + j] = to_bf16(value);
      else
        ((float *)p->c)[i * p->n + j] = value;
    }
}

static gb_status wrong_run(const gb_variant *self, gb_case *c, void *workspace) {
  struct problem p = {.c = gb.tensor->data(c, "c"),
                      .m = gb.point->i64(c, "m"),
                      .n = gb.point->i64(c, "n"),
                      .k = gb.point->i64(c, "k"),
                      .bf16 = strcmp(gb.point->str(c, "dtype"), "bf16") == 0};
  float *floats = workspace;
  p.a = widen(floats, gb.tensor->data(c, "a"), p.m * p.k, p.bf16);
  p.b = widen(floats + p.m * p.k, gb.tensor->data(c, "b"), p.n * p.k, p.bf16);
  multiply(&p, self->user);
  return GB_OK;
}

#define WRONG(id, label, extent, amount)                                                                   \
  static struct fault id##_fault = {extent, amount};                                                       \
  static const gb_variant id = {GB_SIZE(gb_variant),      .name = label,       .backend = "cpu",           \
                                .math = "native",         .user = &id##_fault, .supports = wrong_supports, \
                                .prepare = wrong_prepare, .run = wrong_run}
WRONG(right, "right", 0, 0);
WRONG(element, "element", 1, 2);
WRONG(tile, "tile", 16, 1);

static gb_status wrong_open(const gb_host *host, gb_registry *registry, void **self) {
  static const gb_variant *const variants[] = {&right, &element, &tile};
  gb_status status = gb_sdk_open(&gb, host);
  (void)self;
  for (size_t i = 0; i < sizeof variants / sizeof variants[0] && status == GB_OK; i++)
    status = host->attach(host, registry, "gpubench.org/matmul/gemm/1", variants[i]);
  return status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "wrong", .version = "1.0.0", .open = wrong_open};
