/* Graphs of variants as CSV. */
#include "record/graph_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/graph.h"
#include "record/csv.h"
#include "record/csv_read.h"

#define COLUMNS_LIST "case_key, variant, part, id, from, to, kind, label, flops, bytes, note"

enum { CASE_KEY, VARIANT, PART, ID, FROM, TO, KIND, LABEL, FLOPS, BYTES, NOTE };

/* ---- Writing ---- */

int graph_csv_header(FILE *out, struct err *err) {
  fputs(GRAPH_CSV_COLUMNS "\r\n", out);
  return csv_finish(out, "graphs", err);
}

static void write_number(FILE *out, uint64_t number) {
  fputc(',', out);
  if (number != 0) fprintf(out, "%" PRIu64, number);
}

static void write_row(FILE *out, const char *const fields[LABEL + 1], uint64_t flops, uint64_t bytes,
                      const char *note) {
  for (size_t i = 0; i <= LABEL; i++) {
    if (i > 0) fputc(',', out);
    csv_write_text(out, fields[i]);
  }
  write_number(out, flops);
  write_number(out, bytes);
  fputc(',', out);
  csv_write_text(out, note);
  fputs("\r\n", out);
}

int graph_csv_write(FILE *out, const char *case_key, const char *variant, const struct graph_desc *graph,
                    struct err *err) {
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    const char *const fields[LABEL + 1] = {case_key,   variant, "node", node->id, "", "", graph_kind_name(node->kind),
                                           node->label};
    write_row(out, fields, node->flops, node->bytes, node->note);
  }
  for (uint32_t i = 0; i < graph->edge_count; i++) {
    const struct graph_edge *edge = &graph->edges[i];
    const char *const fields[LABEL + 1] = {
        case_key, variant, "edge", "", graph->nodes[edge->from].id, graph->nodes[edge->to].id, "", edge->label};
    write_row(out, fields, 0, edge->bytes, "");
  }
  return csv_finish(out, "graphs", err);
}

/* ---- Reading ---- */

static int read_header(void *user, char **names, size_t count, struct err *err) {
  (void)user;
  char list[256];
  text_join(list, sizeof list, (const char *const *)names, count);
  if (strcmp(list, COLUMNS_LIST) == 0) return 0;
  return err_set(err, EXIT_FAILED, "the columns are '%s', not " GRAPH_CSV_COLUMNS, list);
}

static int find_node(const struct run_graph *graph, const char *id) {
  for (size_t i = 0; i < graph->node_count; i++)
    if (strcmp(graph->nodes[i].id, id) == 0) return (int)i;
  return -1;
}

/* A graph is in consecutive rows; what comes later under its name is the same once more, in another mode: NULL. */
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

static int parse_number(const char *text, uint64_t *number, struct err *err) {
  char *end = NULL;
  *number = 0;
  if (text[0] == '\0') return 0;
  errno = 0;
  *number = strtoull(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0) return 0;
  return err_set(err, EXIT_FAILED, "'%.40s' is not a whole number", text);
}

static int add_node(struct run_graph *graph, char **fields, struct err *err) {
  struct graph_node node = {.kind = graph_kind_parse(fields[KIND])};
  if (!text_is_id(fields[ID]))
    return err_set(err, EXIT_FAILED, "id '%.80s' is no name: [A-Za-z0-9][A-Za-z0-9._/-]*", fields[ID]);
  if (node.kind == 0)
    return err_set(err, EXIT_FAILED, "kind is '%.40s', known are kernel, copy, memset, host, tensor", fields[KIND]);
  graph->repeated = find_node(graph, fields[ID]) >= 0;
  if (graph->repeated) return 0;
  if (graph->node_count == GRAPH_NODES_MAX)
    return err_set(err, EXIT_FAILED, "more than %d nodes in one graph", GRAPH_NODES_MAX);
  if (parse_number(fields[FLOPS], &node.flops, err) != 0 || parse_number(fields[BYTES], &node.bytes, err) != 0)
    return -1;
  text_copy(node.id, sizeof node.id, fields[ID]);
  text_copy(node.label, sizeof node.label, fields[LABEL]);
  text_copy(node.note, sizeof node.note, fields[NOTE]);
  text_sanitize(node.label);
  text_sanitize(node.note);
  graph->nodes = xrealloc(graph->nodes, graph->node_count + 1, sizeof *graph->nodes);
  graph->nodes[graph->node_count++] = node;
  return 0;
}

static int add_edge(struct run_graph *graph, char **fields, struct err *err) {
  int from = find_node(graph, fields[FROM]), to = find_node(graph, fields[TO]);
  if (from < 0 || to < 0)
    return err_set(err, EXIT_FAILED, "an edge to or from '%.80s', which is no node above it",
                   fields[from < 0 ? FROM : TO]);
  struct graph_edge edge = {.from = (uint32_t)from, .to = (uint32_t)to};
  if (parse_number(fields[BYTES], &edge.bytes, err) != 0) return -1;
  text_copy(edge.label, sizeof edge.label, fields[LABEL]);
  text_sanitize(edge.label);
  if (graph->edge_count == GRAPH_EDGES_MAX)
    return err_set(err, EXIT_FAILED, "more than %d edges in one graph", GRAPH_EDGES_MAX);
  graph->edges = xrealloc(graph->edges, graph->edge_count + 1, sizeof *graph->edges);
  graph->edges[graph->edge_count++] = edge;
  return 0;
}

static int read_row(void *user, char **fields, size_t count, bool complete, struct err *err) {
  (void)count;
  if (!complete) return 0; /* a cut number would read as another one */
  for (size_t i = 0; i <= NOTE; i++)
    csv_unguard(fields[i]);
  struct run_graph *graph = graph_of(user, fields[CASE_KEY], fields[VARIANT]);
  if (graph == NULL) return 0;
  if (strcmp(fields[PART], "node") == 0) return add_node(graph, fields, err);
  if (strcmp(fields[PART], "edge") == 0) return add_edge(graph, fields, err);
  return err_set(err, EXIT_FAILED, "part is '%.40s', neither node nor edge", fields[PART]);
}

int graph_csv_read(const char *path, struct run_data *data, struct err *err) {
  struct csv_handler handler = {read_header, read_row, data};
  bool torn = false;
  return csv_read(path, &handler, &torn, err);
}

const struct run_graph *graph_csv_find(const struct run_data *data, size_t run, const char *case_key,
                                       const char *variant) {
  for (size_t i = 0; i < data->graph_count; i++) {
    const struct run_graph *graph = &data->graphs[i];
    if (graph->run == run && strcmp(graph->case_key, case_key) == 0 && strcmp(graph->variant, variant) == 0)
      return graph;
  }
  return NULL;
}
