/* Writes the page of a comparison: its chart, its table, and the sections around them. */
#include "html/report.h"

#include <math.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "compare/words.h"
#include "html/page.h"
#include "stats/restarts.h"
#include "summary/bench.h"
#include "svg/draw.h"

/* ---- The chart: speedups with their intervals, one below the other, on both sides of 1 ---- */

enum { ROWS_MAX = 24, ROW = 21, TOP = 8, LEFT = 212, RIGHT = SVG_WIDTH - 12, LABEL_MOST = 29 };

struct forest {
  const struct compare *compare;
  const struct compare_row *rows[ROWS_MAX];
  const struct compare_cell *cells[ROWS_MAX];
  size_t count, all;
  bool unjudged;      /* true if some row of the chart has no verdict */
  struct svg_scale x; /* scale of the speedup */
};

static void choose_forest_rows(struct forest *forest, size_t run) {
  for (size_t i = 0; i < forest->compare->row_count; i++) {
    const struct compare_cell *cell = &forest->compare->rows[i].cells[run];
    if (cell->outcome != AGAINST_BOTH || !svg_known(cell->ratio.lo95) || !svg_known(cell->ratio.hi95)) continue;
    forest->all++;
    if (forest->count == ROWS_MAX) continue;
    forest->unjudged = forest->unjudged || cell->word == VERDICT_NONE;
    forest->rows[forest->count] = &forest->compare->rows[i];
    forest->cells[forest->count++] = cell;
  }
}

/* Makes the scale of the chart. Speedups beyond a factor of two are drawn at its edge, because a wider scale would make
 * the others indistinguishable. */
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

/* Draws a mark. Verdicts differ in shape as well as in colour; a row without a verdict is hollow. */
static void draw_verdict_mark(FILE *out, enum verdict word, double x, double y) {
  const char *hollow = word == VERDICT_NONE ? "none\" stroke-width=\"2\" stroke=\"" : "";
  double dx = word == VERDICT_SLOWER || word == VERDICT_FASTER ? 0 : -3.5;
  double dy = word == VERDICT_SLOWER ? 5 : word == VERDICT_FASTER ? -5 : 0;
  const char *shape = word == VERDICT_SLOWER   ? "l5.5 -9h-11z"
                      : word == VERDICT_FASTER ? "l5.5 9h-11z"
                                               : "a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z";
  fprintf(out, "<path d=\"M%.1f %.1f%s\" fill=\"%s%s\"/>", x + dx, y + dy, shape, hollow, color_of(word));
}

static void draw_forest_row(const struct forest *forest, size_t index, FILE *out) {
  const struct compare_row *row = forest->rows[index];
  const struct compare_cell *cell = forest->cells[index];
  char label[TEXT_SIZE], tip[MSG_SIZE];
  double y = TOP + ROW * ((double)index + 0.5);
  double lo = svg_scale_at(&forest->x, cell->ratio.lo95), hi = svg_scale_at(&forest->x, cell->ratio.hi95);
  snprintf(label, sizeof label, "%.100s %.100s", text_or_empty(row->base->variant), row->label);
  snprintf(tip, sizeof tip, "%.200s %.300s: %s %s", text_or_empty(row->base->variant), row->label,
           compare_speedup(&cell->ratio).text,
           cell->word != VERDICT_NONE ? stats_verdict_name(cell->word) : gap_name(cell->gap));
  svg_text(out, 0, y + 4, "start", "", label, LABEL_MOST);
  fputs("<g>", out);
  svg_title(out, tip);
  fprintf(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\" stroke-width=\"2\"/>", lo, y, hi, color_of(cell->word));
  draw_verdict_mark(out, cell->word, svg_scale_at(&forest->x, cell->ratio.speedup), y);
  fputs("</g>\n", out);
}

