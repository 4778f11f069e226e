/* Tests the three diagrams of a report before they are drawn: their boxes, arrows and texts. */
#include "diagram/kinds.h"
#include "summary/row.h"

#include <stdlib.h>

#include "unit.h"

static struct diagram d;

/* Returns the node whose title begins with this text, or a negative number if there is none or more than one. */
static int node(const char *title) {
  int found = -1;
  for (size_t i = 0; i < d.node_count; i++)
    if (d.nodes[i].lines.count > 0 && strncmp(d.nodes[i].tip, title, strlen(title)) == 0)
      found = found < 0 ? (int)i : -2;
  return found;
}

static const struct diagram_edge *edge(int from, int to) {
  for (size_t i = 0; i < d.edge_count; i++)
    if ((int)d.edges[i].from == from && (int)d.edges[i].to == to) return &d.edges[i];
  return NULL;
}

static void assert_label(int from, int to, const char *label) {
  const struct diagram_edge *e = edge(from, to);
  if (e == NULL)
    UNIT_FAIL("nothing joins %d and %d", from, to);
  else
    ASSERT_EQ_STR(e->lines.count > 0 ? e->lines.items[0] : "", label);
}

/* ---- Comparisons of variants ---- */

static void arrows_say_how_much(void) {
  enum { N = 3 };
  const char *names[N] = {"base", "x", "lonely"};
  const struct run_bench bench = {.name = "p/b", .variants = names, .variant_count = N};
  struct versus pairs[N * N] = {{0}};
  bool edges[N * N] = {false};
  pairs[1 * N + 0] = (struct versus){.faster = 2, .same = 1, .log_ratio = 3 * log(1.25)};
  pairs[0 * N + 1] = (struct versus){.slower = 2, .same = 1, .log_ratio = -3 * log(1.25)};
  edges[1 * N + 0] = true;
  const struct pairwise beats = {.count = N, .pairs = pairs, .edges = edges, .shown = edges, .compared = 1};
  ASSERT_TRUE(diagram_of_pairwise(&d, "b", "p/b, cold", &bench, &beats));
  ASSERT_EQ_INT(d.node_count, 2); /* a variant without comparisons is left out */
  assert_label(node("x"), node("base"), "1.250x");
  ASSERT_EQ_STR(d.edges[0].lines.items[1], "in 2 of 3");
  ASSERT_EQ_STR(d.title, "p/b, cold: which variant beats which");
  ASSERT_EQ_STR(d.description, "x beats base 1.250 times.");
  diagram_free(&d);
}

/* ---- Launches of a variant ---- */

static struct run_graph sample_graph(struct graph_node *nodes, struct graph_edge *edges) {
  nodes[0] = (struct graph_node){.kind = GRAPH_TENSOR, .bytes = 4096, .id = "x", .label = "X"};
  nodes[1] = (struct graph_node){.kind = GRAPH_KERNEL, .flops = 137438953472, .id = "k", .note = "in tiles"};
  edges[0] = (struct graph_edge){.from = 0, .to = 1, .bytes = 8192, .label = "read twice"};
  return (struct run_graph){.case_key = (char *)"p/b",
                            .variant = (char *)"v",
                            .nodes = nodes,
                            .edges = edges,
                            .node_count = 2,
                            .edge_count = 1};
}

static void graphs_say_what_flows(void) {
  struct graph_node nodes[2];
  struct graph_edge edges[1];
  const struct run_graph graph = sample_graph(nodes, edges);
  ASSERT_TRUE(diagram_of_graph(&d, "g", &graph, 16384));
  ASSERT_EQ_STR(d.nodes[0].tip, "X\ntensor, 4.1 kB");
  ASSERT_EQ_STR(d.nodes[1].tip, "k\nkernel, 137 GFLOP\nin tiles");
  ASSERT_EQ_INT(d.nodes[0].look, DIAGRAM_DATA);
  ASSERT_EQ_INT(d.nodes[1].look, DIAGRAM_STEP);
  assert_label(0, 1, "read twice");
  ASSERT_EQ_STR(d.edges[0].lines.items[1], "8.2 kB");
  ASSERT_NEAR(d.edges[0].weight, 0.5, 1e-12);
  ASSERT_EQ_STR(d.title, "p/b, v: 1 step");
  ASSERT_EQ_INT(bound_traffic(&graph), 8192);
  diagram_free(&d);
}

static void stated_numbers_may_be_anything(void) {
  struct graph_node nodes[2];
  struct graph_edge edges[1];
  struct run_graph graph = sample_graph(nodes, edges);
  nodes[0].bytes = nodes[1].flops = edges[0].bytes = UINT64_MAX;
  ASSERT_TRUE(diagram_of_graph(&d, "g", &graph, diagram_graph_most(&graph)));
  ASSERT_HAS(d.nodes[1].tip, "18.4 EFLOP");
  ASSERT_NEAR(d.edges[0].weight, 1, 1e-12);
  diagram_free(&d);
  struct graph_edge two[2] = {edges[0], edges[0]};
  graph.edges = two;
  graph.edge_count = 2;
  ASSERT_TRUE(bound_traffic(&graph) == UINT64_MAX);
  graph.node_count = graph.edge_count = 0;
  ASSERT_TRUE(!diagram_of_graph(&d, "g", &graph, 0));
  diagram_free(&d);
}

/* ---- The machine ---- */

static struct pairs environment;

static void add(const char *name, const char *value) {
  pairs_add_text(&environment, name, value);
}

static bool draw_machine(void) {
  bool any = diagram_of_machine(&d, "m", &environment);
  pairs_free(&environment);
  return any;
}

