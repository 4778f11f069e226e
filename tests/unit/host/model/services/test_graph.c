/* Tests graphs of a variant's work (kernels, copies, tensors and the edges between them): the service that builds
 * them, the check of graphs that a worker sends, and graph.csv. */
#include "model/services/graph.h"

#include <unistd.h>

#include "capture.h"
#include "case/services/services.h"
#include "fixture_case.h"
#include "record/csv/files.h"

#define HOSTILE "=1+1,\"two\"\n<b>\\N \\G</b> & %s \xff end"

static struct bed bed;
static struct outcome outcome;
static struct graph_desc seen;
static uint32_t seen_variant;
static int seen_count;

static void take(uint32_t variant, const struct graph_desc *graph) {
  seen = *graph;
  seen_variant = variant;
  seen_count++;
}

static void open_bed(void) {
  bed_open(&bed);
  services_graph_sink = take;
  seen_count = 0;
}

static void begin(void) {
  call_begin(bed.c, PHASE_PREPARE, 3);
}

/* Ends the prepare callback. Returns the message of its failure, or "". */
static const char *end(gb_status status) {
  call_end(bed.c, status, &outcome);
  services_graph_end(bed.c, 3, outcome.kind == OUTCOME_OK);
  return outcome.message;
}

static gb_status node(const char *id) {
  return gb_node(&gb, bed.c, GB_NODE_KERNEL, id, NULL, NULL, 0, 0);
}

static void a_graph_reaches_the_sink(void) {
  open_bed();
  begin();
  ASSERT_EQ_INT(gb_node(&gb, bed.c, GB_NODE_TENSOR, "x", "X", "a note", 0, 4096), GB_OK);
  ASSERT_EQ_INT(gb_node(&gb, bed.c, GB_NODE_KERNEL, "k", NULL, NULL, 7, 0), GB_OK);
  ASSERT_EQ_INT(gb_edge(&gb, bed.c, "x", "k", "read twice", 8192), GB_OK);
  ASSERT_EQ_INT(gb_edge(&gb, bed.c, "x", "k", NULL, 0), GB_OK);
  ASSERT_EQ_STR(end(GB_OK), "");
  ASSERT_EQ_INT(seen_count, 1);
  ASSERT_EQ_INT(seen_variant, 3);
  ASSERT_EQ_INT(seen.node_count, 2);
  ASSERT_EQ_INT(seen.edge_count, 2);
  ASSERT_EQ_STR(seen.nodes[0].label, "X");
  ASSERT_EQ_STR(seen.nodes[0].note, "a note");
  ASSERT_EQ_INT(seen.nodes[0].bytes, 4096);
  ASSERT_EQ_INT(seen.nodes[1].flops, 7);
  ASSERT_EQ_STR(seen.edges[0].label, "read twice");
  ASSERT_EQ_INT(seen.edges[0].from, 0);
  ASSERT_EQ_INT(seen.edges[0].to, 1);
  begin(); /* a variant that declares no graph */
  ASSERT_EQ_STR(end(GB_OK), "");
  ASSERT_EQ_INT(seen_count, 1);
  bed_close(&bed);
}

static void a_failed_prepare_has_no_graph(void) {
  open_bed();
  begin();
  ASSERT_EQ_INT(node("k"), GB_OK);
  gb.host->fail(gb.host, bed.c, GB_SKIP, "not here");
  end(GB_SKIP);
  ASSERT_EQ_INT(seen_count, 0);
  begin(); /* the next graph starts empty */
  ASSERT_EQ_INT(node("k"), GB_OK);
  ASSERT_EQ_STR(end(GB_OK), "");
  ASSERT_EQ_INT(seen.node_count, 1);
  bed_close(&bed);
}

static gb_status raw_node(uint32_t size, uint32_t kind, const char *id, const char *label) {
  const gb_graph_node n = {.struct_size = size, .kind = kind, .id = id, .label = label};
  return gb.graph->node(bed.c, &n);
}

static gb_status raw_edge(uint32_t size, uint32_t reserved, const char *from, const char *to) {
  const gb_graph_edge e = {.struct_size = size, .reserved = reserved, .from = from, .to = to};
  return gb.graph->edge(bed.c, &e);
}