static void draw_forest_axis(const struct forest *forest, FILE *out, double bottom) {
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

static void draw_forest(const struct forest *forest, size_t run, FILE *out) {
  char id[32], title[TEXT_SIZE];
  double bottom = TOP + ROW * (double)forest->count;
  snprintf(id, sizeof id, "forest-%zu", run);
  snprintf(title, sizeof title, "Speedups of %.80s over %.80s", forest->compare->runs[run].label,
           forest->compare->base_label);
  const struct svg_head head = {id, title,
                                "One row for each case and variant: the speedup and its 95% interval. The band is the "
                                "threshold around 1. The table holds the figures."};
  svg_open(out, &head, (int)bottom + 40);
  draw_forest_axis(forest, out, bottom);
  for (size_t i = 0; i < forest->count; i++)
    draw_forest_row(forest, i, out);
  fputs("</svg>\n", out);
}

/* Draws the speedups and intervals of one run, for the first rows of the table. Draws nothing if no row has a ratio. */
static void compare_html_chart(const struct compare *compare, size_t run, FILE *out) {
  struct forest forest = {.compare = compare};
  choose_forest_rows(&forest, run);
  if (forest.count == 0) return;
  make_scale(&forest);
  fputs("<figure>\n<figcaption>", out);
  if (compare->run_count > 1) xml_print(out, "%s: ", compare->runs[run].label);
  fprintf(out, "speedup and 95%% interval; the band is %g%% around 1", 100 * compare->options.threshold);
  if (forest.unjudged) fputs(", hollow marks are not judged", out);
  if (forest.all > forest.count) fprintf(out, "; the first %zu of %zu rows", forest.count, forest.all);
  fputs("</figcaption>\n", out);
  draw_forest(&forest, run, out);
  fputs("</figure>\n", out);
}

/* ---- The table ---- */

static void write_speedup_heads(const struct compare *compare, FILE *out) {
  html_head(out, "case");
  if (compare->many_benches) html_head(out, "bench");
  html_head(out, "variant");
  if (compare->many_modes) html_head(out, "mode");
  if (compare->many_devices) html_head(out, "device");
  if (compare->run_count > 1) html_head(out, "base");
  for (size_t i = 0; i < compare->run_count; i++)
    html_head(out, compare->run_count == 1 ? "speedup" : compare->runs[i].label);
  if (compare->run_count == 1 && compare_restarts_vary(&compare->runs[0])) html_head(out, "restarts");
  html_table_rows(out);
}

/* Opens a cell. On narrow screens each cell is a line that begins with its label. */
static void open_run_cell(FILE *out, const char *label) {
  xml_print(out, "<td data-label=\"%s\">", label);
}

static void write_text(FILE *out, const char *label, const char *text) {
  xml_print(out, "<td data-label=\"%s\">%s</td>", label, text);
}

/* Writes interval and times of a row: "[0.904, 0.920] . 143.2 us -> 157.1 us". If several runs are compared, the
 * baseline run's time is in a separate column. */
static void write_ratio_figures(const struct compare *compare, FILE *out, const struct against_row *row) {
  const struct number interval = against_interval(row);
  fputs("<br><span class=\"minor line\">", out);
  if (interval.text[0] != '\0') fprintf(out, "%s \xC2\xB7 ", interval.text);
  if (compare->run_count == 1) fprintf(out, "%s \xE2\x86\x92 ", number_time(row->base_ns).text);
  fprintf(out, "%s</span>", number_time(row->ns).text);
}

/* Writes why a row has no ratio. `row` NULL: the run has no such row. */
static void write_unpaired_status(FILE *out, const struct against_row *row) {
  const bool lost = row != NULL && row->outcome == AGAINST_BROKEN;
  fprintf(out, "<span class=\"%s reason\">", lost ? "bad" : "soft");
  if (lost) fputs("<span aria-hidden=\"true\">\xE2\x9C\x97 </span>", out);
  xml_print(out, "%s</span>", against_note(row));
}

static void write_judged_ratio(const struct compare *compare, const struct against *against,
                               const struct against_row *row, FILE *out) {
  const struct verdict_look look = verdict_look(stats_verdict_name(row->word), true);
  fprintf(out, "<span class=\"line\"><span class=\"main\">%s</span>", against_ratio(row).text);
  if (look.word[0] != '\0')
    fprintf(out, " <span class=\"%s\"><span aria-hidden=\"true\">%s</span>%s", look.word, look.glyph, look.word);
  else if (row->gap != GAP_UNLIKE)
    fprintf(out, " <span class=\"soft\">%s</span>", gap_name(row->gap));
  if (row->beyond) fprintf(out, ", over %s%%", against_fact(against, "threshold"));
  fputs(look.word[0] != '\0' ? "</span></span>" : "</span>", out);
  write_ratio_figures(compare, out, row);
  if (row->note[0] != '\0') html_put(out, "<br><span class=\"minor mark reason\">", row->note, "</span>");
}

static void write_speedup_cell(const struct compare *compare, FILE *out, size_t run, const struct compare_cell *cell) {
  open_run_cell(out, compare->run_count == 1 ? "speedup" : compare->runs[run].label);
  if (cell->outcome == AGAINST_BOTH)
    write_judged_ratio(compare, compare->runs[run].against, cell->shown, out);
  else
    write_unpaired_status(out, cell->shown);
  fputs("</td>", out);
}

static void write_speedup_row(const struct compare *compare, FILE *out, const struct compare_row *row) {
  const struct compare_cell *cell = &row->cells[0];
  xml_print(out, "<tr><th scope=\"row\" title=\"%s\">%s</th>", row->base->case_key, row->label);
  if (compare->many_benches) write_text(out, "bench", row->base->bench);
  write_text(out, "variant", row->base->variant);
  if (compare->many_modes) write_text(out, "mode", row->base->mode);
  if (compare->many_devices) write_text(out, "device", row->base->devices);
  if (compare->run_count > 1) write_text(out, "base", number_time(row->base_ns).text);
  for (size_t i = 0; i < compare->run_count; i++)
    write_speedup_cell(compare, out, i, &row->cells[i]);
  if (compare->run_count == 1 && compare_restarts_vary(&compare->runs[0])) {
    open_run_cell(out, "restarts");
    if (cell->outcome == AGAINST_BOTH) fprintf(out, "%zu, %zu", cell->ratio.base_restarts, cell->ratio.other_restarts);
    fputs("</td>", out);
  }
  fputs("</tr>\n", out);
}

static void write_speedup_table(const struct compare *compare, size_t shown, FILE *out) {
  char rest[160];
  fputs("<div class=\"view\">\n", out);
  html_table_begin(out, "matrix", "Table of speedups",
                   "Speedup over the base, [95% interval] \xC2\xB7 time before and after; what needs attention first");
  write_speedup_heads(compare, out);
  for (size_t i = 0; i < shown; i++)
    write_speedup_row(compare, out, &compare->rows[i]);
  html_table_close(out);
  if (shown != compare->row_count) {
    compare_rest(compare, shown, rest, sizeof rest);
    fprintf(out, "<p class=\"fold\">and %zu more rows (%s)</p>\n", compare->row_count - shown, rest);
  }
  fputs("</div>\n", out);
}

/* Writes the table, with the rows that need attention first and a column of ratios for each run. */
static void compare_html_table(const struct compare *compare, FILE *out) {
  size_t shown = compare->row_count < COMPARE_HTML_ROWS ? compare->row_count : COMPARE_HTML_ROWS;
  bool one = compare->run_count == 1;
  if (shown == 0) return;
  fputs("<section aria-labelledby=\"rows\">\n<h2 id=\"rows\">Rows in both</h2>\n", out);
  fputs(one ? "<div class=\"pair\">\n" : "<div class=\"charts\">\n", out);
  if (one) write_speedup_table(compare, shown, out);
  for (size_t i = 0; i < compare->run_count; i++)
    compare_html_chart(compare, i, out);
  fputs("</div>\n", out);
  if (!one) write_speedup_table(compare, shown, out);
  fputs("</section>\n", out);
}

/* ---- Head and first sentence --------------------------------------------------------------------------------- */

static void write_compare_header(const struct compare *compare, FILE *out) {
  fputs("<header>\n<p class=\"run\"><b>gpubench compare</b> ", out);
  for (size_t i = 0; i < compare->run_count; i++)
    xml_print(out, "%s%s", i != 0 ? ", " : "", compare->runs[i].label);
  xml_print(out, " <span class=\"soft\">against</span> %s</p>\n<h1>", compare->base_label);
  html_against_badge(out, compare_verdict(compare));
  fputc(' ', out);
  if (compare->run_count == 1) {
    xml_print(out, "%s</h1>\n", against_fact(compare->runs[0].against, "sentence"));
  } else {
    xml_print(out, "%zu runs against %s</h1>\n<ul>\n", compare->run_count, compare->base_label);
    for (size_t i = 0; i < compare->run_count; i++)
      html_put(out, "<li>", against_fact(compare->runs[i].against, "sentence"), "</li>\n");
    fputs("</ul>\n", out);
  }
  fputs("</header>\n<main>\n", out);
}

/* ---- Differences between the runs ------------------------------------------------------------------------------- */

static void write_run_differences(const struct compare_run *run, bool counting, FILE *out) {
  char region[TEXT_SIZE];
  snprintf(region, sizeof region, "%s of %.200s", counting ? "Unlike values" : "Other values", run->label);
  html_differences(out, region, run->label, "new", run->against, counting);
}

static void write_unlike_runs(const struct compare *compare, FILE *out) {
  if (!compare_unlike(compare)) return;
  fputs("<section class=\"failures\" aria-labelledby=\"unlike\">\n<h2 id=\"unlike\">The runs are not alike</h2>\n",
        out);
  html_unlike(out, compare_judged(compare), ", and a gate does not pass");
  for (size_t i = 0; i < compare->run_count; i++)
    write_run_differences(&compare->runs[i], true, out);
  fputs("</section>\n", out);
}

static void write_other_differences(const struct compare *compare, FILE *out) {
  bool any = false;
  for (size_t i = 0; i < compare->run_count; i++)
    any = any || compare->runs[i].against->difference_count != compare->runs[i].against->unlike_count;
  if (!any) return;
  fputs("<section aria-labelledby=\"differs\">\n<h2 id=\"differs\">What else differs</h2>\n", out);
  for (size_t i = 0; i < compare->run_count; i++)
    write_run_differences(&compare->runs[i], false, out);
  fputs("</section>\n", out);
}

/* ---- After the table -------------------------------------------------------------------------------------------- */

static void write_unmatched_section(const struct compare *compare, FILE *out) {
  bool any = false;
  for (size_t i = 0; i < compare->run_count; i++)
    any = any || compare->runs[i].only_base_count != 0 || compare->runs[i].only_new_count != 0;
  if (!any) return;
  fputs("<section aria-labelledby=\"only\">\n<h2 id=\"only\">Not in both</h2>\n", out);
  for (size_t i = 0; i < compare->run_count; i++) {
    const struct compare_run *run = &compare->runs[i];
    xml_print(out, "<details><summary>%s: %zu only in base, %zu only in new</summary>\n", run->label,
              run->only_base_count, run->only_new_count);
    html_unmatched(out, "<h3>Only in base</h3>\n", run->against, AGAINST_ONLY_BASE);
    html_unmatched(out, "<h3>Only in new</h3>\n", run->against, AGAINST_ONLY_HERE);
    fputs("</details>\n", out);
  }
  fputs("</section>\n", out);
}

static void write_compared_run(const char *what, const char *label, const struct run_data *data,
                               const struct compare_range *restarts, FILE *out) {
  SCOPED char *line = compare_run_line(label, data, restarts);
  xml_print(out, "<p class=\"trust\"><b>%s</b> %s</p>\n", what, line);
}

static void write_compared_runs(const struct compare *compare, FILE *out) {
  write_compared_run("Base", compare->base_label, compare->base, &compare->runs[0].base_restarts, out);
  for (size_t i = 0; i < compare->run_count; i++)
    write_compared_run("New", compare->runs[i].label, compare->runs[i].data, &compare->runs[i].restarts, out);
}

static void write_notes(const struct compare *compare, FILE *out) {
  SCOPED_STRINGS struct strings notes = {0};
  compare_notes(compare, true, &notes);
  strings_add(&notes, "Speedup is base time / new time: above 1 is faster.");
  fputs("<section aria-labelledby=\"notes\">\n<h2 id=\"notes\">To be known</h2>\n", out);
  html_list(out, &notes);
  fputs("</section>\n", out);
}

static void write_method(const struct compare *compare, FILE *out) {
  double percent = 100 * compare->options.threshold;
  fprintf(
      out,
      "<section aria-labelledby=\"method\">\n<h2 id=\"method\">Method</h2>\n<dl>\n"
      "<dt>Rows</dt><dd>are the same where case, variant and mode are. Those that need attention come first, then "
      "the largest change.</dd>\n"
      "<dt>Interval</dt><dd>95%% of the speedup, with the restart as the unit: each process counts once, as "
      "processes differ by more than the scatter within them. Where a side has fewer than 3 restarts, noise "
      "between restarts is assumed: what is known of the case, else %g%% of its time and %g%% of an empty launch for "
      "each kernel.</dd>\n"
      "<dt>Verdicts</dt><dd><i>Slower</i> and <i>faster</i>: the 99%% interval excludes 1 and the difference is at "
      "least 0.5%%. <i>Over %g%%</i>: so it is by Holm's rule at 1%% over all rows together, and the 95%% interval "
      "lies beyond %g%%; only these are exit 1 of <code class=\"line\">--fail-on slower</code>. <i>Same</i>: neither, "
      "and "
      "the 95%% interval "
      "lies within %g%%. <i>Undecided</i>: none of these.</dd>\n"
      "<dt>Alike</dt><dd>Runs whose device, driver, clocks, options or data differ say nothing about the "
      "code: they get no verdict. A plugin's new version is what a comparison is for.</dd>\n"
      "<dt>Not judged</dt><dd>of the rows that the base has timed: what is missing or not timed now, was measured on "
      "a busy machine, in fewer than %d rounds or in a case that was interrupted, is not alike or above the ceiling, "
      "has no interval, or one of which half is wider than %g%% and does not tell (<i>too noisy</i>); and what is "
      "slower, perhaps by more "
      "than %g%%, but not surely by %g%%. With <code class=\"line\">--fail-on slower</code> that is exit 5; <i>no "
      "regression</i> is said where all was judged.</dd>\n"
      "</dl>\n</section>\n",
      100 * STATS_RESTART_SD, 100 * STATS_RESTART_LAUNCH_SD, percent, percent, percent, WORD_ROUNDS, percent,
      2 * percent, percent);
}

int compare_html_write(const struct compare *compare, FILE *out, struct err *err) {
  char title[MSG_SIZE * 4];
  snprintf(title, sizeof title, "%s against %s", compare->runs[0].label, compare->base_label);
  html_page_head(out, HTML_INLINE, title);
  write_compare_header(compare, out);
  write_unlike_runs(compare, out);
  compare_html_table(compare, out);
  write_compared_runs(compare, out);
  write_unmatched_section(compare, out);
  write_notes(compare, out);
  write_other_differences(compare, out);
  write_method(compare, out);
  fputs("</main>\n<footer><p class=\"soft\">gpubench compare</p></footer>\n</body>\n</html>\n", out);
  return output_end(out, "the comparison", err);
}
