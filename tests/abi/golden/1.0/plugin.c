/* y = a x, with something of every part of ABI 1.0: what a host of this major has to load and serve for ever. Kept with
 * its binary, made by ../make.sh: neither is changed again. */
#include <gpubench/sugar.h>
#include <stdlib.h>
#include <string.h>

static gb_sdk gb;

struct derived {
  float *copy; /* of x, from gb.mem/1 */
  int64_t before, after;
};

static gb_status bench_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  return gb.point->i64(c, "n") > 0 ? GB_OK : gb_failf(&gb, c, GB_SKIP, "no elements");
}

static uint32_t minor_of(const gb_bench *self, gb_case *c) {
  (void)self;
  return strcmp(gb.point->str(c, "kind"), "fancy") == 0;
}

static gb_status setup(const gb_bench *self, gb_case *c, void **state) {
  const int64_t n = gb.point->i64(c, "n");
  gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_IN,           .dtype = GB_DTYPE_F32, .rank = 1,  .name = "x",
                 .shape = &n,        .fill = GB_FILL_UNIFORM, .fill_a = 1,           .fill_b = 2};
  *state = malloc(8);
  if (*state == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory");
  memcpy(*state, self->user, 8);
  if (gb.tensor->declare(c, &t) != GB_OK) return GB_EINVAL;
  t = (gb_tensor){GB_SIZE(gb_tensor), .role = GB_OUT, .dtype = GB_DTYPE_F32, .rank = 1,
                  .name = "y",        .shape = &n,    .reduction = 1};
  if (gb.tensor->declare(c, &t) != GB_OK) return GB_EINVAL;
  if (gb_metric_declare(&gb, c, "share", "1", GB_BETTER_MORE, GB_AGGREGATE_MEAN, "of nothing") != GB_OK)
    return GB_EINVAL;
  return gb.point->work(c, &(gb_work){GB_SIZE(gb_work), .flops = (uint64_t)n, .bytes_read = 4 * (uint64_t)n,
                                      .bytes_written = 4 * (uint64_t)n, .items = (uint64_t)n, .item_unit = "elements"});
}

static gb_status reference(const gb_bench *self, gb_case *c, void *state) {
  const uint64_t n = (uint64_t)gb.point->i64(c, "n");
  double *x = malloc(n * sizeof *x);
  (void)self;
  if (memcmp(state, "golden", 7) != 0 || x == NULL) return free(x), gb_failf(&gb, c, GB_EFAIL, "state is lost");
  gb_status status = gb.tensor->input(c, "x", 0, n, x);
  for (uint64_t i = 0; i < n; i++)
    x[i] *= gb.point->f64(c, "a");
  if (status == GB_OK) status = gb.tensor->expect(c, "y", 0, n, x);
  return free(x), status;
}

static gb_status verify(const gb_bench *self, gb_case *c, void *state) {
  double last, x;
  const uint64_t n = (uint64_t)gb.point->i64(c, "n");
  (void)self, (void)state;
  if (gb.tensor->output(c, "y", n - 1, 1, &last) != GB_OK || gb.tensor->input(c, "x", n - 1, 1, &x) != GB_OK)
    return GB_EINVAL;
  return last > 0 && x > 0 ? GB_OK : gb_failf(&gb, c, GB_EFAIL, "the last of them is %g, of %g", last, x);
}

static void teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)c;
  free(state);
}

static gb_status supports(const gb_variant *self, gb_case *c) {
  (void)self;
  if (strcmp(gb.device->str(c, "backend"), "cpu") != 0 || gb.device->i64(c, "threads") < 1)
    return gb_failf(&gb, c, GB_SKIP, "on the cpu alone");
  if (gb.devices->count(c) != 1 || gb.devices->i64(c, 0, "threads") != gb.device->i64(c, "threads"))
    return gb_failf(&gb, c, GB_SKIP, "on one device alone");
  return strcmp(gb.point->str(c, "kind"), "plain") == 0 ? GB_OK : gb_failf(&gb, c, GB_SKIP, "kind plain alone");
}

static gb_status derive(const gb_variant *self, gb_case *c, void *vstate) {
  struct derived *d = vstate;
  (void)self;
  memcpy(d->copy, gb.tensor->data(c, "x"), (size_t)gb.point->i64(c, "n") * sizeof *d->copy);
  return GB_OK;
}

static gb_status prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct derived *d = calloc(1, sizeof *d);
  if (d == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory");
  *vstate = d;
  d->copy = gb.mem->alloc(c, GB_MEM_HOST, (uint64_t)gb.point->i64(c, "n") * sizeof *d->copy);
  if (d->copy == NULL) return free(d), GB_ENOMEM;
  gb_node(&gb, c, GB_NODE_TENSOR, "x", NULL, NULL, 0, 0);
  gb_node(&gb, c, GB_NODE_HOST, "scale", "y = a x", NULL, 0, 0);
  gb_edge(&gb, c, "x", "scale", NULL, 0);
  gb_notef(&gb, c, "drawn", "%d", gb.rng->below(gb.point->seed(c), 1, 2, 10) < 10);
  gb_notef(&gb, c, "option", "%lld", (long long)gb.option->i64(c, "turns"));
  return derive(self, c, d);
}