/* A node of a later version of the ABI is left out with its edges, and the callback goes on. */
static void what_is_newer_is_left_out(void) {
  char id[] = "n00";
  open_bed();
  begin();
  ASSERT_EQ_INT(node("a"), GB_OK);
  ASSERT_EQ_INT(node("c"), GB_OK);
  ASSERT_EQ_INT(raw_node(sizeof(gb_graph_node), 6, "b", NULL), GB_OK);
  ASSERT_EQ_INT(gb_edge(&gb, bed.c, "a", "b", NULL, 0), GB_OK);
  ASSERT_EQ_INT(gb_edge(&gb, bed.c, "b", "c", NULL, 0), GB_OK);
  ASSERT_EQ_INT(gb_edge(&gb, bed.c, "a", "c", NULL, 0), GB_OK);
  ASSERT_EQ_INT(raw_edge(sizeof(gb_graph_edge), 1, "a", "c"), GB_OK);
  ASSERT_EQ_INT(bed.c->graph->node_count, 2);
  ASSERT_EQ_INT(bed.c->graph->edge_count, 1);
  ASSERT_EQ_STR(end(GB_OK), "");
  begin(); /* the next `prepare` states another graph */
  ASSERT_EQ_INT(node("a"), GB_OK);
  ASSERT_EQ_INT(gb_edge(&gb, bed.c, "a", "b", NULL, 0), GB_EINVAL);
  end(GB_OK);
  begin();
  for (int i = 0; i < GRAPH_NODES_MAX; i++, id[2] == '9' ? id[1]++, id[2] = '0' : id[2]++)
    ASSERT_EQ_INT(raw_node(sizeof(gb_graph_node), 77, id, NULL), GB_OK);
  ASSERT_EQ_INT(raw_node(sizeof(gb_graph_node), 77, "z", NULL), GB_EINVAL);
  ASSERT_EQ_STR(end(GB_OK), "graph node 'z' is one more than 64");
  bed_close(&bed);
}

/* Every misuse fails the callback with a message, even if it returns GB_OK. */
static void misuse_fails_the_callback(void) {
  static char long_label[400];
  const uint32_t n = sizeof(gb_graph_node), e = sizeof(gb_graph_edge);
  memset(long_label, 'x', sizeof long_label - 1);
  open_bed();
#define REFUSED(call, part)                    \
  do {                                         \
    begin();                                   \
    ASSERT_EQ_INT(node("a"), GB_OK);           \
    ASSERT_EQ_INT((call), GB_EINVAL);          \
    ASSERT_HAS(end(GB_OK), part);              \
    ASSERT_EQ_INT(outcome.kind, OUTCOME_FAIL); \
    ASSERT_EQ_INT(seen_count, 0);              \
  } while (0)
  REFUSED(gb.graph->node(bed.c, NULL), "node: NULL");
  REFUSED(gb.graph->edge(bed.c, NULL), "edge: NULL");
  REFUSED(raw_node(0, 1, "b", NULL), "struct_size is 0");
  REFUSED(raw_node(n, 0, "b", NULL), "kind is 0, known are 1 to 5");
  REFUSED(raw_node(n, 1, NULL, NULL), "is empty");
  REFUSED(raw_node(n, 1, "../b\n", NULL), "is not a valid name");
  REFUSED(raw_node(n, 1, "a", NULL), "'a' is stated twice");
  REFUSED(raw_node(n, 1, "b", long_label), "graph node 'b': label has more than 255 bytes");
  REFUSED(raw_edge(0, 0, "a", "b"), "struct_size is 0");
  REFUSED(raw_edge(e, 0, NULL, "b"), "from is empty");
  REFUSED(raw_edge(e, 0, "a", "b"), "no node 'b' has been stated");
  REFUSED(raw_edge(e, 0, "c", "a"), "no node 'c' has been stated");
  REFUSED(raw_edge(e, 0, "a", "a"), "from 'a' to itself");
  REFUSED(gb_edge(&gb, bed.c, "a", "b<script>", NULL, 0), "is not a valid name");
#undef REFUSED
  bed_close(&bed);
}

static void other_callbacks_state_no_graph(void) {
  static const enum phase phases[] = {PHASE_SUPPORTS, PHASE_SETUP, PHASE_RUN, PHASE_VERIFY, PHASE_RELEASE};
  open_bed();
  for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
    call_begin(bed.c, phases[i], 0);
    ASSERT_EQ_INT(node("a"), GB_EINVAL);
    call_end(bed.c, GB_OK, &outcome);
    ASSERT_HAS(outcome.message, "gb.graph/1 node is for prepare, not ");
    ASSERT_TRUE(bed.c->graph == NULL);
  }
  bed_close(&bed);
}

static void graphs_have_bounds(void) {
  char id[16];
  open_bed();
  begin();
  for (int i = 0; i < GRAPH_NODES_MAX; i++) {
    snprintf(id, sizeof id, "n%d", i);
    ASSERT_EQ_INT(node(id), GB_OK);
  }
  ASSERT_EQ_INT(node("more"), GB_EINVAL);
  ASSERT_EQ_STR(end(GB_OK), "graph node 'more' is one more than 64");
  begin();
  ASSERT_EQ_INT(node("a"), GB_OK);
  ASSERT_EQ_INT(node("b"), GB_OK);
  for (int i = 0; i < GRAPH_EDGES_MAX; i++)
    ASSERT_EQ_INT(gb_edge(&gb, bed.c, "a", "b", NULL, 0), GB_OK);
  ASSERT_EQ_INT(gb_edge(&gb, bed.c, "a", "b", NULL, 0), GB_EINVAL);
  ASSERT_EQ_STR(end(GB_OK), "graph edge from 'a' to 'b' is one more than 128");
  bed_close(&bed);
}

