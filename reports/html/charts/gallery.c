/* The report's diagrams. Their number and the time spent on them are bounded, and after some failures no more are
 * tried. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/memory.h"
#include "base/number.h"
#include "diagram/diagram.h"
#include "diagram/draw.h"
#include "diagram/kinds.h"
#include "diagram/program.h"
#include "html/page.h"
#include "summary/row.h"

enum { GALLERY_ROWS_MAX = 120 /* limit of the rows of one table */ };

struct gallery {
  const struct page *page;
  FILE *out;
  bool begun; /* true once the heading of the section has been written */
  size_t drawn, failed;
  int64_t began;       /* on clock_now_ns() */
  char why[TEXT_SIZE]; /* why no more diagrams are drawn; "" as long as they are drawn */
};

enum {
  DRAWINGS_MAX = 60,
  FAILURES_MAX = 3, /* after this many failures no more diagrams are tried */
  BUDGET_S = 10,    /* limit of the time for all diagrams together, in seconds */
};

static void gallery_init(struct gallery *g, const struct page *page) {
  struct err why = {0};
  *g = (struct gallery){.page = page, .out = page->out, .began = clock_now_ns()};
  if (!diagram_ready(&why)) text_copy(g->why, sizeof g->why, why.text);
}

static void say_why(struct gallery *g, const char *why) {
  html_put(g->out, "<p class=\"soft\">Not drawn: ", why, ".</p>\n");
}

/* Writes a heading; before the first one also the heading of the section. */
static void gallery_part(struct gallery *g, const char *title) {
  if (!g->begun) {
    html_part_open(g->out, "diagrams", "Diagrams");
    if (g->why[0] != '\0') say_why(g, g->why);
  }
  g->begun = true;
  html_put(g->out, "<h3>", title, "</h3>\n");
}

/* Stops drawing for the rest of the page and writes why. */
static void give_up(struct gallery *g, const char *why) {
  text_copy(g->why, sizeof g->why, why);
  say_why(g, why);
}

static bool may_draw(struct gallery *g) {
  if (g->why[0] != '\0') return false;
  if (g->drawn == DRAWINGS_MAX) give_up(g, "this page has as many diagrams as it may have");
  if (clock_seconds_since(g->began) > BUDGET_S) give_up(g, "the diagrams of this page took too long");
  return g->why[0] == '\0';
}

/* Draws a diagram as a figure. If that is not possible, returns false and writes the reason to the page; the reason why
 * no more diagrams are drawn is written only once. */
static bool gallery_draw(struct gallery *g, struct diagram *d, const char *caption) {
  struct err why = {0};
  if (!may_draw(g)) return false;
  char *svg = diagram_svg(d, &why);
  if (svg == NULL) {
    if (++g->failed == FAILURES_MAX)
      give_up(g, why.text);
    else
      say_why(g, why.text);
    return false;
  }
  g->drawn++;
  fputs("<figure>\n", g->out);
  if (caption[0] != '\0') html_put(g->out, "<figcaption>", caption, "</figcaption>\n");
  html_scroll(g->out, d->title);
  fputs(svg, g->out);
  fputs("</div>\n</figure>\n", g->out);
  free(svg);
  return true;
}

/* Opens a table: folded below a drawing, open if there is no drawing. */
static void gallery_table_open(struct gallery *g, bool folded, const char *caption, const char *const *heads,
                               size_t count) {
  if (folded)
    html_figures_open(g->out, caption, heads, count);
  else
    html_table_open(g->out, "plain", caption, heads, count);
}

static void gallery_table_close(struct gallery *g, bool folded) {
  if (folded)
    html_figures_close(g->out);
  else
    html_table_close(g->out);
}

/* ---- Which variants are faster than which ---- */

enum { PICTURE_MAX = 24 };

static void pairwise_row(FILE *out, const struct run_bench *bench, const struct pairwise *pairwise, size_t a,
                         size_t b) {
  const struct versus *versus = pairwise_pair(pairwise, a, b);
  html_row(out, bench->variants[a]);
  html_words(out, bench->variants[b]);
  html_cell(out, number_ratio(pairwise_ratio(versus), pairwise_ratio(versus)).text);
  fprintf(out, "<td>%zu</td><td>%zu</td><td>%zu</td><td>%zu</td></tr>\n", versus->faster, versus->slower, versus->same,
          versus->undecided);
}

