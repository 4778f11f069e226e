/* Variants that misuse gpubench's functions for describing a graph (gb.graph), each in one way, and return GB_OK all
 * the same. */
#include "simple.h"

static void node_twice(gb_case *c) {
  gb_node(&gb, c, GB_NODE_KERNEL, "a", NULL, NULL, 0, 0);
}

static void unknown_kind(gb_case *c) {
  gb_node(&gb, c, 77, "b", NULL, NULL, 0, 0);
}

static void no_name(gb_case *c) {
  gb_node(&gb, c, GB_NODE_KERNEL, "no name", NULL, NULL, 0, 0);
}

static void no_end(gb_case *c) {
  gb_edge(&gb, c, "a", "nowhere", NULL, 0);
}

static void itself(gb_case *c) {
  gb_edge(&gb, c, "a", "a", NULL, 0);
}

/* Passes a struct of a later minor version of the ABI, whose additional member has a value. */
static void future(gb_case *c) {
  struct {
    gb_graph_node node;
    uint64_t more;
  } later = {{.struct_size = sizeof later, .kind = GB_NODE_KERNEL, .id = "later"}, 1};
  if (gb.graph != NULL) gb.graph->node(c, &later.node);
}

static gb_status prepare(const gb_variant *self, gb_case *c, void **vstate) {
  void (*misuse)(gb_case *) = *(void (*const *)(gb_case *))self->user;
  (void)vstate;
  gb_node(&gb, c, GB_NODE_KERNEL, "a", NULL, NULL, 0, 0);
  misuse(c);
  return GB_OK;
}

static gb_status late(const gb_variant *self, gb_case *c, void *vstate) {
  gb_node(&gb, c, GB_NODE_KERNEL, "late", NULL, NULL, 0, 0);
  return simple_run(self, c, vstate);
}

#define VARIANT(label, function)                                                      \
  static void (*const call_##function)(gb_case *) = function;                         \
  static const gb_variant variant_##function = {                                      \
      GB_SIZE(gb_variant),      .name = label,      .backend = "cpu", .math = "fp32", \
      .user = &call_##function, .prepare = prepare, .run = simple_run}
VARIANT("twice", node_twice);
VARIANT("kind", unknown_kind);
VARIANT("name", no_name);
VARIANT("end", no_end);
VARIANT("itself", itself);
VARIANT("future", future);
static const gb_variant good = SIMPLE_BASELINE("good");
static const gb_variant in_run = SIMPLE_VARIANT("late", late);

static const gb_variant *const variants[] = {&good,
                                             &variant_node_twice,
                                             &variant_unknown_kind,
                                             &variant_no_name,
                                             &variant_no_end,
                                             &variant_itself,
                                             &variant_future,
                                             &in_run,
                                             NULL};
static const gb_bench bench = SIMPLE_BENCH("graphs", variants);

static gb_status graph_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "graph", .version = "1.0", .open = graph_open};
