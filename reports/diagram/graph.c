/* What a variant launches and keeps in memory, as its plugin stated it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "diagram/kinds.h"
#include "summary/bound.h"

const char *diagram_graph_kind(const struct graph_node *node) {
  static const char *const names[GRAPH_KIND_END] = {
      [GRAPH_KERNEL] = "kernel", [GRAPH_COPY] = "copy",     [GRAPH_MEMSET] = "memset",
      [GRAPH_HOST] = "CPU step", [GRAPH_TENSOR] = "tensor",
  };
  return node->kind < GRAPH_KIND_END && names[node->kind] != NULL ? names[node->kind] : "";
}

uint64_t diagram_graph_most(const struct run_graph *graph) {
  uint64_t most = 0;
  for (size_t i = 0; i < graph->edge_count; i++)
    if (graph->edges[i].bytes > most) most = graph->edges[i].bytes;
  return most;
}

size_t diagram_graph_steps(const struct run_graph *graph) {
  size_t steps = 0;
  for (size_t i = 0; i < graph->node_count; i++)
    steps += graph->nodes[i].kind != GRAPH_TENSOR;
  return steps;
}

/* "137 GFLOP" */
static void flops_text(char *to, size_t size, uint64_t flops) {
  static const char *const units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"};
  double value = (double)flops;
  size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < sizeof units / sizeof units[0]; unit++)
    value /= 1000;
  snprintf(to, size, "%.31s %s", number_significant(value, 3).text, units[unit]);
}

static void add_node(struct diagram *d, const struct graph_node *node) {
  static const enum diagram_look looks[GRAPH_KIND_END] = {
      [GRAPH_KERNEL] = DIAGRAM_STEP, [GRAPH_COPY] = DIAGRAM_MINOR,  [GRAPH_MEMSET] = DIAGRAM_MINOR,
      [GRAPH_HOST] = DIAGRAM_HOST,   [GRAPH_TENSOR] = DIAGRAM_DATA,
  };
  char text[128], flops[48] = "", bytes[48] = "";
  if (node->flops > 0) flops_text(flops, sizeof flops, node->flops);
  if (node->bytes > 0) text_bytes(bytes, sizeof bytes, (double)node->bytes);
  size_t index = diagram_node(d, -1, looks[node->kind], node->label[0] ? node->label : node->id);
  snprintf(text, sizeof text, "%s%s%s%s%s", diagram_graph_kind(node), flops[0] ? ", " : "", flops, bytes[0] ? ", " : "",
           bytes);
  diagram_line(d, index, text);
  diagram_line(d, index, node->note);
}

static void add_edge(struct diagram *d, const struct graph_edge *edge, uint64_t most_bytes) {
  char text[TEXT_SIZE + 64], bytes[48] = "";
  if (edge->bytes > 0) text_bytes(bytes, sizeof bytes, (double)edge->bytes);
  snprintf(text, sizeof text, "%s%s%s", edge->label, edge->label[0] && bytes[0] ? "\n" : "", bytes);
  struct diagram_edge *drawn = diagram_edge(d, edge->from, edge->to, text);
  if (most_bytes > 0) drawn->weight = (double)edge->bytes / (double)most_bytes;
}

bool diagram_of_graph(struct diagram *d, const char *id, const struct run_graph *graph, uint64_t most_bytes) {
  char title[TEXT_SIZE + 64], text[256], bytes[48];
  size_t steps = diagram_graph_steps(graph);
  text_bytes(bytes, sizeof bytes, (double)bound_traffic(graph));
  snprintf(title, sizeof title, "%.*s, %.120s: %zu step%s", (int)strcspn(graph->case_key, "["), graph->case_key,
           graph->variant, steps, steps == 1 ? "" : "s");
  snprintf(text, sizeof text, "%zu step%s and %zu tensors; %s along the arrows. The table below has every part.", steps,
           steps == 1 ? "" : "s", graph->node_count - steps, bytes);
  diagram_init(d, id, title, text);
  for (size_t i = 0; i < graph->node_count; i++)
    add_node(d, &graph->nodes[i]);
  for (size_t i = 0; i < graph->edge_count; i++)
    add_edge(d, &graph->edges[i], most_bytes);
  return d->node_count > 0;
}
