/* Hostile values in the structs that a plugin passes to gpubench. The environment variable BAD_TABLE chooses one fault
 * of `open`, because `open` ends when gpubench refuses the first one. If BAD_TABLE is not set, there is a bench for
 * each fault of `setup`, and a variant for each fault of `prepare`. No fault is an invalid pointer, which would just
 * crash the worker. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simple.h"

/* ---- In open ---- */

static gb_axis_default on_cpu = {GB_SIZE(gb_axis_default), .backend = "cpu", .values = "1"};
static const gb_axis_default *defaults[] = {&on_cpu, NULL, NULL};
static gb_axis m = {GB_SIZE(gb_axis), .type = GB_I64, .name = "m", .values = "1,2", .defaults = defaults};
static gb_axis kind = {GB_SIZE(gb_axis), .type = GB_STR, .name = "kind", .choices = "red,blue", .values = "red"};
static gb_preset preset = {GB_SIZE(gb_preset), .name = "one", .point = "m=1", .backends = "cpu"};
static gb_variant odd = SIMPLE_VARIANT("odd", simple_run);
static gb_variant good = SIMPLE_BASELINE("good");
static gb_bench bench = {GB_SIZE(gb_bench),
                         .name = "bench",
                         .contract = "gpubench.org/test/tables/1",
                         .axes = GB_LIST(gb_axis, &m, &kind),
                         .presets = GB_LIST(gb_preset, &preset),
                         .variants = GB_LIST(gb_variant, &good, &odd),
                         .setup = simple_setup,
                         .reference = simple_reference};
static gb_option option = {GB_SIZE(gb_option), .type = GB_I64, .name = "number", .value = "1"};

static const char *table; /* NULL: no fault */

static int is(const char *name) {
  return table != NULL && strcmp(table, name) == 0;
}

static void spoil_sizes(void) {
  if (is("bench-huge")) bench.struct_size = UINT32_MAX;
  if (is("variant-huge")) odd.struct_size = UINT32_MAX;
  if (is("axis-huge")) m.struct_size = UINT32_MAX;
  if (is("default-huge")) on_cpu.struct_size = UINT32_MAX;
  if (is("preset-huge")) preset.struct_size = UINT32_MAX;
  if (is("option-huge")) option.struct_size = UINT32_MAX;
  if (is("option-zero")) option.struct_size = 0;
  if (is("default-reserved")) on_cpu.reserved = 7;
  if (is("preset-reserved")) preset.reserved = 7;
}

static void spoil_texts(void) {
  if (is("bench-control")) bench.name = "be\x1B[2Jnch";
  if (is("variant-bytes"))
    odd.name =
        "\xC3\xB6"
        "dd";
  if (is("axis-bytes")) m.name = "m\xFF";
  if (is("preset-newline")) preset.name = "one\ntwo";
  if (is("backend-spaces")) odd.backend = "c p u";
  if (is("math-case")) odd.math = "FP 32";
  if (is("default-backend")) on_cpu.backend = "cpu,cuda";
  if (is("option-name")) option.name = "a=b";
}

static void spoil_values(void) {
  if (is("axis-overflow")) m.values = "9223372036854775807k";
  if (is("axis-endless")) m.values = "1:9223372036854775807";
  if (is("axis-backwards")) m.values = "4:1";
  if (is("axis-step")) m.values = "1:4:0";
  if (is("axis-nan")) m.type = GB_F64, m.values = "nan";
  if (is("axis-inf")) m.type = GB_F64, m.values = "1e999";
  if (is("axis-negative-x")) m.values = "-4:4:x2";
  if (is("default-twice")) defaults[1] = &on_cpu;
  if (is("default-values")) on_cpu.values = NULL;
  if (is("choices-empty")) kind.choices = "";
  if (is("choices-gap")) kind.choices = "red,,blue";
  if (is("choices-twice")) kind.choices = "red,blue,red";
  if (is("preset-many")) preset.point = "m=1:4";
  if (is("preset-choice")) preset.point = "kind=green";
  if (is("preset-twice")) preset.point = "m=1,m=2";
  if (is("preset-backends")) preset.backends = "cpu cuda";
  if (is("preset-gap")) preset.backends = "cpu,,cuda";
  if (is("bench-flags")) bench.flags = UINT32_MAX;
  if (is("bench-stateful")) bench.flags = GB_BENCH_STATEFUL;
  if (is("variant-flags")) odd.flags = GB_VARIANT_YARDSTICK | GB_VARIANT_BASELINE;
  if (is("option-range")) option.choices = "9:1", option.value = "5";
  if (is("option-below")) option.choices = "2:8";
  if (is("option-type")) option.type = 0;
  if (is("option-null")) option.value = NULL;
}

