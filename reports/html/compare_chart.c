/* The picture of a comparison: speedups with their intervals, one under the other, around 1. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/number.h"
#include "html/compare.h"
#include "summary/summary.h"
#include "svg/draw.h"

enum { ROWS_MAX = 24, ROW = 21, TOP = 8, LEFT = 212, RIGHT = SVG_WIDTH - 12, LABEL_MOST = 29 };

struct forest {
  const struct compare *compare;
  const struct compare_row *rows[ROWS_MAX];
  const struct compare_cell *cells[ROWS_MAX];
  size_t count, all;
  bool unjudged;      /* is any of them without a word? */
  struct svg_scale x; /* of the speedup */
};

static void choose_rows(struct forest *forest, size_t run) {
  for (size_t i = 0; i < forest->compare->row_count; i++) {
    const struct compare_cell *cell = &forest->compare->rows[i].cells[run];
    if (cell->fate != AGAINST_BOTH || !svg_known(cell->ratio.lo95) || !svg_known(cell->ratio.hi95)) continue;
    forest->all++;
    if (forest->count == ROWS_MAX) continue;
    forest->unjudged = forest->unjudged || cell->word == VERDICT_NONE;
    forest->rows[forest->count] = &forest->compare->rows[i];
    forest->cells[forest->count++] = cell;
  }
}

/* What is more than twice as fast or slow stands at the edge: else it would flatten the rest. */
static void make_scale(struct forest *forest) {
  double limit = 1 + forest->compare->options.threshold, lo = 1 / limit, hi = limit;
  for (size_t i = 0; i < forest->count; i++) {
    lo = fmin(lo, fmax(forest->cells[i]->ratio.lo95, 0.5));
    hi = fmax(hi, fmin(forest->cells[i]->ratio.hi95, 2));
  }
  svg_scale_span(&forest->x, lo, hi, LEFT, RIGHT, 5);
}

static const char *color_of(enum verdict word) {
  return svg_colors[word == VERDICT_SLOWER ? 1 : word == VERDICT_FASTER ? 0 : 6];
}

/* Words have a shape besides a colour; what has none is hollow. */
static void draw_mark(FILE *out, enum verdict word, double x, double y) {
  const char *hollow = word == VERDICT_NONE ? "none\" stroke-width=\"2\" stroke=\"" : "";
  double dx = word == VERDICT_SLOWER || word == VERDICT_FASTER ? 0 : -3.5;
  double dy = word == VERDICT_SLOWER ? 5 : word == VERDICT_FASTER ? -5 : 0;
  const char *shape = word == VERDICT_SLOWER   ? "l5.5 -9h-11z"
                      : word == VERDICT_FASTER ? "l5.5 9h-11z"
                                               : "a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z";
  fprintf(out, "<path d=\"M%.1f %.1f%s\" fill=\"%s%s\"/>", x + dx, y + dy, shape, hollow, color_of(word));
}

static void draw_row(const struct forest *forest, size_t index, FILE *out) {
  const struct compare_row *row = forest->rows[index];
  const struct compare_cell *cell = forest->cells[index];
  char label[TEXT_SIZE], tip[MSG_SIZE], figures[160];
  double y = TOP + ROW * ((double)index + 0.5);
  double lo = svg_scale_at(&forest->x, cell->ratio.lo95), hi = svg_scale_at(&forest->x, cell->ratio.hi95);
  snprintf(label, sizeof label, "%.100s %.100s", text_or_empty(row->base->variant), row->label);
  compare_speedup(&cell->ratio, figures, sizeof figures);
  snprintf(tip, sizeof tip, "%.200s %.300s: %s %s", text_or_empty(row->base->variant), row->label, figures,
           cell->word != VERDICT_NONE ? stats_verdict_name(cell->word) : gap_name(cell->gap));
  svg_text(out, 0, y + 4, "start", "", label, LABEL_MOST);
  fputs("<g>", out);
  svg_title(out, tip);
  fprintf(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\" stroke-width=\"2\"/>", lo, y, hi, color_of(cell->word));
  draw_mark(out, cell->word, svg_scale_at(&forest->x, cell->ratio.speedup), y);
  fputs("</g>\n", out);
}

static void draw_axis(const struct forest *forest, FILE *out, double bottom) {
  double limit = 1 + forest->compare->options.threshold;
  double from = svg_scale_at(&forest->x, 1 / limit), to = svg_scale_at(&forest->x, limit);
  fprintf(out, "<path d=\"M%.1f %dH%.1fV%.1fH%.1fz\" fill-opacity=\"0.07\"/>\n", from, TOP, to, bottom, from);
  for (size_t i = 0; i < forest->x.tick_count; i++) {
    double at = svg_scale_at(&forest->x, forest->x.ticks[i]);
    char text[32];
    bool one = fabs(forest->x.ticks[i] - 1) < 1e-9;
    svg_rule(out, at, TOP, at, bottom, one ? 0.6 : 0.13);
    snprintf(text, sizeof text, "%.4gx", forest->x.ticks[i]);
    svg_text(out, at, bottom + 15, i + 1 == forest->x.tick_count ? "end" : "middle", SVG_SOFT, text, 12);
  }
  svg_text(out, (LEFT + RIGHT) / 2.0, bottom + 32, "middle", SVG_SOFT,
           "slower \xE2\x97\x80 speedup \xE2\x96\xB6 faster", 60);
}

static void draw(const struct forest *forest, size_t run, FILE *out) {
  char id[32], title[TEXT_SIZE];
  double bottom = TOP + ROW * (double)forest->count;
  snprintf(id, sizeof id, "forest-%zu", run);
  snprintf(title, sizeof title, "Speedups of %.80s over %.80s", forest->compare->runs[run].label,
           forest->compare->base_label);
  const struct svg_head head = {id, title,
                                "One row for each case and variant: the speedup and its 95% interval. The band is the "
                                "threshold around 1. The table holds the figures."};
  svg_open(out, &head, (int)bottom + 40);
  draw_axis(forest, out, bottom);
  for (size_t i = 0; i < forest->count; i++)
    draw_row(forest, i, out);
  fputs("</svg>\n", out);
}

void compare_html_chart(const struct compare *compare, size_t run, FILE *out) {
  struct forest forest = {.compare = compare};
  choose_rows(&forest, run);
  if (forest.count == 0) return;
  make_scale(&forest);
  fputs("<figure>\n<figcaption>", out);
  if (compare->run_count > 1) {
    escape_xml(out, compare->runs[run].label);
    fputs(": ", out);
  }
  fprintf(out, "speedup and 95%% interval; the band is %g%% around 1", 100 * compare->options.threshold);
  if (forest.unjudged) fputs(", hollow marks are not judged", out);
  if (forest.all > forest.count) fprintf(out, "; the first %zu of %zu rows", forest.count, forest.all);
  fputs("</figcaption>\n", out);
  draw(&forest, run, out);
  fputs("</figure>\n", out);
}
