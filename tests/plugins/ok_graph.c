/* Variants that describe their launches to gpubench as a graph (gb.graph): a plain graph, no graph, a graph with
 * hostile texts, the largest graph that is allowed, and a graph with a cycle. */
#include <stdio.h>

#include "simple.h"

#define HOSTILE                                                                                                     \
  "=1+1,\"two\";'three'\n<b>\\N \\G \\l</b>\r\n</text></svg><script>alert(1)</script>\x1b[31m & &amp; {a|b} %s -> " \
  "\xff "                                                                                                           \
  "\xe2\x80\xae"
#define LONG                                                                                                     \
  "a very long label a very long label a very long label a very long label a very long label a very long label " \
  "averyveryverylonglabelwithoutanyspacesthatcouldbeusedtobreakitintolines a very long label a very long label"

static gb_status plain(const gb_variant *self, gb_case *c, void **vstate) {
  const uint64_t bytes = SIMPLE_N * sizeof(float);
  (void)self;
  (void)vstate;
  gb_status status = gb_node(&gb, c, GB_NODE_TENSOR, "x", "X", NULL, 0, bytes);
  if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_HOST, "double", "y = 2 x", "one pass", SIMPLE_N, 0);
  if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_TENSOR, "y", "Y", NULL, 0, bytes);
  if (status == GB_OK) status = gb_edge(&gb, c, "x", "double", "read once", bytes);
  return status == GB_OK ? gb_edge(&gb, c, "double", "y", NULL, bytes) : status;
}

static gb_status hostile(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  (void)vstate;
  gb_status status = gb_node(&gb, c, GB_NODE_KERNEL, "a", HOSTILE, HOSTILE, UINT64_MAX, UINT64_MAX);
  if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_COPY, "b", LONG, LONG, 0, 1);
  if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_MEMSET, "c", "", "", 1, 0);
  if (status == GB_OK) status = gb_edge(&gb, c, "a", "b", HOSTILE, UINT64_MAX);
  return status == GB_OK ? gb_edge(&gb, c, "b", "c", LONG, UINT64_MAX) : status;
}

static gb_status large(const gb_variant *self, gb_case *c, void **vstate) {
  char id[16], other[16];
  (void)self;
  (void)vstate;
  gb_status status = GB_OK;
  for (int i = 0; i < 64 && status == GB_OK; i++) {
    snprintf(id, sizeof id, "n%d", i);
    status = gb_node(&gb, c, i % 2 ? GB_NODE_KERNEL : GB_NODE_TENSOR, id, NULL, NULL, 0, 0);
  }
  for (int i = 0; i < 128 && status == GB_OK; i++) {
    snprintf(id, sizeof id, "n%d", i % 64);
    snprintf(other, sizeof other, "n%d", (i * 7 + 3) % 64 == i % 64 ? (i + 1) % 64 : (i * 7 + 3) % 64);
    status = gb_edge(&gb, c, id, other, "flow", (uint64_t)i);
  }
  return status;
}

static gb_status circle(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  (void)vstate;
  gb_status status = gb_node(&gb, c, GB_NODE_KERNEL, "a", NULL, NULL, 0, 0);
  if (status == GB_OK) status = gb_node(&gb, c, GB_NODE_KERNEL, "b", NULL, NULL, 0, 0);
  if (status == GB_OK) status = gb_edge(&gb, c, "a", "b", NULL, 0);
  return status == GB_OK ? gb_edge(&gb, c, "b", "a", NULL, 0) : status;
}

#define VARIANT(label, function, flag)                                                                    \
  static const gb_variant variant_##function = {GB_SIZE(gb_variant), .flags = flag,  .name = label,       \
                                                .backend = "cpu",    .math = "fp32", .prepare = function, \
                                                .run = simple_run}
VARIANT("plain", plain, GB_VARIANT_BASELINE);
VARIANT("hostile", hostile, 0);
VARIANT("large", large, 0);
VARIANT("circle", circle, GB_VARIANT_DERIVED);
static const gb_variant silent = SIMPLE_VARIANT("silent", simple_run);

static const gb_variant *const variants[] = {&variant_plain,  &variant_hostile, &variant_large,
                                             &variant_circle, &silent,          NULL};
static const gb_bench bench = SIMPLE_BENCH("graphs", variants);

static gb_status graph_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "graph", .version = "1.0", .open = graph_open};
