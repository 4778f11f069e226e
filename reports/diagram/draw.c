/* Draws boxes, labels and arrows as SVG. */
#include "diagram/draw.h"

#include <math.h>

#include "base/escape.h"
#include "base/memory.h"
#include "diagram/diagram.h"
#include "diagram/layout.h"
#include "svg/draw.h"

enum {
  TITLE_HEIGHT = 17,
  LINE_HEIGHT = 15,
  PAD_X = 12,
  PAD_Y = 8,
  MARK_WIDTH = 18,
  BAR_WIDTH = 4,
  MARGIN = 2, /* space around the whole drawing, because strokes extend beyond shapes */
};

/* Width of a text column in pixels, for the widest font that a browser may use. */
static const double title_column = 7.6, line_column = 6.6;

/* ---- Computing sizes ---- */

static double widest_line(const struct strings *lines, size_t first, size_t end, double column) {
  double width = 0;
  for (size_t i = first; i < end; i++)
    width = fmax(width, column * (double)diagram_columns(lines->items[i]));
  return width;
}

void diagram_measure(struct diagram *d) {
  for (size_t i = 0; i < d->cluster_count; i++) {
    struct diagram_cluster *cluster = &d->clusters[i];
    cluster->width = (int)ceil(widest_line(&cluster->lines, 0, cluster->lines.count, line_column));
    cluster->height = LINE_HEIGHT * (int)cluster->lines.count;
  }
  for (size_t i = 0; i < d->node_count; i++) {
    struct diagram_node *node = &d->nodes[i];
    double title = widest_line(&node->lines, 0, node->title_lines, title_column);
    double lines = widest_line(&node->lines, node->title_lines, node->lines.count, line_column);
    int rest = (int)(node->lines.count - node->title_lines);
    node->width = (int)ceil(fmax(title, lines)) + 2 * PAD_X + (node->place >= 0 ? MARK_WIDTH : 0);
    node->height = TITLE_HEIGHT * (int)node->title_lines + LINE_HEIGHT * rest + 2 * PAD_Y;
  }
  for (size_t i = 0; i < d->edge_count; i++) {
    struct diagram_edge *edge = &d->edges[i];
    int count = (int)edge->lines.count;
    edge->width = count > 0 ? (int)ceil(widest_line(&edge->lines, 0, edge->lines.count, line_column)) + 10 : 0;
    edge->height = count > 0 ? LINE_HEIGHT * count + 2 : 0;
  }
}

/* ---- Drawing texts ---- */

static void draw_text(FILE *out, double x, double y, const char *anchor, const char *extra, const char *text) {
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s%s>", x, y, anchor, extra[0] ? " " : "", extra);
  xml_print(out, "%s</text>\n", text);
}

/* ---- Drawing clusters and nodes ---- */

static void draw_cluster(FILE *out, const struct diagram_cluster *c) {
  fprintf(out,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"10\" fill=\"currentColor\" "
          "fill-opacity=\"0.03\" stroke=\"currentColor\" stroke-opacity=\"0.35\"/>\n",
          c->left, c->top, c->right - c->left, c->bottom - c->top);
  for (size_t i = 0; i < c->lines.count; i++)
    draw_text(out, c->left + PAD_X, c->top + 17 + LINE_HEIGHT * (double)i, "start", SVG_SOFT, c->lines.items[i]);
}

struct look {
  int radius;
  size_t color; /* index in svg_colors; SVG_COLORS means the text's colour */
  double fill, line, width;
  const char *dash;
};

static const struct look looks[] = {
    [DIAGRAM_PLAIN] = {4, SVG_COLORS, 0.04, 0.55, 1, ""},
    [DIAGRAM_STRONG] = {4, 0, 0.14, 1, 2.4, ""},
    [DIAGRAM_STEP] = {10, 0, 0.14, 1, 1.4, ""},
    [DIAGRAM_HOST] = {10, 4, 0.14, 1, 1.4, ""},
    [DIAGRAM_MINOR] = {10, SVG_COLORS, 0.03, 0.6, 1.2, " stroke-dasharray=\"5 3\""},
    [DIAGRAM_DATA] = {0, SVG_COLORS, 0.02, 0.45, 1, ""},
};

static void draw_box(FILE *out, const struct diagram_node *node) {
  const struct look *look = &looks[node->look];
  const char *color = look->color < SVG_COLORS ? svg_colors[look->color] : "currentColor";
  double left = node->x - node->width / 2.0, top = node->y - node->height / 2.0;
  fprintf(out,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"%d\" fill=\"%s\" fill-opacity=\"%.2f\" "
          "stroke=\"%s\" stroke-opacity=\"%.2f\" stroke-width=\"%.1f\"%s>",
          left, top, node->width, node->height, look->radius, color, look->fill, color, look->line, look->width,
          look->dash);
  xml_print(out, "<title>%s</title></rect>\n", node->tip);
  if (node->look == DIAGRAM_DATA)
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"currentColor\" fill-opacity=\"0.55\"/>\n",
            left, top, BAR_WIDTH, node->height);
}

