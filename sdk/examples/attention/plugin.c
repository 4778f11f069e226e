/* A guest: a variant of attention/forward, which another plugin defines. `gpubench list --contract attention/forward`
 * prints the contract. To make it yours: 1. write every element of o in myattention_run; 2. let myattention_supports
 * return GB_SKIP for cases that it cannot run; 3. name the variant. `prepare` is for work that is done once. */
#include <gpubench/sugar.h>
#include <math.h>

enum { D_MOST = 256 };

static gb_sdk gb; /* the host's services */

static gb_status myattention_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  if (!gb_axis_is(&gb, c, "dtype", "fp32")) return gb_failf(&gb, c, GB_SKIP, "fp32 only");
  return gb_axis_within(&gb, c, "d", 1, D_MOST);
}

/* Computes the output for one query. Keeps a running maximum and sum over the keys, so that no score is stored. */
static void attend(const float *q, const float *k, const float *v, float *o, int64_t keys, int64_t d) {
  const float scale = 1 / sqrtf((float)d);
  float sums[D_MOST] = {0}, top = -INFINITY, sum = 0;
  for (int64_t key = 0; key < keys; key++, k += d, v += d) {
    float score = 0;
    for (int64_t x = 0; x < d; x++)
      score += q[x] * k[x];
    const float now = fmaxf(top, score * scale), old = expf(top - now), weight = expf(score * scale - now);
    sum = sum * old + weight;
    for (int64_t x = 0; x < d; x++)
      sums[x] = sums[x] * old + weight * v[x];
    top = now;
  }
  for (int64_t x = 0; x < d; x++)
    o[x] = sums[x] / sum;
}

static gb_status myattention_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  const float *q = gb.tensor->data(c, "q"), *k = gb.tensor->data(c, "k"), *v = gb.tensor->data(c, "v");
  float *o = gb.tensor->data(c, "o");
  const int64_t s = gb.point->i64(c, "s"), d = gb.point->i64(c, "d");
  const int64_t h = gb.point->i64(c, "h"), group = h / gb.point->i64(c, "h_kv"); /* heads that share keys and values */
  const int64_t rows = gb.point->i64(c, "b") * h * s;                            /* queries of all heads */
  const int causal = gb_axis_is(&gb, c, "causal", "yes");
#pragma omp parallel for schedule(dynamic, 16)
  for (int64_t row = 0; row < rows; row++) {
    const int64_t head = row / s / group * s * d, query = row % s;
    attend(q + row * d, k + head, v + head, o + row * d, causal ? query + 1 : s, d);
  }
  return GB_OK;
}

static const gb_variant online = GB_VARIANT("online", "cpu", "native", .contract_minor = 3,
                                            .supports = myattention_supports, .run = myattention_run);

static gb_status myattention_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->attach(host, registry, "gpubench.org/attention/forward/1", &online) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "myattention", .version = "0.1.0", .open = myattention_open};
