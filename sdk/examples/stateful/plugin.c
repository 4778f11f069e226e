/* A stateful bench: heat on a ring, where each step continues from the result of the step before it. The state is a
 * GB_INOUT tensor, and the bench is GB_BENCH_STATEFUL and GB_BENCH_ITERABLE. `reference` gives the host the result of
 * one step from the values with which the host fills the tensor, and `verify` checks what must hold after any number of
 * steps. */
#include <gpubench/sugar.h>
#include <math.h>
#include <stdlib.h>

static gb_sdk gb; /* the host's services */

static const float rate = 0.25f;

static gb_status heat_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  return gb_axis_within(&gb, c, "n", 3, INT64_C(1) << 28);
}

static gb_status heat_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self, (void)state;
  int64_t n = gb.point->i64(c, "n");
  gb_tensor u = {GB_SIZE(gb_tensor), .name = "u", .role = GB_INOUT, .dtype = GB_DTYPE_F32, .rank = 1, .shape = &n};
  u.fill = GB_FILL_UNIFORM, u.fill_a = 0, u.fill_b = 100, u.reduction = 3;
  gb.tensor->declare(c, &u);
  return gb.point->work(c, &(gb_work){GB_SIZE(gb_work), .flops = 5 * (uint64_t)n, .bytes_read = 4 * (uint64_t)n,
                                      .bytes_written = 4 * (uint64_t)n});
}

/* Gets the values of u that the host filled in, and computes those one step later. The caller frees both arrays. */
static gb_status heat_step(gb_case *c, uint64_t n, double **before, double **after) {
  double *u = *before = malloc(n * sizeof *u), *to = *after = malloc(n * sizeof *to);
  if (u == NULL || to == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory for u");
  gb_status status = gb.tensor->input(c, "u", 0, n, u);
  for (uint64_t i = 0; i < n; i++)
    to[i] = u[i] + (double)rate * (u[i == 0 ? n - 1 : i - 1] - 2 * u[i] + u[i == n - 1 ? 0 : i + 1]);
  return status;
}

static gb_status heat_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  uint64_t n = (uint64_t)gb.point->i64(c, "n");
  double *before, *after;
  gb_status status = heat_step(c, n, &before, &after);
  if (status == GB_OK) status = gb.tensor->expect(c, "u", 0, n, after);
  return free(before), free(after), status;
}

/* Checks that after any number of steps the total heat is the same, and that no element is hotter or colder than the
 * extremes at the beginning. */
static gb_status heat_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  uint64_t n = (uint64_t)gb.point->i64(c, "n");
  double *before, *after, was = 0, is = 0, least = INFINITY, most = -INFINITY;
  gb_status status = heat_step(c, n, &before, &after);
  if (status == GB_OK) status = gb.tensor->output(c, "u", 0, n, after);
  for (uint64_t i = 0; status == GB_OK && i < n; i++) {
    was += before[i], is += after[i];
    least = fmin(least, before[i]), most = fmax(most, before[i]);
  }
  for (uint64_t i = 0; status == GB_OK && i < n; i++)
    if (!(after[i] >= least - 1e-3 && after[i] <= most + 1e-3))
      status = gb_failf(&gb, c, GB_EFAIL, "u[%llu] is %g: not within %g and %g, where it began", (unsigned long long)i,
                        after[i], least, most);
  if (status == GB_OK && !(fabs(is - was) <= 1e-4 * was))
    status = gb_failf(&gb, c, GB_EFAIL, "the heat was %g and is %g", was, is);
  return free(before), free(after), status;
}

/* Updates u in place. The old values of the left neighbour and of the first element are kept in variables. */
static gb_status run_carried(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  float *u = gb.tensor->data(c, "u");
  const int64_t n = gb.point->i64(c, "n");
  const float first = u[0];
  float left = u[n - 1], here = first;
  for (int64_t i = 0; i < n; i++) {
    const float right = i == n - 1 ? first : u[i + 1];
    u[i] = here + rate * (left - 2 * here + right);
    left = here, here = right;
  }
  return GB_OK;
}

/* Writes each new step into a buffer of the variant's own, which is not part of the state. */
static gb_status prepare_buffered(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  *vstate = gb.mem->alloc(c, GB_MEM_DEVICE, (uint64_t)gb.point->i64(c, "n") * sizeof(float));
  return *vstate != NULL ? GB_OK : GB_ENOMEM;
}

static gb_status run_buffered(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  float *u = gb.tensor->data(c, "u"), *old = vstate;
  const int64_t n = gb.point->i64(c, "n"), last = n - 1;
  memcpy(old, u, (size_t)n * sizeof *u);
  u[0] = old[0] + rate * (old[last] - 2 * old[0] + old[1]);
  for (int64_t i = 1; i < last; i++)
    u[i] = old[i] + rate * (old[i - 1] - 2 * old[i] + old[i + 1]);
  u[last] = old[last] + rate * (old[last - 1] - 2 * old[last] + old[0]);
  return GB_OK;
}

static const gb_axis n = {GB_SIZE(gb_axis), .type = GB_I64, .name = "n", .values = "1M,4M"};
static const gb_variant carried = GB_VARIANT("carried", "cpu", "fp32", .run = run_carried);
static const gb_variant buffered = GB_VARIANT("buffered", "cpu", "fp32", .run = run_buffered,
                                              .prepare = prepare_buffered, .flags = GB_VARIANT_BASELINE);
static const gb_bench bench = {GB_SIZE(gb_bench),
                               .name = "heat",
                               .flags = GB_BENCH_STATEFUL | GB_BENCH_ITERABLE,
                               .contract = "example.org/mystate/heat/1",
                               .axes = GB_LIST(gb_axis, &n),
                               .variants = GB_LIST(gb_variant, &carried, &buffered),
                               .supports = heat_supports,
                               .setup = heat_setup,
                               .reference = heat_reference,
                               .verify = heat_verify};

static gb_status mystate_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "mystate", .version = "0.1.0", .open = mystate_open};