static void draw_node(FILE *out, const struct diagram_node *node) {
  double x = node->x + (node->place >= 0 ? MARK_WIDTH / 2.0 : 0);
  double y = node->y - node->height / 2.0 + PAD_Y;
  draw_box(out, node);
  if (node->place >= 0)
    svg_mark(out, (size_t)node->place, node->x - node->width / 2.0 + PAD_X + 3, y + TITLE_HEIGHT / 2.0, NULL);
  for (size_t i = 0; i < node->lines.count; i++) {
    bool title = i < node->title_lines;
    draw_text(out, x, y + (title ? 13 : 11), "middle", title ? SVG_BOLD : "font-size=\"11\" " SVG_SOFT,
              node->lines.items[i]);
    y += title ? TITLE_HEIGHT : LINE_HEIGHT;
  }
}

/* ---- Drawing edges ---- */

static void draw_head(FILE *out, const struct diagram_edge *edge, double thick) {
  const double *tip = &edge->points[2 * (edge->point_count - 1)], *end = tip - 2;
  double length = hypot(tip[0] - end[0], tip[1] - end[1]);
  if (length < 0.1) return;
  double x = (tip[0] - end[0]) / length, y = (tip[1] - end[1]) / length, half = 3 + thick;
  fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fz\" fill=\"currentColor\" fill-opacity=\"0.75\"/>\n", tip[0],
          tip[1], end[0] - half * y, end[1] + half * x, end[0] + half * y, end[1] - half * x);
}

static void draw_edge(FILE *out, const struct diagram_edge *edge) {
  double thick = 1.2 + 3 * fmin(fmax(edge->weight, 0), 1);
  size_t curve = edge->point_count - 1;
  fprintf(out, "<path d=\"M%.1f %.1f", edge->points[0], edge->points[1]);
  for (size_t i = 1; i < curve; i++)
    fprintf(out, "%s%.1f %.1f", i % 3 == 1 ? "C" : " ", edge->points[2 * i], edge->points[2 * i + 1]);
  if (!edge->arrow) fprintf(out, "L%.1f %.1f", edge->points[2 * curve], edge->points[2 * curve + 1]);
  fprintf(out, "\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.6\" stroke-width=\"%.1f\"/>\n", thick);
  if (edge->arrow) draw_head(out, edge, thick);
}

/* Draws the label of an edge. The layout reserves space for a label next to its edge. For a free edge the layout puts
 * the label onto the edge, so it is moved to the right here. */
static void draw_label(FILE *out, const struct diagram_edge *edge) {
  double y = edge->label_y - LINE_HEIGHT * (double)edge->lines.count / 2 + 11;
  double x = edge->label_x + (edge->free ? edge->width / 2.0 + 4 : 0);
  for (size_t i = 0; i < edge->lines.count; i++, y += LINE_HEIGHT)
    draw_text(out, x, y, "middle", "font-size=\"11\"", edge->lines.items[i]);
}

void diagram_draw(FILE *out, const struct diagram *d) {
  double width = ceil(d->width) + 2 * MARGIN, height = ceil(d->height) + 2 * MARGIN;
  xml_print(
      out,
      "<svg class=\"diagram\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-%d -%d %.0f %.0f\" width=\"%.0f\" "
      "height=\"%.0f\" role=\"img\" aria-labelledby=\"%s-title %s-desc\" font-family=\"system-ui, sans-serif\" "
      "font-size=\"12\" fill=\"currentColor\">\n<title id=\"%s-title\">%s</title>\n<desc id=\"%s-desc\">%s</desc>\n",
      MARGIN, MARGIN, width, height, width, height, d->id, d->id, d->id, d->title, d->id, d->description);
  for (size_t i = 0; i < d->cluster_count; i++)
    draw_cluster(out, &d->clusters[i]);
  for (size_t i = 0; i < d->edge_count; i++)
    draw_edge(out, &d->edges[i]);
  for (size_t i = 0; i < d->node_count; i++)
    draw_node(out, &d->nodes[i]);
  for (size_t i = 0; i < d->edge_count; i++)
    draw_label(out, &d->edges[i]);
  fputs("</svg>\n", out);
}

/* ---- Drawing the whole diagram ---- */

char *diagram_svg(struct diagram *d, struct err *why) {
  diagram_measure(d);
  if (diagram_layout(d, why) != 0) return NULL;
  struct memory_text drawing;
  diagram_draw(memory_text_begin(&drawing), d);
  return memory_text_end(&drawing);
}