/* Registers more benches, or more variants of other benches, than gpubench allows, until gpubench refuses one. */
static gb_status add_many(const gb_host *host, gb_registry *registry) {
  enum { MANY = 5000 };
  static char names[MANY][8], contracts[MANY][24];
  static gb_bench benches[MANY];
  static gb_variant guests[MANY];
  gb_status status = GB_OK;
  for (int i = 0; i < MANY && status == GB_OK; i++) {
    snprintf(names[i], sizeof names[i], "n%d", i);
    snprintf(contracts[i], sizeof contracts[i], "test/many/%d", i + 1);
    benches[i] = bench;
    benches[i].name = names[i];
    benches[i].contract = contracts[i];
    guests[i] = odd;
    guests[i].name = names[i];
    status = is("benches-257") ? host->add(host, registry, &benches[i])
                               : host->attach(host, registry, bench.contract, &guests[i]);
  }
  return status;
}

static gb_status open_spoilt(const gb_host *host, gb_registry *registry) {
  spoil_sizes();
  spoil_texts();
  spoil_values();
  if (is("benches-257") || is("variants-4097")) return add_many(host, registry);
  const gb_status status = gb.option->declare(host, registry, &option);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

/* ---- In setup ---- */

/* clang-format off */
#define SETUP_FAULTS(X) \
  X("fine", values[0] = 2) \
  X("tensor-huge", t.struct_size = UINT32_MAX) \
  X("tensor-flags", t.flags = UINT32_MAX) \
  X("tensor-reserved", t.reserved = 7) \
  X("tensor-bytes", t.name = "\xC3\xB6") \
  X("tensor-rank", t.rank = UINT32_MAX) \
  X("tensor-shape", t.shape = NULL) \
  X("tensor-extent", shape[1] = INT64_MIN) \
  X("tensor-stride-zero", t.strides = zeros) \
  X("tensor-stride-negative", t.strides = negative) \
  X("tensor-stride-overflow", t.strides = overflowing) \
  X("tensor-align", t.align_bytes = 3) \
  X("tensor-align-huge", t.align_bytes = UINT64_C(1) << 63) \
  X("tensor-offset", t.offset_bytes = UINT64_MAX) \
  X("tensor-offset-odd", t.offset_bytes = 1) \
  X("tensor-role", t.role = UINT32_MAX) \
  X("tensor-dtype", t.dtype = UINT32_MAX) \
  X("tensor-memory", t.memory = UINT32_MAX) \
  X("tensor-fill", t.role = GB_IN, t.fill = UINT32_MAX) \
  X("tensor-fill-bench", t.role = GB_IN, t.fill = GB_FILL_BENCH) \
  X("tensor-fill-nan", t.role = GB_IN, t.fill = GB_FILL_UNIFORM, t.fill_a = NAN) \
  X("tensor-fill-width", t.role = GB_IN, t.fill = GB_FILL_UNIFORM, t.fill_a = -DBL_MAX, t.fill_b = DBL_MAX) \
  X("tensor-fill-empty", t.role = GB_IN, t.fill = GB_FILL_UNIFORM, t.fill_a = 2, t.fill_b = 1) \
  X("tensor-fill-deviation", t.role = GB_IN, t.fill = GB_FILL_NORMAL, t.fill_b = -1) \
  X("tensor-tolerance-nan", t.role = GB_OUT, t.tolerance = NAN) \
  X("tensor-tolerance-negative", t.role = GB_OUT, t.tolerance = -0.5) \
  X("tensor-tolerance-inf", t.role = GB_OUT, t.tolerance = INFINITY) \
  X("tensor-exact-input", t.role = GB_SCRATCH, t.flags = GB_TENSOR_EXACT) \
  X("work-huge", work.struct_size = UINT32_MAX) \
  X("work-reserved", work.reserved = 7) \
  X("work-flops", work.flops = UINT64_MAX) \
  X("work-bytes", work.bytes_read = work.bytes_written = INT64_MAX) \
  X("work-items", work.items = UINT64_MAX, work.item_unit = "rows") \
  X("work-unit", work.items = 7, work.item_unit = NULL) \
  X("metric-huge", metric.struct_size = UINT32_MAX) \
  X("metric-zero", metric.struct_size = 0) \
  X("metric-reserved", metric.reserved = 7) \
  X("metric-name", metric.name = NULL) \
  X("metric-better", metric.better = UINT32_MAX) \
  X("metric-aggregate", metric.aggregate = UINT32_MAX) \
  X("progress-backwards", gb.progress->step(c, 9, 3)) \
  X("alloc-kind", gb.mem->alloc(c, 9, 1)) \
  X("alloc-huge", gb.mem->alloc(c, GB_MEM_HOST, UINT64_MAX)) \
  X("claim-kind", gb.mem->claim(c, 0, 1)) \
  X("free-stranger", gb.mem->free(c, shape)) \
  X("write-early", gb.input->write(c, "x", 0, 1, values)) \
  X("expect-early", gb.tensor->expect(c, "y", 0, 1, values)) \
  X("output-early", gb.tensor->output(c, "y", 0, 1, values)) \
  X("input-early", gb.tensor->input(c, "x", 0, 1, values)) \
  X("metric-early", gb.metric->add(c, "m", 1)) \
  X("note-early", gb.note->set(c, "a", "b")) \
  X("steps-early", gb.tensor->steps(c)) \
  X("add-late", gb.host->add(gb.host, kept, &bench)) \
  X("attach-late", gb.host->attach(gb.host, kept, bench.contract, &odd)) \
  X("option-late", gb.option->declare(gb.host, kept, &option))
/* clang-format on */

/* the registry that an earlier call of `open` got, and that must not be used after `open` has returned */
static gb_registry *kept;

#define NAME(label, ...) label,
static const char *const setup_faults[] = {SETUP_FAULTS(NAME)};
enum { SETUP_COUNT = sizeof setup_faults / sizeof setup_faults[0] };

#define SPOIL(label, ...) \
  if (strcmp(self->name, label) == 0) (void)(__VA_ARGS__);

static gb_status spoilt_setup(const gb_bench *self, gb_case *c, void **state) {
  static const int64_t zeros[] = {0, 0}, negative[] = {-4, -1}, overflowing[] = {INT64_MAX, INT64_MAX};
  int64_t shape[] = {4, 4};
  double values[] = {1};
  gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_SCRATCH, .dtype = GB_DTYPE_F32, .rank = 2, .name = "t", .shape = shape};
  gb_work work = {GB_SIZE(gb_work), .flops = 1};
  gb_metric metric = {GB_SIZE(gb_metric), .name = "m"};
  gb_status status = simple_setup(self, c, state);
  if (status != GB_OK) return status;
  SETUP_FAULTS(SPOIL)
  gb.tensor->declare(c, &t);
  gb.point->work(c, &work);
  gb.metric->declare(c, &metric);
  return GB_OK;
}