static void add_server(void) {
  char name[64], text[32];
  add("host", "node17");
  add("cpu", "Xeon");
  add("device", "cuda:1");
  add("device_uuid", "GPU-2");
  add("memory_bytes", "150754820096");
  for (int i = 0; i < 2; i++) {
    snprintf(name, sizeof name, "topology.node.%d.memory_bytes", i);
    add(name, "1073741824");
    snprintf(name, sizeof name, "topology.node.%d.distance", i);
    add(name, i == 0 ? "10 21" : "21 10");
    snprintf(name, sizeof name, "topology.package.%d.node", i);
    snprintf(text, sizeof text, "%d", i);
    add(name, text);
    snprintf(name, sizeof name, "topology.package.%d.cores", i);
    add(name, i == 0 ? "1" : "56");
    snprintf(name, sizeof name, "topology.package.%d.threads", i);
    add(name, "112");
  }
}

static void add_gpu(int number, const char *uuid, const char *bridges) {
  char name[64];
  const char *facts[][2] = {{"pci", uuid},
                            {"uuid", uuid},
                            {"node", "1"},
                            {"bridges", bridges},
                            {"link_max", number == 0 ? "32.0 GT/s PCIe x16" : "99 GT/s x4"}};
  for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
    snprintf(name, sizeof name, "topology.gpu.%d.%s", number, facts[i][0]);
    if (facts[i][1][0] != '\0') add(name, facts[i][1]);
  }
}

static void a_server_is_joined_up(void) {
  add_server();
  add_gpu(0, "GPU-1", "0000:15:01.0/0000:16:00.0");
  add_gpu(1, "GPU-2", "0000:15:01.0/0000:17:00.0");
  add_gpu(2, "GPU-3", "0000:45:01.0");
  ASSERT_TRUE(draw_machine());
  int first = node("Xeon\n1 core, 112 threads"), second = node("Xeon\n56 cores"), shared = node("PCIe switch");
  ASSERT_EQ_INT(d.clusters.count, 2);
  ASSERT_EQ_STR(d.title, "The machine: node17");
  ASSERT_EQ_STR(d.description, "2 NUMA nodes, 2 CPU packages, 3 GPUs, with the links that the kernel knows.");
  assert_label(first, second, "distance 21");
  assert_label(second, shared, "");
  assert_label(shared, node("GPU 0"), "PCIe 5.0 x16");
  assert_label(shared, node("GPU 1"), "99 GT/s x4");
  ASSERT_TRUE(edge(second, node("GPU 2")) != NULL && edge(first, node("GPU 2")) == NULL);
  ASSERT_EQ_INT(d.nodes[node("GPU 1")].look, DIAGRAM_STRONG);
  ASSERT_HAS(d.nodes[node("GPU 1")].tip, "memory 151 GB\nmeasured here");
  ASSERT_EQ_INT(d.nodes[node("GPU 0")].look, DIAGRAM_STEP);
  ASSERT_EQ_INT(d.nodes[node("GPU 1")].cluster, 1);
  diagram_free(&d);
}

static void unseen_gpus_are_said_to_be(void) {
  add_server();
  add("device_name", "NVIDIA H200");
  ASSERT_TRUE(draw_machine());
  ASSERT_HAS(d.nodes[node("NVIDIA H200")].tip, "measured here\nlink not known");
  diagram_free(&d);
}

static void a_cpu_run_marks_the_cpu(void) {
  add("cpu", "Xeon");
  add("device", "cpu");
  add("topology.package.0.cores", "2");
  add("topology.package.0.threads", "2");
  ASSERT_TRUE(draw_machine());
  ASSERT_EQ_INT(d.node_count, 1);
  ASSERT_EQ_STR(d.nodes[0].tip, "Xeon\n2 cores, 2 threads\nmeasured here");
  diagram_free(&d);
}

/* A run.ini may contain any values. They must not break the diagram of the machine. */
static void machines_may_be_nonsense(void) {
  static const char *const values[] = {"", "-1", "99999999999999999999", "nan", "x", "1e300", "\n<b>", "0"};
  static const char *const names[] = {"topology.node.0.memory_bytes",
                                      "topology.node.0.distance",
                                      "topology.node.15.distance",
                                      "topology.node.99.cpus",
                                      "topology.package.0.node",
                                      "topology.package.15.l3_bytes",
                                      "topology.package.0.cores",
                                      "topology.gpu.31.node",
                                      "topology.gpu.0.bridges",
                                      "topology.gpu.0.link_max",
                                      "topology.gpu.1.bridges",
                                      "memory_bytes",
                                      "device_uuid",
                                      "topology.gpu.0.uuid"};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
      add(names[n], values[i]);
    ASSERT_TRUE(draw_machine());
    for (size_t e = 0; e < d.edge_count; e++)
      ASSERT_TRUE(d.edges[e].from < d.node_count && d.edges[e].to < d.node_count);
    diagram_free(&d);
  }
  add("host", "node17");
  ASSERT_TRUE(!draw_machine()); /* without facts there is no drawing */
  diagram_free(&d);
}

UNIT_MAIN("diagram_kinds", UNIT_TEST(arrows_say_how_much), UNIT_TEST(graphs_say_what_flows),
          UNIT_TEST(stated_numbers_may_be_anything), UNIT_TEST(a_server_is_joined_up),
          UNIT_TEST(unseen_gpus_are_said_to_be), UNIT_TEST(a_cpu_run_marks_the_cpu),
          UNIT_TEST(machines_may_be_nonsense))