/* Writes each pair once, in the direction of the variant that is faster by the geometric mean. */
static void pairwise_table(struct gallery *g, bool folded, const char *name, const struct run_bench *bench,
                           const struct pairwise *pairwise) {
  static const char *const heads[] = {"variant", "against", "times faster", "faster", "slower", "same", "undecided"};
  char caption[KEY_SIZE + 64];
  size_t rows = 0;
  snprintf(caption, sizeof caption, "%s: geometric mean and cases of each pair", name);
  gallery_table_open(g, folded, caption, heads, 7);
  for (size_t a = 0; a < pairwise->count; a++)
    for (size_t b = 0; b < pairwise->count; b++) {
      const struct versus *versus = pairwise_pair(pairwise, a, b);
      bool first = pairwise_ratio(versus) > 1 || (a < b && !(pairwise_ratio(versus) < 1));
      if (a != b && pairwise_cases(versus) > 0 && first && rows++ < GALLERY_ROWS_MAX)
        pairwise_row(g->out, bench, pairwise, a, b);
    }
  gallery_table_close(g, folded);
  if (rows > GALLERY_ROWS_MAX)
    fprintf(g->out, "<p class=\"soft\">%zu more pairs are not shown.</p>\n", rows - GALLERY_ROWS_MAX);
}

static void say_conflicts(struct gallery *g, const struct run_bench *bench, const struct pairwise *pairwise) {
  size_t conflicts = 0;
  for (size_t a = 0; a < pairwise->count; a++)
    for (size_t b = a + 1; b < pairwise->count; b++) {
      const struct versus *versus = pairwise_pair(pairwise, a, b);
      if (versus->faster == 0 || versus->slower == 0 || conflicts++ >= 4) continue;
      xml_print(g->out, "<p>%s and %s: each is faster in some cases (%zu and %zu), so there is no arrow.</p>\n",
                bench->variants[a], bench->variants[b], versus->faster, versus->slower);
    }
  if (conflicts > 4) fprintf(g->out, "<p>So it is with %zu more pairs.</p>\n", conflicts - 4);
}

static bool any_edge(const struct pairwise *pairwise) {
  for (size_t i = 0; i < pairwise->count * pairwise->count; i++)
    if (pairwise->edges[i]) return true;
  return false;
}

static void begin_part(struct gallery *g, bool first) {
  if (!first) return;
  gallery_part(g, "Who beats whom");
  fputs(
      "<p>An arrow: faster in at least one case and slower in none, with how many times in the geometric mean of the "
      "cases. Arrows that follow from others are left out.</p>\n<div class=\"diagrams\">\n",
      g->out);
}

/* Returns true if more than two variants compete. Two are compared well enough in the bench's table. */
static bool enough(const struct run_bench *bench) {
  size_t contenders = 0;
  for (size_t i = 0; i < bench->variant_count; i++) {
    bool any = false;
    for (size_t j = 0; j < bench->case_count; j++)
      any = any || row_contends(bench->cases[j].rows[i]);
    contenders += any;
  }
  return contenders > 2;
}

/* Draws which variants of a bench are faster than which others. `first`: this is the first such drawing, so the
 * heading is written first. Returns false if fewer than three variants compete, or if none of them were compared. */
static bool gallery_pairwise(struct gallery *g, size_t index, bool first) {
  const struct run_bench *bench = &g->page->summary.benches[index];
  struct pairwise pairwise = {0};
  struct diagram d = {0};
  char id[32];
  if (!enough(bench)) return false;
  const struct label name = html_bench_name(g->page, index);
  if (bench->variant_count > PICTURE_MAX) {
    begin_part(g, first);
    xml_print(g->out, "<p class=\"soft\">%s: %zu variants are more than the %d that one picture takes.</p>\n",
              name.text, bench->variant_count, PICTURE_MAX);
    return true;
  }
  pairwise_build(g->page->data, bench, &pairwise);
  bool any = pairwise.compared > 0;
  if (any) {
    snprintf(id, sizeof id, "beats-%zu", index);
    begin_part(g, first);
    fputs("<div>\n", g->out);
    bool drawn = diagram_of_pairwise(&d, id, name.text, bench, &pairwise) && gallery_draw(g, &d, name.text);
    if (pairwise.cases < bench->case_count)
      fprintf(g->out, "<p class=\"soft\">From %zu of %zu cases, evenly spread.</p>\n", pairwise.cases,
              bench->case_count);
    if (!any_edge(&pairwise)) fputs("<p>None beats another beyond the intervals.</p>\n", g->out);
    say_conflicts(g, bench, &pairwise);
    pairwise_table(g, drawn, name.text, bench, &pairwise);
    fputs("</div>\n", g->out);
  }
  diagram_free(&d);
  pairwise_free(&pairwise);
  return any;
}

/* ---- The graphs of variants: their launches and tensors ---- */