/* ---- Graphs that arrive ---- */

static struct graph_desc sample(void) {
  struct graph_desc graph = {.node_count = 3, .edge_count = 2};
  graph.nodes[0] = (struct graph_node){.kind = GRAPH_TENSOR, .bytes = UINT64_MAX, .id = "x", .label = HOSTILE};
  graph.nodes[1] = (struct graph_node){.kind = GRAPH_KERNEL, .flops = 12, .id = "k", .note = HOSTILE};
  graph.nodes[2] = (struct graph_node){.kind = GRAPH_HOST, .id = "h"};
  graph.edges[0] = (struct graph_edge){.from = 0, .to = 1, .bytes = 77, .label = HOSTILE};
  graph.edges[1] = (struct graph_edge){.from = 0, .to = 1};
  return graph;
}

static void damage(struct graph_desc *graph, int kind) {
  switch (kind) {
    case 0:
      graph->node_count = GRAPH_NODES_MAX + 1;
      break;
    case 1:
      graph->edge_count = UINT32_MAX;
      break;
    case 2:
      graph->nodes[1].kind = 0;
      break;
    case 3:
      graph->nodes[1].kind = GRAPH_KIND_END;
      break;
    case 4:
      strcpy(graph->nodes[1].id, "x");
      break;
    case 5:
      strcpy(graph->nodes[1].id, "no name");
      break;
    case 6:
      graph->edges[1].to = 3;
      break;
    case 7:
      graph->edges[1].from = UINT32_MAX;
      break;
    case 8:
      graph->edges[1].to = 0;
      break;
    default:
      /* without a terminating 0; a name has at most 63 bytes */
      memset(graph->nodes[2].id, 'i', sizeof graph->nodes[2].id);
  }
}

static void what_arrives_is_checked(void) {
  struct graph_desc graph = sample();
  ASSERT_TRUE(graph_check(&graph));
  ASSERT_TRUE(strchr(graph.nodes[0].label, '\n') == NULL && strchr(graph.edges[0].label, '\xff') == NULL);
  for (int kind = 0; kind < 9; kind++) {
    graph = sample();
    damage(&graph, kind);
    if (graph_check(&graph)) UNIT_FAIL("damage %d was not seen", kind);
  }
  graph = sample();
  damage(&graph, 9);
  memset(graph.nodes[2].label, 'l', sizeof graph.nodes[2].label);
  memset(graph.edges[1].label, 'l', sizeof graph.edges[1].label);
  ASSERT_TRUE(graph_check(&graph));
  ASSERT_EQ_INT(strlen(graph.nodes[2].id), ID_SIZE - 1);
  ASSERT_EQ_INT(strlen(graph.edges[1].label), TEXT_SIZE - 1);
}

/* ---- graph.csv ---- */

#define GRAPH_CSV_COLUMNS "case_key,variant,part,id,from,to,kind,label,flops,bytes,note"

static char path[64];

static int read_graphs(struct run_data *data, struct err *err) {
  FILE *in = fopen(path, "r");
  int result = graph_csv_read(in, path, data, err);
  fclose(in);
  return result;
}

static void write_graphs(int times, const struct graph_desc *graph) {
  struct err err = {0};
  strcpy(path, "/tmp/test_graph.XXXXXX");
  FILE *out = fdopen(mkstemp(path), "wb");
  ASSERT_EQ_INT(csv_table_write_header(out, &graph_csv, &err), 0);
  for (int i = 0; i < times; i++) {
    ASSERT_EQ_INT(graph_csv_write(out, "p/b[n=\"1\",m=2]", "=v", graph, &err), 0);
    ASSERT_EQ_INT(graph_csv_write(out, "p/b[n=\"1\",m=2]", "other", graph, &err), 0);
  }
  fclose(out);
}

/* Returns the graph of this variant, or NULL. */
static const struct run_graph *find(const struct run_data *data, const char *case_key, const char *variant) {
  for (size_t i = 0; i < data->graph_count; i++) {
    const struct run_graph *graph = &data->graphs[i];
    if (graph->run == 0 && strcmp(graph->case_key, case_key) == 0 && strcmp(graph->variant, variant) == 0) return graph;
  }
  return NULL;
}

