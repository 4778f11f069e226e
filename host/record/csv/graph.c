/* Reads and writes graph.csv: the graphs of kernels, copies and tensors by which variants describe themselves. */
#include "record/csv/files.h"

#include <string.h>

#include "base/memory.h"
#include "model/services/graph.h"

#define LIST(X)     \
  X(TEXT, case_key) \
  X(TEXT, variant)  \
  X(TEXT, part)     \
  X(TEXT, id)       \
  X(TEXT, from)     \
  X(TEXT, to)       \
  X(TEXT, kind)     \
  X(TEXT, label)    \
  X(COUNT, flops)   \
  X(COUNT, bytes)   \
  X(TEXT, note)
CSV_TABLE(graph_csv, LIST, "graphs");

/* ---- Writing graph.csv ---- */

int graph_csv_write(FILE *out, const char *case_key, const char *variant, const struct graph_desc *graph,
                    struct err *err) {
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    const struct row row = {case_key,    variant,     "node",      node->id,  NULL, NULL, graph_kind_name(node->kind),
                            node->label, node->flops, node->bytes, node->note};
    csv_table_write(out, &graph_csv, &row);
  }
  for (uint32_t i = 0; i < graph->edge_count; i++) {
    const struct graph_edge *edge = &graph->edges[i];
    const struct row row = {
        case_key,    variant, "edge",      NULL, graph->nodes[edge->from].id, graph->nodes[edge->to].id, NULL,
        edge->label, 0,       edge->bytes, NULL};
    csv_table_write(out, &graph_csv, &row);
  }
  return output_end(out, graph_csv.what, err);
}

/* ---- Reading graph.csv ---- */

/* A row of graph.csv: its values, its fields as texts, and a mask of the columns with invalid fields. */
struct part {
  struct row row;
  char **fields;
  uint32_t wrong;
};

static int find_node(const struct run_graph *graph, const char *id) {
  for (size_t i = 0; i < graph->node_count; i++)
    if (strcmp(graph->nodes[i].id, id) == 0) return (int)i;
  return -1;
}

/* Returns the graph that a row belongs to; makes it for its first row. The rows of a graph are consecutive. If rows
 * with the same names appear again later, they only repeat the graph for another mode; then returns NULL. */
static struct run_graph *graph_of(struct run_data *data, const char *case_key, const char *variant) {
  for (size_t i = data->graph_count; i-- > 0;) {
    struct run_graph *graph = &data->graphs[i];
    if (strcmp(graph->case_key, case_key) != 0 || strcmp(graph->variant, variant) != 0) continue;
    return i + 1 == data->graph_count && !graph->repeated ? graph : NULL;
  }
  data->graphs = xrealloc(data->graphs, data->graph_count + 1, sizeof *data->graphs);
  data->graphs[data->graph_count] = (struct run_graph){.case_key = xstrdup(case_key), .variant = xstrdup(variant)};
  return &data->graphs[data->graph_count++];
}

static int add_node(struct run_graph *graph, const struct part *part, struct err *err) {
  const struct row *row = &part->row;
  struct graph_node node = {.kind = graph_kind_parse(row->kind), .flops = row->flops, .bytes = row->bytes};
  if (!text_is_id(row->id))
    return err_set(err, EXIT_FAILED, "id '%.80s' is not a valid name: [A-Za-z0-9][A-Za-z0-9._/-]*", row->id);
  if (node.kind == 0)
    return err_set(err, EXIT_FAILED, "kind is '%.40s', known are kernel, copy, memset, host, tensor", row->kind);
  graph->repeated = find_node(graph, row->id) >= 0;
  if (graph->repeated) return 0;
  if (graph->node_count == GRAPH_NODES_MAX)
    return err_set(err, EXIT_FAILED, "more than %d nodes in one graph", GRAPH_NODES_MAX);
  if (csv_table_check(&graph_csv, part->wrong, part->fields, err) != 0) return -1;
  text_copy(node.id, sizeof node.id, row->id);
  text_copy(node.label, sizeof node.label, row->label);
  text_copy(node.note, sizeof node.note, row->note);
  text_sanitize(node.label);
  text_sanitize(node.note);
  graph->nodes = xrealloc(graph->nodes, graph->node_count + 1, sizeof *graph->nodes);
  graph->nodes[graph->node_count++] = node;
  return 0;
}

/* Adds an edge. Ignores the column for the number of operations, which only nodes have. */
static int add_edge(struct run_graph *graph, const struct part *part, struct err *err) {
  const struct row *row = &part->row;
  int from = find_node(graph, row->from), to = find_node(graph, row->to);
  if (from < 0 || to < 0)
    return err_set(err, EXIT_FAILED, "an edge to or from '%.80s', which is no node above it",
                   from < 0 ? row->from : row->to);
  uint32_t wrong = part->wrong & COLUMN_BIT(AT_bytes);
  if (csv_table_check(&graph_csv, wrong, part->fields, err) != 0) return -1;
  struct graph_edge edge = {.from = (uint32_t)from, .to = (uint32_t)to, .bytes = row->bytes};
  text_copy(edge.label, sizeof edge.label, row->label);
  text_sanitize(edge.label);
  if (graph->edge_count == GRAPH_EDGES_MAX)
    return err_set(err, EXIT_FAILED, "more than %d edges in one graph", GRAPH_EDGES_MAX);
  graph->edges = xrealloc(graph->edges, graph->edge_count + 1, sizeof *graph->edges);
  graph->edges[graph->edge_count++] = edge;
  return 0;
}

static int take_graph_row(void *user, char **fields, struct err *err) {
  struct part part = {.fields = fields};
  part.wrong = csv_table_parse(&graph_csv, fields, &part.row);
  struct run_graph *graph = graph_of(user, part.row.case_key, part.row.variant);
  if (graph == NULL) return 0;
  if (strcmp(part.row.part, "node") == 0) return add_node(graph, &part, err);
  if (strcmp(part.row.part, "edge") == 0) return add_edge(graph, &part, err);
  return err_set(err, EXIT_FAILED, "part is '%.40s', neither node nor edge", part.row.part);
}

int graph_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err) {
  return csv_table_read(in, name, &graph_csv, take_graph_row, data, NULL, err);
}
