/* Drawings within bounds: so many, so long, and no more where they fail. */
#include "html/gallery.h"

#include <stdlib.h>

#include "base/memory.h"
#include "diagram/draw.h"
#include "diagram/layout.h"

enum {
  DRAWINGS_MAX = 60,
  FAILURES_MAX = 3, /* then no more are tried */
  BUDGET_S = 10,
};

void gallery_init(struct gallery *g, const struct page *page) {
  struct err why = {0};
  *g = (struct gallery){.page = page, .out = page->out};
  clock_gettime(CLOCK_MONOTONIC, &g->began);
  if (!diagram_ready(&why)) text_copy(g->why, sizeof g->why, why.text);
}

static void say_why(struct gallery *g, const char *why) {
  html_put(g->out, "<p class=\"soft\">Not drawn: ", why, ".</p>\n");
}

void gallery_part(struct gallery *g, const char *title) {
  if (!g->begun) {
    html_part_open(g->out, "diagrams", "Diagrams");
    if (g->why[0] != '\0') say_why(g, g->why);
  }
  g->begun = true;
  html_put(g->out, "<h3>", title, "</h3>\n");
}

/* No more are tried from now on. */
static void give_up(struct gallery *g, const char *why) {
  text_copy(g->why, sizeof g->why, why);
  say_why(g, why);
}

static bool may_draw(struct gallery *g) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (g->why[0] != '\0') return false;
  if (g->drawn == DRAWINGS_MAX) give_up(g, "this page has as many diagrams as it may have");
  if (now.tv_sec - g->began.tv_sec > BUDGET_S) give_up(g, "the diagrams of this page took too long");
  return g->why[0] == '\0';
}

bool gallery_draw(struct gallery *g, struct diagram *d, const char *caption) {
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

void gallery_table_open(struct gallery *g, bool folded, const char *caption, const char *const *heads, size_t count) {
  if (folded)
    html_figures_open(g->out, caption, heads, count);
  else
    html_table_open(g->out, "plain", caption, heads, count);
}

void gallery_table_close(struct gallery *g, bool folded) {
  if (folded)
    html_figures_close(g->out);
  else
    html_table_close(g->out);
}

void gallery_end(struct gallery *g) {
  if (g->begun) html_part_close(g->out);
}