static gb_status before(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)c;
  ((struct derived *)vstate)->before++;
  return GB_OK;
}

static void scale(gb_case *c, const float *x) {
  const float a = (float)gb.point->f64(c, "a");
  float *y = gb.tensor->data(c, "y");
  for (int64_t i = 0, n = gb.point->i64(c, "n"); i < n; i++)
    y[i] = a * x[i];
}

static gb_status run_derived(const gb_variant *self, gb_case *c, void *vstate) {
  const struct derived *d = vstate;
  (void)self;
  if (d->before == 0) return gb_failf(&gb, c, GB_EFAIL, "before was not entered");
  gb.metric->add(c, "share", 1);
  return scale(c, d->copy), GB_OK;
}

static gb_status after(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)c;
  ((struct derived *)vstate)->after++;
  return GB_OK;
}

static void release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)c;
  free(vstate);
}

static gb_status run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  return scale(c, gb.tensor->data(c, "x")), GB_OK;
}

static const gb_axis_default n_cuda = {GB_SIZE(gb_axis_default), .backend = "cuda", .values = "1M"};
static const gb_axis_default *const n_defaults[] = {&n_cuda, NULL};
static const gb_axis n = {GB_SIZE(gb_axis),         .type = GB_I64,      .name = "n",           .unit = "elements",
                          .summary = "of a vector", .values = "1k,4099", .defaults = n_defaults},
                     a = {GB_SIZE(gb_axis), .type = GB_F64, .name = "a", .values = "2"},
                     kind = {GB_SIZE(gb_axis), .type = GB_STR, .name = "kind", .choices = "plain,fancy",
                             .values = "plain"};
static const gb_axis *const axes[] = {&n, &a, &kind, NULL};
static const gb_preset small = {GB_SIZE(gb_preset), .name = "small", .summary = "one", .point = "n=16",
                                .backends = "cpu"};
static const gb_preset *const presets[] = {&small, NULL};
static const gb_variant plain = {GB_SIZE(gb_variant), .flags = GB_VARIANT_BASELINE,
                                 .name = "plain",     .summary = "a loop",
                                 .backend = "cpu",    .math = "fp32",
                                 .run = run};
static const gb_variant derived = {
    GB_SIZE(gb_variant), .flags = GB_VARIANT_DERIVED, .name = "derived",  .backend = "cpu",
    .math = "native",    .supports = supports,        .prepare = prepare, .refresh = derive,
    .before = before,    .run = run_derived,          .after = after,     .release = release};
static const gb_variant by_name = {
    GB_SIZE(gb_variant), .flags = GB_VARIANT_BY_NAME, .name = "by-name", .backend = "cpu", .math = "fp32", .run = run};
static const gb_variant guest = {GB_SIZE(gb_variant), .name = "guest",     .backend = "cpu",
                                 .math = "fp32",      .contract_minor = 1, .run = run};
static const gb_variant *const variants[] = {&plain, &derived, &by_name, NULL};
static const gb_bench bench = {
    GB_SIZE(gb_bench),   .flags = GB_BENCH_NO_ROOF, .name = "scale",      .contract = "gpubench.org/golden/scale/1",
    .contract_minor = 1, .minor_of = minor_of,      .summary = "y = a x", .axes = axes,
    .presets = presets,  .variants = variants,      .user = "golden",     .supports = bench_supports,
    .setup = setup,      .reference = reference,    .verify = verify,     .teardown = teardown};

static gb_status open_golden(const gb_host *host, gb_registry *registry, void **self) {
  gb_status status = gb_sdk_open(&gb, host);
  *self = &gb;
  if (host->abi_version >> 16 != 1 || host->extension(host, "org.example.none/1") != NULL)
    return host->fail(host, NULL, GB_ENOTSUP, "a host that cannot be");
  if (status == GB_OK) status = gb_option_declare(&gb, registry, GB_I64, "turns", "3", "1:9", NULL, NULL);
  if (status == GB_OK) status = host->add(host, registry, &bench);
  if (status == GB_OK) status = host->attach(host, registry, bench.contract, &guest);
  host->log(host, GB_LOG_INFO, "open");
  return status;
}

static void close_golden(const gb_host *host, void *self) {
  if (self == &gb) host->log(host, GB_LOG_INFO, "close");
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD,     .id = "golden",      .version = "1.0.0",
                                .build = "make.sh", .open = open_golden, .close = close_golden};