enum { GRAPHS_MAX = 8 /* limit of the graphs of one bench */ };

/* The graphs of one case: `count` graphs from `first` on. They are adjacent in the data, because a case is recorded as
 * a whole. */
struct graph_group {
  size_t first, count;
};

static bool of_bench(const struct run_graph *graph, const struct run_bench *bench) {
  size_t length = strlen(bench->name);
  char end = strncmp(graph->case_key, bench->name, length) == 0 ? graph->case_key[length] : '?';
  return graph->run == bench->run && (end == '[' || end == '\0');
}

/* Returns the graphs of that case for which the largest number of variants stated a graph. */
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

/* Draws the dataflow graphs of a bench's variants: their kernel launches and tensors. */
static void gallery_graphs(struct gallery *g, size_t index) {
  static const char *const heads[] = {"variant", "part", "kind", "flops", "bytes", "note"};
  const struct run_bench *bench = &g->page->summary.benches[index];
  struct graph_group group = find_group(g->page->data, bench);
  char title[KEY_SIZE];
  bool drawn;
  /* skips the bench if an earlier one is the same in another mode or on another device: the graphs are the same */
  for (size_t i = 0; i < index; i++)
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

/* ---- The machine of each run ---- */

static const char topology[] = "topology.";

static bool is_topology(const struct pair *pair) {
  return strncmp(pair->name, topology, sizeof topology - 1) == 0;
}

static bool same_topology(const struct pairs *a, const struct pairs *b) {
  size_t count[2] = {0, 0};
  for (size_t i = 0; i < a->count; i++) {
    if (!is_topology(&a->items[i])) continue;
    const char *other = pairs_get(b, a->items[i].name);
    if (other == NULL || strcmp(other, a->items[i].value) != 0) return false;
    count[0]++;
  }
  for (size_t i = 0; i < b->count; i++)
    count[1] += is_topology(&b->items[i]);
  return count[0] == count[1];
}

static void machine_table(struct gallery *g, bool folded, const char *title, const struct pairs *environment) {
  static const char *const heads[] = {"part", "value"};
  char caption[KEY_SIZE];
  size_t rows = 0;
  snprintf(caption, sizeof caption, "%.900s: its parts", title);
  gallery_table_open(g, folded, caption, heads, 2);
  for (size_t i = 0; i < environment->count; i++) {
    if (!is_topology(&environment->items[i]) || rows++ >= GALLERY_ROWS_MAX) continue;
    html_row(g->out, environment->items[i].name + sizeof topology - 1);
    html_words(g->out, environment->items[i].value);
    fputs("</tr>\n", g->out);
  }
  gallery_table_close(g, folded);
}

/* Draws a machine. `run` is the name of the run if there are several; otherwise "". */
static void show_machine(struct gallery *g, size_t number, const char *run, const struct pairs *environment) {
  struct diagram d = {0};
  char id[32], title[KEY_SIZE];
  snprintf(id, sizeof id, "machine-%zu", number);
  if (diagram_of_machine(&d, id, environment)) {
    snprintf(title, sizeof title, "%.500s%s%.255s", d.title, run[0] ? ", " : "", run);
    free(d.title);
    d.title = xstrdup(title);
    gallery_part(g, d.title);
    fputs("<div class=\"diagrams\">\n", g->out);
    bool drawn = gallery_draw(g, &d, "");
    fputs("</div>\n", g->out);
    machine_table(g, drawn, title, environment);
  }
  diagram_free(&d);
}

/* Draws the machine of each run, unless an earlier run has the same topology. */
static void gallery_machines(struct gallery *g) {
  const struct run_data *data = g->page->data;
  if (data->run_count < 2) show_machine(g, 0, "", &data->environment);
  for (size_t i = 0; i < data->run_count && data->run_count > 1; i++) {
    bool known = false;
    for (size_t j = 0; j < i; j++)
      known = known || same_topology(&data->runs[i].environment, &data->runs[j].environment);
    if (!known) show_machine(g, i, run_data_run_name(data, i).text, &data->runs[i].environment);
  }
}

void html_diagrams(const struct page *page) {
  struct gallery g;
  gallery_init(&g, page);
  bool compared = false;
  for (size_t i = 0; i < page->summary.bench_count; i++)
    if (!page->summary.benches[i].yardstick) compared = gallery_pairwise(&g, i, !compared) || compared;
  if (compared) fputs("</div>\n", page->out);
  for (size_t i = 0; i < page->summary.bench_count; i++)
    if (!page->summary.benches[i].yardstick) gallery_graphs(&g, i);
  gallery_machines(&g);
  if (g.begun) html_part_close(g.out);
}
