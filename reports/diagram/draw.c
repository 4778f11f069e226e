/* Writes diagrams in DOT, and makes inline SVG of what Graphviz draws. */
#include "diagram/draw.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "diagram/program.h"
#include "svg/draw.h"

/* ---- Writing DOT ---- */

/* For each diagram_look: the CSS class, and the style of the box in DOT. */
static const char *const classes[] = {"part", "subject", "step", "hoststep", "sidestep", "tensor"};
static const char *const styles[] = {"", "", "rounded", "rounded", "rounded", "striped"};

/* Writes the label; the first `spaced` lines have a space at both ends, which takes room and is not shown. */
static void write_label(FILE *dot, const struct strings *lines, size_t spaced) {
  fputs(" label=\"", dot);
  for (size_t i = 0; i < lines->count; i++)
    escape_print(dot, escape_dot, i < spaced ? " %s \\n" : "%s\\n", lines->items[i]);
  fputs("\"]", dot);
}

static void write_node(FILE *dot, const struct diagram *d, size_t index) {
  const struct diagram_node *node = &d->nodes[index];
  if (node->cluster >= 0) fprintf(dot, "subgraph cluster%d { ", node->cluster);
  fprintf(dot, "n%zu [class=\"%s titles%zu\" style=\"%s\" margin=\"%s,0.09\"", index, classes[node->look],
          node->title_lines, styles[node->look], node->place >= 0 ? "0.31" : "0.15");
  write_label(dot, &node->lines, node->title_lines);
  fputs(node->cluster >= 0 ? " }\n" : "\n", dot);
}

static void write_edge(FILE *dot, const struct diagram_edge *edge) {
  const double thick = 1.2 + 3 * fmin(fmax(edge->weight, 0), 1);
  fprintf(dot, "n%zu -> n%zu [%s%spenwidth=%.1f arrowsize=%.2f", edge->from, edge->to, edge->arrow ? "" : "dir=none ",
          edge->free ? "constraint=false class=free " : "", thick, 0.8 + 0.25 * thick);
  write_label(dot, &edge->lines, edge->lines.count);
  fputc('\n', dot);
}

/* Returns the index of the item (cluster, node or edge) that is written as number `place`. From left to right the order
 * is reversed, because Graphviz puts the first item at the bottom. */
static size_t turned_index(const struct diagram *d, size_t place, size_t count) {
  return d->across ? count - 1 - place : place;
}

/* Makes room for texts as if they were in Arial and larger than report.css has them, because the fonts of browsers may
 * be wider. */
void diagram_write(FILE *dot, const struct diagram *d) {
  fprintf(dot,
          "digraph {\nrankdir=%s ranksep=0.45 nodesep=0.3 pad=0.03 bgcolor=transparent outputorder=edgesfirst\n"
          "nslimit=1 nslimit1=1 mclimit=0.1 /* limits of the time that a hard graph takes */\n"
          "graph [style=rounded labeljust=l fontname=Arial fontsize=13]\n"
          "node [shape=box height=0 width=0 fontname=Arial fontsize=14.5 fillcolor=\"black;0.04:white\"]\n"
          "edge [fontname=Arial fontsize=14]\n",
          d->across ? "LR" : "TB");
  for (size_t i = 0; i < d->clusters.count; i++) {
    size_t k = turned_index(d, i, d->clusters.count);
    fprintf(dot, "subgraph cluster%zu { margin=12 label=\"", k);
    escape_print(dot, escape_dot, "%s\\l\" }\n", d->clusters.items[k]);
  }
  for (size_t i = 0; i < d->node_count; i++)
    write_node(dot, d, turned_index(d, i, d->node_count));
  for (size_t i = 0; i < d->edge_count; i++)
    write_edge(dot, &d->edges[turned_index(d, i, d->edge_count)]);
  fputs("}\n", dot);
}

/* ---- Making Graphviz's SVG a part of the page ---- */

/* If `line` is the box of the node, draws the mark of the node's variant in it: the colour and shape that charts
 * use. */
