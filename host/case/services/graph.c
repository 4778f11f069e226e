/* The service gb.graph/1, by which the variant that is being prepared describes its work as a graph. */
#include "case/services/services.h"

#include <stdlib.h>

#include "base/memory.h"
#include "case/calls.h"
#include "model/services/graph.h"
#include "plugin/abi.h"

void (*services_graph_sink)(uint32_t variant, const struct graph_desc *graph);

/* Returns the graph under construction, or NULL with a misuse recorded. */
static struct graph_desc *open_graph(gb_case *c, const char *slot, const void *argument) {
  if (c->phase != PHASE_PREPARE)
    case_misuse(c, "gb.graph/1 %s is for prepare, not %s", slot, phase_name(c->phase));
  else if (argument == NULL)
    case_misuse(c, "gb.graph/1 %s: NULL", slot);
  else if (c->graph == NULL)
    c->graph = xcalloc(1, sizeof *c->graph);
  return c->misused ? NULL : c->graph;
}

static void leave_out_node(gb_case *c, const char *id, const char *why) {
  if (c->nodes_left_out.count == GRAPH_NODES_MAX && !strings_has(&c->nodes_left_out, id)) {
    case_misuse(c, "graph node '%s' is one more than %d", id, GRAPH_NODES_MAX);
    return;
  }
  case_left_out(c, "%s", why);
  strings_add_once(&c->nodes_left_out, id);
}

/* Returns true if the edge begins or ends at a node that was left out. */
static bool lost_an_end(const gb_case *c, const gb_graph_edge *edge) {
  return strings_has(&c->nodes_left_out, edge->from) || strings_has(&c->nodes_left_out, edge->to);
}

static gb_status graph_node(gb_case *c, const gb_graph_node *theirs) {
  if (!case_is(c, "gb.graph/1 node")) return GB_EINVAL;
  struct err err = {0};
  struct graph_node node;
  struct graph_desc *graph = open_graph(c, "node", theirs);
  if (graph == NULL) return GB_EINVAL;
  const int rc = abi_graph_node(theirs, &node, &err);
  if (rc == ABI_NEWER)
    leave_out_node(c, node.id, err.text);
  else if (rc < 0)
    case_misuse(c, "%s", err.text);
  else if (graph_find(graph, node.id) >= 0)
    case_misuse(c, "graph node '%s' is stated twice", node.id);
  else if (graph->node_count == GRAPH_NODES_MAX)
    case_misuse(c, "graph node '%s' is one more than %d", node.id, GRAPH_NODES_MAX);
  else
    graph->nodes[graph->node_count++] = node;
  return c->misused ? GB_EINVAL : GB_OK;
}

static uint32_t edge_end(gb_case *c, const char *id) {
  int index = graph_find(c->graph, id);
  if (index < 0) case_misuse(c, "graph edge: no node '%s' has been stated", id);
  return (uint32_t)index;
}

static gb_status graph_edge(gb_case *c, const gb_graph_edge *theirs) {
  if (!case_is(c, "gb.graph/1 edge")) return GB_EINVAL;
  struct err err = {0};
  gb_graph_edge own;
  struct graph_edge edge;
  struct graph_desc *graph = open_graph(c, "edge", theirs);
  if (graph == NULL) return GB_EINVAL;
  const int rc = abi_graph_edge(theirs, &own, &edge, &err);
  if (rc < 0) return case_misuse(c, "%s", err.text), GB_EINVAL;
  if (rc == ABI_NEWER) return case_left_out(c, "%s", err.text), GB_OK;
  if (lost_an_end(c, &own)) return GB_OK;
  edge.from = edge_end(c, own.from);
  edge.to = edge_end(c, own.to);
  if (c->misused) return GB_EINVAL;
  if (edge.from == edge.to)
    case_misuse(c, "graph edge from '%s' to itself", own.from);
  else if (graph->edge_count == GRAPH_EDGES_MAX)
    case_misuse(c, "graph edge from '%s' to '%s' is one more than %d", own.from, own.to, GRAPH_EDGES_MAX);
  else
    graph->edges[graph->edge_count++] = edge;
  return c->misused ? GB_EINVAL : GB_OK;
}

const gb_graph_ext services_graph = {
    .struct_size = sizeof(gb_graph_ext),
    .node = graph_node,
    .edge = graph_edge,
};

void services_graph_end(gb_case *c, uint32_t variant, bool prepared) {
  if (prepared && c->graph != NULL && services_graph_sink != NULL) services_graph_sink(variant, c->graph);
  free(c->graph);
  c->graph = NULL;
  strings_free(&c->nodes_left_out);
}
