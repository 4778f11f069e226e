/* A variant that this plugin adds to the bench of another plugin: attention forward on the CPU in fp32, as plain as
 * possible. It knows the contract of the bench only: the axes b, h, s, d, dtype, causal and the tensors q, k, v, o
 * [b][h][s][d]. */
#include <gpubench/sugar.h>
#include <math.h>
#include <string.h>

static gb_sdk gb;

static gb_status guest_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  if (strcmp(gb.point->str(c, "dtype"), "fp32") == 0) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "fp32 only");
}

static gb_status guest_prepare(const gb_variant *self, gb_case *c, void **scores) {
  (void)self;
  *scores = gb.mem->alloc(c, GB_MEM_HOST, (uint64_t)gb.point->i64(c, "s") * sizeof(float));
  return *scores != NULL ? GB_OK : GB_ENOMEM;
}

/* Computes o = softmax(q . k / sqrt(d)) . v for one query and `keys` keys. `p` has room for their scores. */
static void attend(const float *q, const float *k, const float *v, float *o, float *p, int64_t keys, int64_t d) {
  float top = -INFINITY, sum = 0;
  for (int64_t j = 0; j < keys; j++) {
    p[j] = 0;
    for (int64_t x = 0; x < d; x++)
      p[j] += q[x] * k[j * d + x];
    p[j] /= sqrtf((float)d);
    top = fmaxf(top, p[j]);
  }
  for (int64_t j = 0; j < keys; j++)
    sum += p[j] = expf(p[j] - top);
  memset(o, 0, (size_t)d * sizeof *o);
  for (int64_t j = 0; j < keys; j++)
    for (int64_t x = 0; x < d; x++)
      o[x] += p[j] / sum * v[j * d + x];
}

static gb_status guest_run(const gb_variant *self, gb_case *c, void *scores) {
  (void)self;
  const float *q = gb.tensor->data(c, "q"), *k = gb.tensor->data(c, "k"), *v = gb.tensor->data(c, "v");
  float *o = gb.tensor->data(c, "o");
  int64_t heads = gb.point->i64(c, "b") * gb.point->i64(c, "h"), s = gb.point->i64(c, "s"), d = gb.point->i64(c, "d");
  int causal = strcmp(gb.point->str(c, "causal"), "yes") == 0;
  for (int64_t row = 0; row < heads * s; row++) {
    int64_t start = row / s * s * d; /* index of the first element of this head's keys and values */
    attend(q + row * d, k + start, v + start, o + row * d, scores, causal ? row % s + 1 : s, d);
  }
  return GB_OK;
}

static const gb_variant guest = {GB_SIZE(gb_variant),      .name = "guest", .summary = "three loops",
                                 .backend = "cpu",         .math = "fp32",  .supports = guest_supports,
                                 .prepare = guest_prepare, .run = guest_run};

static gb_status guest_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->attach(host, registry, "gpubench.org/attention/forward/1", &guest) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "guest", .version = "1.0.0", .open = guest_open};
