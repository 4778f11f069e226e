/* The graph in which a variant describes its work: finds nodes in it and checks it. */
#include "model/services/graph.h"

#include <string.h>

int graph_find(const struct graph_desc *graph, const char *id) {
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (strcmp(graph->nodes[i].id, id) == 0) return (int)i;
  return -1;
}

static bool check_node(struct graph_desc *graph, uint32_t index) {
  struct graph_node *node = &graph->nodes[index];
  node->id[sizeof node->id - 1] = node->label[sizeof node->label - 1] = node->note[sizeof node->note - 1] = '\0';
  text_sanitize(node->label);
  text_sanitize(node->note);
  bool known = node->kind >= GRAPH_KERNEL && node->kind < GRAPH_KIND_END;
  return known && text_is_id(node->id) && graph_find(graph, node->id) == (int)index;
}

static bool check_edge(const struct graph_desc *graph, struct graph_edge *edge) {
  edge->label[sizeof edge->label - 1] = '\0';
  text_sanitize(edge->label);
  return edge->from < graph->node_count && edge->to < graph->node_count && edge->from != edge->to;
}

bool graph_check(struct graph_desc *graph) {
  if (graph->node_count > GRAPH_NODES_MAX || graph->edge_count > GRAPH_EDGES_MAX) return false;
  for (uint32_t i = 0; i < graph->node_count; i++) /* before any id is compared */
    graph->nodes[i].id[ID_SIZE - 1] = '\0';
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (!check_node(graph, i)) return false;
  for (uint32_t i = 0; i < graph->edge_count; i++)
    if (!check_edge(graph, &graph->edges[i])) return false;
  return true;
}

static const char *const kinds[GRAPH_KIND_END] = {
    [GRAPH_KERNEL] = "kernel", [GRAPH_COPY] = "copy",     [GRAPH_MEMSET] = "memset",
    [GRAPH_HOST] = "host",     [GRAPH_TENSOR] = "tensor",
};

const char *graph_kind_name(uint32_t kind) {
  return kind >= GRAPH_KERNEL && kind < GRAPH_KIND_END ? kinds[kind] : "?";
}

uint32_t graph_kind_parse(const char *name) {
  for (uint32_t kind = GRAPH_KERNEL; kind < GRAPH_KIND_END; kind++)
    if (strcmp(kinds[kind], name) == 0) return kind;
  return 0;
}
