/* Reads the input as graph.csv (the dataflow graphs of variants) and checks the graphs that result. */
#include "base/memory.h"
#include "fuzz.h"
#include "model/services/graph.h"
#include "record/csv/files.h"

static void check_graph(const struct run_graph *graph) {
  MUST(graph->node_count <= GRAPH_NODES_MAX && graph->edge_count <= GRAPH_EDGES_MAX);
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    MUST(text_is_id(node->id) && graph_kind_parse(graph_kind_name(node->kind)) == node->kind);
    MUST(fuzz_printable(node->label) && fuzz_printable(node->note));
  }
  for (size_t i = 0; i < graph->edge_count; i++) {
    const struct graph_edge *edge = &graph->edges[i];
    MUST(edge->from < graph->node_count && edge->to < graph->node_count && fuzz_printable(edge->label));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  struct fuzz_file file = fuzz_file(bytes, size);
  struct run_data data = {.run_count = 1};
  struct err err = {0};
  data.runs = xcalloc(1, sizeof *data.runs);
  FILE *in = fopen(file.path, "r");
  int rc = graph_csv_read(in, "input", &data, &err);
  /* The message need not be printable here: run_data_load() sanitizes it. */
  MUST((rc != 0) == (err.exit_code == EXIT_FAILED));
  for (size_t i = 0; i < data.graph_count; i++)
    check_graph(&data.graphs[i]);
  run_data_free(&data);
  fclose(in);
  close(file.fd);
  return 0;
}