static void graphs_come_back(void) {
  struct graph_desc graph = sample();
  struct err err = {0};
  for (int times = 1; times <= 2; times++) { /* the second time for another mode */
    struct run_data data = {0};
    ASSERT_TRUE(graph_check(&graph));
    write_graphs(times, &graph);
    ASSERT_EQ_INT(read_graphs(&data, &err), 0);
    ASSERT_EQ_INT(data.graph_count, 2);
    const struct run_graph *read = find(&data, "p/b[n=\"1\",m=2]", "=v");
    ASSERT_EQ_INT(read != NULL && read->node_count == 3 && read->edge_count == 2, 1);
    ASSERT_TRUE(read != NULL && memcmp(read->nodes, graph.nodes, 3 * sizeof graph.nodes[0]) == 0);
    ASSERT_TRUE(read != NULL && memcmp(read->edges, graph.edges, 2 * sizeof graph.edges[0]) == 0);
    ASSERT_TRUE(find(&data, "p/b", "=v") == NULL);
    run_data_free(&data);
    unlink(path);
  }
}

static void graphs_of_one_variant_are_read_once(void) {
  struct graph_desc graph = sample();
  struct run_data data = {0};
  struct err err = {0};
  strcpy(path, "/tmp/test_graph.XXXXXX");
  FILE *out = fdopen(mkstemp(path), "wb");
  csv_table_write_header(out, &graph_csv, &err);
  for (int i = 0; i < 3; i++)
    graph_csv_write(out, "p/b", "v", &graph, &err);
  fclose(out);
  ASSERT_EQ_INT(read_graphs(&data, &err), 0);
  ASSERT_EQ_INT(data.graph_count, 1);
  ASSERT_EQ_INT(data.graphs[0].node_count, 3);
  ASSERT_EQ_INT(data.graphs[0].edge_count, 2);
  run_data_free(&data);
  unlink(path);
}

static void damaged_files_are_named(void) {
  static const struct {
    const char *text, *part;
  } bad[] = {
      {"case_key,variant\r\n", ":1: the columns are 'case_key, variant', not "},
      {GRAPH_CSV_COLUMNS ",more\r\n", "bytes, note, more', not "},
      {GRAPH_CSV_COLUMNS "\r\np/b,v,node,a b,,,kernel,,,,\r\n", ":2: id 'a b' is not a valid name"},
      {GRAPH_CSV_COLUMNS "\r\np/b,v,node,a,,,magic,,,,\r\n", ":2: kind is 'magic'"},
      {GRAPH_CSV_COLUMNS "\r\np/b,v,node,a,,,kernel,,-1,,\r\n", ":2: '-1' is not a whole number"},
      {GRAPH_CSV_COLUMNS "\r\np/b,v,node,a,,,kernel,,99999999999999999999,,\r\n", "is not a whole number"},
      {GRAPH_CSV_COLUMNS "\r\np/b,v,edge,,a,b,,,,,\r\n", ":2: an edge to or from 'a', which is no node"},
      {GRAPH_CSV_COLUMNS "\r\np/b,v,leaf,,a,b,,,,,\r\n", ":2: part is 'leaf'"},
  };
  strcpy(path, "/tmp/test_graph.XXXXXX");
  close(mkstemp(path));
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct run_data data = {0};
    struct err err = {0};
    write_file(path, bad[i].text);
    ASSERT_EQ_INT(read_graphs(&data, &err), -1);
    ASSERT_HAS(err.text, bad[i].part);
    run_data_free(&data);
  }
  unlink(path);
}

/* A kill may truncate the file anywhere; complete graphs are still read. */
static void torn_files_are_read(void) {
  struct graph_desc graph = sample();
  ASSERT_TRUE(graph_check(&graph));
  write_graphs(1, &graph);
  char *whole = read_file(path);
  for (size_t cut = strlen(GRAPH_CSV_COLUMNS) + 2; cut < strlen(whole); cut += 3) {
    struct run_data data = {0};
    struct err err = {0};
    char *part = strndup(whole, cut);
    write_file(path, part);
    if (read_graphs(&data, &err) != 0) UNIT_FAIL("cut at %zu: %s", cut, err.text);
    run_data_free(&data);
    free(part);
  }
  free(whole);
  unlink(path);
}

UNIT_MAIN("graph", UNIT_TEST(a_graph_reaches_the_sink), UNIT_TEST(a_failed_prepare_has_no_graph),
          UNIT_TEST(what_is_newer_is_left_out), UNIT_TEST(misuse_fails_the_callback),
          UNIT_TEST(other_callbacks_state_no_graph), UNIT_TEST(graphs_have_bounds), UNIT_TEST(what_arrives_is_checked),
          UNIT_TEST(graphs_come_back), UNIT_TEST(graphs_of_one_variant_are_read_once),
          UNIT_TEST(damaged_files_are_named), UNIT_TEST(torn_files_are_read))