static void adopt_mark(FILE *out, const struct diagram_node *node, const char *line) {
  const char *corners = strstr(line, " points=\"");
  double left, top;
  if (node == NULL || node->place < 0 || corners == NULL) return;
  if (sscanf(corners, " points=\"%*f,%*f %lf,%lf", &left, &top) == 2)
    svg_mark(out, (size_t)node->place, left + 12, top + 15.5, NULL);
}

/* Writes one line of Graphviz's SVG, which is a tag or an element. Names of nodes become tool tips; ids, which would
 * not be unique on the page, and everything unknown are left out. */
static void adopt_line(FILE *out, const struct diagram *d, const struct diagram_node **node, const char *line) {
  static const char *const known[] = {"</g>", "<path ", "<polygon ", "<text "};
  const char *class = strstr(line, " class=\""), *second = strchr(line + 1, '<');
  size_t number;
  int end = 0;
  if (sscanf(line, "<title>n%zu</title>%n", &number, &end) == 1 && end > 0 && line[end] == '\0' &&
      number < d->node_count) {
    *node = &d->nodes[number];
    svg_title(out, (*node)->tip);
  }
  if (second != NULL && strcmp(second, "</text>") != 0) return;
  if (strncmp(line, "<g ", 3) == 0 && class != NULL) {
    *node = NULL;
    fprintf(out, "<g%s\n", class);
  }
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strncmp(line, known[i], strlen(known[i])) == 0) fprintf(out, "%s\n", line);
  adopt_mark(out, *node, line);
}

bool diagram_adopt(FILE *out, const struct diagram *d, char *svg) {
  const char *view = strstr(svg, " viewBox=\"");
  const struct diagram_node *node = NULL;
  double width = 0, height = 0;
  char *rest = NULL;
  if (view == NULL || sscanf(view, " viewBox=\"0.00 0.00 %lf %lf", &width, &height) != 2) return false;
  if (!(width > 0 && width < 1e5 && height > 0 && height < 1e5) || strstr(view, "\n</svg>") == NULL) return false;
  width = ceil(width);
  height = ceil(height);
  xml_print(out,
            "<svg class=\"diagram\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\" role=\"img\" aria-labelledby=\"%s-title %s-desc\" fill=\"currentColor\">\n"
            "<title id=\"%s-title\">%s</title>\n<desc id=\"%s-desc\">%s</desc>\n",
            width, height, width, height, d->id, d->id, d->id, d->title, d->id, d->description);
  for (char *line = strtok_r(svg, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
    adopt_line(out, d, &node, line);
  fputs("</svg>\n", out);
  return true;
}

/* ---- Drawing the whole diagram ---- */

static int check_size(const struct diagram *d, struct err *err) {
  if (d->node_count == 0) return err_set(err, EXIT_FAILED, "there is nothing to draw");
  if (d->node_count > DIAGRAM_NODES_MAX || d->edge_count > DIAGRAM_EDGES_MAX ||
      d->clusters.count > DIAGRAM_CLUSTERS_MAX)
    return err_set(err, EXIT_FAILED, "%zu boxes and %zu arrows are more than %d and %d", d->node_count, d->edge_count,
                   DIAGRAM_NODES_MAX, DIAGRAM_EDGES_MAX);
  return 0;
}

char *diagram_svg(const struct diagram *d, struct err *why) {
  struct memory_text request, drawing;
  if (check_size(d, why) != 0) return NULL;
  diagram_write(memory_text_begin(&request), d);
  SCOPED char *dot = memory_text_end(&request), *answer = diagram_ask(dot, request.size, why);
  if (answer == NULL) return NULL;
  bool good = diagram_adopt(memory_text_begin(&drawing), d, answer);
  char *svg = memory_text_end(&drawing);
  if (good) return svg;
  free(svg);
  err_set(why, EXIT_FAILED, "gpubench-diagram gave no SVG that can be read");
  return NULL;
}