/* ---- In prepare ---- */

/* clang-format off */
#define PREPARE_FAULTS(X) \
  X("node-huge", node.struct_size = UINT32_MAX) \
  X("node-zero", node.struct_size = 0) \
  X("node-kind", node.kind = UINT32_MAX) \
  X("node-id", node.id = "a\nb") \
  X("node-bytes", node.bytes = UINT64_MAX) \
  X("node-flops", node.flops = UINT64_MAX) \
  X("edge-huge", edge.struct_size = UINT32_MAX) \
  X("edge-zero", edge.struct_size = 0) \
  X("edge-reserved", edge.reserved = 7) \
  X("edge-null", edge.from = NULL) \
  X("edge-nowhere", edge.to = "nowhere") \
  X("edge-bytes", edge.bytes = UINT64_MAX) \
  X("input-far", gb.tensor->input(c, "x", UINT64_MAX, 2, values)) \
  X("input-much", gb.tensor->input(c, "x", 1, UINT64_MAX, values)) \
  X("input-apart", gb.tensor->input_strided(c, "x", 0, UINT64_MAX, 2, values)) \
  X("input-output", gb.tensor->input(c, "y", 0, 1, values)) \
  X("free-stranger", gb.mem->free(c, values)) \
  X("axis-name", gb.point->i64(c, "\x1B[2J")) \
  X("tensor-name", gb.tensor->data(c, "\x1B[2J")) \
  X("option-name", gb.option->i64(c, "\x1B[2J")) \
  X("declare-late", gb.tensor->declare(c, &(gb_tensor){GB_SIZE(gb_tensor), .name = "t"})) \
  X("work-late", gb.point->work(c, &(gb_work){GB_SIZE(gb_work)}))
