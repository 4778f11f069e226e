/* A bench whose variants compute y[i] = x[i] / 2 + offsets[i % 16]. The variants of harm.c write to the table of
 * offsets. The reference has a separate copy of it. */
#include <string.h>

#include <gpubench/sugar.h>

enum { N = 8192, OFFSETS = 16 };

static gb_sdk gb;

/* Tables that are filled when the plugin is opened: one for the variants, one for the reference. Another plugin can
 * find them in memory by these names, and write to them. */
static struct table {
  char name[16];
  float offsets[OFFSETS];
} own = {.name = "harm:offsets"}, expected = {.name = "harm:expected"};

static void work(const float *x, float *y) {
  for (int i = 0; i < N; i++)
    y[i] = 0.5F * x[i] + own.offsets[i % OFFSETS];
}

static gb_status honest(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  work(gb.tensor->data(c, "x"), gb.tensor->data(c, "y"));
  return GB_OK;
}

static gb_status prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  *vstate = gb.mem->alloc(c, GB_MEM_HOST, N * sizeof(float));
  return *vstate != NULL ? GB_OK : GB_ENOMEM;
}

static gb_status by_scratch(const gb_variant *self, gb_case *c, void *scratch) {
  (void)self;
  work(gb.tensor->data(c, "x"), scratch);
  memcpy(gb.tensor->data(c, "y"), scratch, N * sizeof(float));
  return GB_OK;
}

static gb_status setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self, (void)state;
  const int64_t n = N;
  const gb_tensor x = {GB_SIZE(gb_tensor), .role = GB_IN,           .dtype = GB_DTYPE_F32, .rank = 1,  .name = "x",
                       .shape = &n,        .fill = GB_FILL_UNIFORM, .fill_a = 1,           .fill_b = 2};
  const gb_tensor y = {GB_SIZE(gb_tensor), .role = GB_OUT, .dtype = GB_DTYPE_F32, .rank = 1,
                       .name = "y",        .shape = &n,    .reduction = 1};
  const gb_status status = gb.tensor->declare(c, &x);
  return status == GB_OK ? gb.tensor->declare(c, &y) : status;
}

static gb_status reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  double values[N];
  const gb_status status = gb.tensor->input(c, "x", 0, N, values);
  for (int i = 0; i < N; i++)
    values[i] = 0.5 * values[i] + (double)expected.offsets[i % OFFSETS];
  return status == GB_OK ? gb.tensor->expect(c, "y", 0, N, values) : status;
}

static const gb_variant v_honest = {GB_SIZE(gb_variant), .name = "honest", .flags = GB_VARIANT_BASELINE,
                                    .backend = "cpu",    .math = "fp32",   .run = honest};
static const gb_variant v_also = {GB_SIZE(gb_variant), .name = "also-honest", .backend = "cpu",
                                  .math = "fp32",      .prepare = prepare,    .run = by_scratch};
static const gb_variant *const variants[] = {&v_honest, &v_also, NULL};
static const gb_bench bench = {GB_SIZE(gb_bench),      .name = "harm",       .contract = "gpubench.org/test/harm/1",
                               .summary = "x / 2 + t", .variants = variants, .setup = setup,
                               .reference = reference};

static gb_status harm_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  const gb_status status = gb_sdk_open(&gb, host);
  for (int i = 0; i < OFFSETS; i++)
    own.offsets[i] = expected.offsets[i] = (float)(i + 1);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "owner", .version = "1.0.0", .open = harm_open};
