/* What the variants launch. */
#include <string.h>

#include "diagram/kinds.h"
#include "html/gallery.h"
#include "summary/bound.h"

enum { GRAPHS_MAX = 8 /* of one bench */ };

/* The graphs of one case: `count` from `first` on in the data. They lie together as the case was recorded. */
struct graph_group {
  size_t first, count;
};

static bool of_bench(const struct run_graph *graph, const struct run_bench *bench) {
  size_t length = strlen(bench->name);
  char end = strncmp(graph->case_key, bench->name, length) == 0 ? graph->case_key[length] : '?';
  return graph->run == bench->run && (end == '[' || end == '\0');
}

/* Of the case in which most variants have stated one. */
static struct graph_group find_group(const struct run_data *data, const struct run_bench *bench) {
  struct graph_group best = {0, 0}, now = {0, 0};
  for (size_t i = 0; i < data->graph_count; i++) {
    const struct run_graph *graph = &data->graphs[i];
    if (!of_bench(graph, bench)) continue;
    bool same = now.count > 0 && now.first + now.count == i && data->graphs[now.first].run == graph->run &&
                strcmp(data->graphs[now.first].case_key, graph->case_key) == 0;
    now = same ? (struct graph_group){now.first, now.count + 1} : (struct graph_group){i, 1};
    if (now.count > best.count) best = now;
  }
  return best;
}

static void part_row(FILE *out, const char *variant, const char *part, const char *kind, uint64_t flops, uint64_t bytes,
                     const char *note) {
  html_row(out, variant);
  html_words(out, part);
  html_words(out, kind);
  for (int i = 0; i < 2; i++) {
    char text[32] = "";
    uint64_t value = i == 0 ? flops : bytes;
    if (value > 0) snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    html_cell(out, text);
  }
  html_words(out, note);
  fputs("</tr>\n", out);
}

static void graph_rows(FILE *out, const struct run_graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    part_row(out, graph->variant, node->label[0] ? node->label : node->id, diagram_graph_kind(node), node->flops,
             node->bytes, node->note);
  }
  for (size_t i = 0; i < graph->edge_count; i++) {
    const struct graph_edge *edge = &graph->edges[i];
    const struct graph_node *from = &graph->nodes[edge->from], *to = &graph->nodes[edge->to];
    char text[2 * TEXT_SIZE + 8];
    snprintf(text, sizeof text, "%s \xE2\x86\x92 %s", from->label[0] ? from->label : from->id,
             to->label[0] ? to->label : to->id);
    part_row(out, graph->variant, text, "", 0, edge->bytes, edge->label);
  }
}

static void graph_caption(const struct run_graph *graph, char *to, size_t size) {
  char bytes[48];
  size_t steps = diagram_graph_steps(graph);
  uint64_t traffic = bound_traffic(graph);
  text_bytes(bytes, sizeof bytes, (double)traffic);
  snprintf(to, size, "%.120s: %zu step%s%s%s%s", graph->variant, steps, steps == 1 ? "" : "s", traffic > 0 ? ", " : "",
           traffic > 0 ? bytes : "", traffic > 0 ? " moved" : "");
}

static void draw_graphs(struct gallery *g, size_t index, const struct run_graph *graphs, size_t count, bool *all) {
  uint64_t most = 0;
  for (size_t i = 0; i < count; i++)
    most = diagram_graph_most(&graphs[i]) > most ? diagram_graph_most(&graphs[i]) : most;
  *all = true;
  fputs("<div class=\"diagrams\">\n", g->out);
  for (size_t i = 0; i < count; i++) {
    struct diagram d = {0};
    char id[48], caption[256];
    snprintf(id, sizeof id, "graph-%zu-%zu", index, i);
    graph_caption(&graphs[i], caption, sizeof caption);
    bool drawn = diagram_of_graph(&d, id, &graphs[i], most) && gallery_draw(g, &d, caption);
    *all = *all && drawn;
    diagram_free(&d);
  }
  fputs("</div>\n", g->out);
}

void gallery_graphs(struct gallery *g, size_t index) {
  static const char *const heads[] = {"variant", "part", "kind", "flops", "bytes", "note"};
  const struct run_bench *bench = &g->page->summary.benches[index];
  struct graph_group group = find_group(g->page->data, bench);
  char title[KEY_SIZE];
  bool drawn;
  for (size_t i = 0; i < index; i++) /* in another mode, on another device: the same */
    if (strcmp(g->page->summary.benches[i].name, bench->name) == 0 && g->page->summary.benches[i].run == bench->run)
      return;
  if (group.count == 0) return;
  const struct run_graph *graphs = &g->page->data->graphs[group.first];
  size_t shown = group.count < GRAPHS_MAX ? group.count : GRAPHS_MAX;
  snprintf(title, sizeof title, "What the variants launch: %s", bench->name);
  gallery_part(g, title);
  html_put(
      g->out, "<p>As their plugins state it for <code>", graphs[0].case_key,
      "</code>. Round: a step. Square with a bar: a tensor in memory. The thicker an arrow, the more bytes.</p>\n");
  draw_graphs(g, index, graphs, shown, &drawn);
  snprintf(title, sizeof title, "%s: steps, tensors and what flows between them", bench->name);
  gallery_table_open(g, drawn, title, heads, 6);
  for (size_t i = 0; i < shown; i++)
    graph_rows(g->out, &graphs[i]);
  gallery_table_close(g, drawn);
  if (shown < group.count) fprintf(g->out, "<p class=\"soft\">%zu more are in graph.csv.</p>\n", group.count - shown);
}