/* clang-format on */

static const char *const prepare_faults[] = {PREPARE_FAULTS(NAME)};
enum { PREPARE_COUNT = sizeof prepare_faults / sizeof prepare_faults[0] };

static gb_status spoilt_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  double values[2];
  gb_graph_node node = {GB_SIZE(gb_graph_node), .kind = GB_NODE_HOST, .id = "a"};
  gb_graph_edge edge = {GB_SIZE(gb_graph_edge), .from = "a", .to = "b"};
  (void)vstate;
  PREPARE_FAULTS(SPOIL)
  gb_node(&gb, c, GB_NODE_TENSOR, "b", NULL, NULL, 0, 0);
  gb.graph->node(c, &node);
  gb.graph->edge(c, &edge);
  return GB_OK;
}

/* ---- Tables ---- */

static gb_status open_all(const gb_host *host, gb_registry *registry) {
  static gb_bench benches[SETUP_COUNT];
  static char contracts[SETUP_COUNT][64];
  static gb_variant variants[PREPARE_COUNT];
  static const gb_variant *const alone[] = {&good, NULL};
  static const gb_variant *list[PREPARE_COUNT + 2] = {&good};
  gb_status status = GB_OK;
  for (int i = 0; i < SETUP_COUNT && status == GB_OK; i++) {
    snprintf(contracts[i], sizeof contracts[i], "gpubench.org/tables/%s/1", setup_faults[i]);
    benches[i] = bench;
    benches[i].name = setup_faults[i];
    benches[i].contract = contracts[i];
    benches[i].axes = NULL;
    benches[i].presets = NULL;
    benches[i].variants = alone;
    benches[i].setup = spoilt_setup;
    status = host->add(host, registry, &benches[i]);
  }
  for (int i = 0; i < PREPARE_COUNT; i++) {
    variants[i] = odd;
    variants[i].name = prepare_faults[i];
    variants[i].prepare = spoilt_prepare;
    list[i + 1] = &variants[i];
  }
  bench.axes = NULL;
  bench.presets = NULL;
  bench.variants = list;
  kept = registry;
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

static gb_status tables_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  const gb_status status = gb_sdk_open(&gb, host);
  table = getenv("BAD_TABLE");
  if (status != GB_OK) return status;
  return table != NULL ? open_spoilt(host, registry) : open_all(host, registry);
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "tables", .version = "1.0.0", .open = tables_open};
