/* The frame, text, marks and lines of charts. */
#include "svg/draw.h"

#include <string.h>

#include "base/escape.h"

const char *const svg_colors[SVG_COLORS] = {"#0072b2", "#d55e00", "#009e73", "#b65c92", "#b07500", "#2e8fc4",
                                            "#7a7f87", "#a05a3c", "#643efa", "#8d963c", "#f2616f", "#3e7043",
                                            "#e73efa", "#0c6d78", "#5e6ceb", "#e35bc8"};

const char *svg_color(size_t index) {
  return svg_colors[index % SVG_COLORS];
}

const char *svg_dash(size_t index) {
  static const char *const dashes[] = {"none", "7 4", "2 3", "9 3 2 3", "4 4"};
  return dashes[index % (sizeof dashes / sizeof dashes[0])];
}

void svg_open(FILE *out, const struct svg_head *head, int height) {
  fprintf(out,
          "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
          "role=\"img\" aria-labelledby=\"%s-title %s-desc\" font-family=\"system-ui, sans-serif\" font-size=\"12\" "
          "fill=\"currentColor\">\n<title id=\"%s-title\">",
          SVG_WIDTH, height, SVG_WIDTH, height, head->id, head->id, head->id);
  escape_xml(out, head->title);
  fprintf(out, "</title>\n<desc id=\"%s-desc\">", head->id);
  escape_xml(out, head->description);
  fputs("</desc>\n", out);
}

/* Bytes of the first `most` code points. */
static size_t prefix(const char *text, size_t most) {
  size_t bytes = 0;
  for (size_t taken = 0; text[bytes] != '\0'; bytes++)
    if (((unsigned char)text[bytes] & 0xC0) != 0x80 && taken++ == most) break;
  return bytes;
}

void svg_text(FILE *out, double x, double y, const char *anchor, const char *extra, const char *text, size_t most) {
  char cut[256];
  size_t bytes = prefix(text, most);
  if (bytes >= sizeof cut - 4) bytes = prefix(text, 60);
  memcpy(cut, text, bytes);
  strcpy(cut + bytes, text[bytes] != '\0' ? "\xE2\x80\xA6" : "");
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
  if (strcmp(anchor, "start") != 0) fprintf(out, " text-anchor=\"%s\"", anchor);
  fprintf(out, "%s%s>", extra[0] ? " " : "", extra);
  escape_xml(out, cut);
  fputs("</text>\n", out);
}

/* In widths of most letters. */
static double width_of(char letter) {
  if (((unsigned char)letter & 0xC0) == 0x80) return 0; /* the rest of a code point */
  return letter == '@' ? 2 : strchr("mwMW", letter) != NULL ? 1.6 : 1;
}

double svg_text_width(const char *text, size_t most) {
  double width = 0;
  const size_t bytes = prefix(text, most);
  for (size_t i = 0; i < bytes; i++)
    width += width_of(text[i]);
  return 6.7 * (width + (text[bytes] != '\0'));
}

void svg_title(FILE *out, const char *tip) {
  if (tip == NULL) return;
  fputs("<title>", out);
  escape_xml(out, tip);
  fputs("</title>", out);
}

static void draw_mark(FILE *out, size_t index, double x, double y, const char *tip, bool hollow) {
  static const struct {
    double dx, dy;
    const char *rest;
  } shapes[] = {
      {-4.5, 0, "a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z"},      /* circle */
      {-4, -4, "h8v8h-8z"},                                     /* square */
      {0, -5.2, "l5 9h-10z"},                                   /* triangle */
      {0, -5.5, "l5.5 5.5l-5.5 5.5l-5.5 -5.5z"},                /* diamond */
      {0, 5.2, "l5 -9h-10z"},                                   /* triangle, down */
      {-1.5, -5, "h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z"}, /* cross */
  };
  size_t shape = index % (sizeof shapes / sizeof shapes[0]);
  fprintf(out, "<path d=\"M%.1f %.1f%s\" ", x + shapes[shape].dx, y + shapes[shape].dy, shapes[shape].rest);
  fprintf(out, hollow ? "fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" pointer-events=\"all\"" : "fill=\"%s\"",
          svg_color(index));
  fputs(tip != NULL ? ">" : "/>\n", out);
  svg_title(out, tip);
  if (tip != NULL) fputs("</path>\n", out);
}

void svg_mark(FILE *out, size_t index, double x, double y, const char *tip) {
  draw_mark(out, index, x, y, tip, false);
}

void svg_mark_hollow(FILE *out, size_t index, double x, double y, const char *tip) {
  draw_mark(out, index, x, y, tip, true);
}

void svg_rule(FILE *out, double x1, double y1, double x2, double y2, double opacity) {
  fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"currentColor\" stroke-opacity=\"%.3g\"/>\n", x1, y1, x2, y2,
          opacity);
}

void svg_row_title(FILE *out, double y, size_t place, const char *name, const char *note) {
  enum { NAME_MOST = 32 };
  char cut[NAME_MOST * 4 + 4];
  size_t bytes = prefix(name, NAME_MOST);
  if (bytes >= sizeof cut) bytes = 0;
  memcpy(cut, name, bytes);
  cut[bytes] = '\0';
  svg_mark(out, place, 8, y - 4, NULL);
  fprintf(out, "<text x=\"18\" y=\"%.1f\"><tspan " SVG_BOLD ">", y);
  escape_xml(out, cut);
  fprintf(out, "%s</tspan> <tspan " SVG_SOFT ">", name[bytes] != '\0' ? "\xE2\x80\xA6" : "");
  escape_xml(out, note);
  fputs("</tspan></text>\n", out);
}

struct svg_legend svg_legend_begin(FILE *out, double right) {
  return (struct svg_legend){out, right, 4, 34};
}

static void make_room(struct svg_legend *legend, double width) {
  enum { ROW = 18 };
  if (legend->x <= 4 || legend->x + width <= legend->right) return;
  legend->x = 4;
  legend->y += ROW;
}

void svg_legend_add(struct svg_legend *legend, size_t place, const char *name) {
  enum { NAME_MOST = 24 };
  double width = svg_text_width(name, NAME_MOST) * SVG_BOLD_WIDTH + 30;
  make_room(legend, width);
  if (legend->out != NULL) svg_mark(legend->out, place, legend->x + 5, legend->y - 4, NULL);
  if (legend->out != NULL) svg_text(legend->out, legend->x + 15, legend->y, "start", SVG_BOLD, name, NAME_MOST);
  legend->x += width;
}

void svg_legend_line(struct svg_legend *legend, size_t dash, const char *name) {
  enum { NAME_MOST = 60 };
  double width = svg_text_width(name, NAME_MOST) * 1.1 + 44;
  make_room(legend, width);
  if (legend->out != NULL)
    fprintf(legend->out, "<path d=\"M%.1f %.1fh24\" " SVG_LIMIT " stroke-dasharray=\"%s\"/>\n", legend->x,
            legend->y - 4, svg_dash(dash));
  if (legend->out != NULL) svg_text(legend->out, legend->x + 30, legend->y, "start", SVG_SOFT, name, NAME_MOST);
  legend->x += width;
}
