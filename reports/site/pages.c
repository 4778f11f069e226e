/* Writes the pages of a static site about nightly runs: shared parts, charts, a page for each bench, and index.html. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/number.h"
#include "html/page.h"
#include "site/site.h"

/* ---- Parts that several pages have ---- */

void site_url(FILE *out, const char *text) {
  for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
    const bool plain = (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z') ||
                       strchr("-_.", *at) != NULL;
    fprintf(out, plain ? "%c" : "%%%02X", *at);
  }
}

static void site_verdict(FILE *out, enum trend_verdict verdict) {
  static const char *const glyphs[] = {"&#10003;", "?", "?", "&#9660;", "&#10007;"};
  static const char *const kinds[] = {"good", "slower", "slower", "bad", "bad"};
  fprintf(out, "<span class=\"badge %s\"><span aria-hidden=\"true\">%s</span> %s</span>", kinds[verdict],
          glyphs[verdict], trend_verdict_word(verdict));
}

/* Writes the night's date, with a link to its report if the site has it. `up` is the relative path to the site's
 * root. */
static void site_night(const struct site *site, size_t night, const char *up, FILE *out) {
  const struct history_night *n = &site->trend->data->nights[night];
  if (site->report[night]) {
    fprintf(out, "<a href=\"%snights/", up);
    site_url(out, n->run_id);
    fputs(".html\">", out);
  }
  xml_print(out, "%.10s", n->started[0] != '\0' ? n->started : n->run_id);
  if (site->report[night]) fputs("</a>", out);
}

static void site_kind(FILE *out, const struct trend_row *row) {
  char grounds[TEXT_SIZE];
  if (trend_has_change(row))
    fprintf(out, "<span class=\"%s line\"><span aria-hidden=\"true\">%s</span> %+.1f%% %s</span>",
            row->change > 0 ? "slower" : "faster", row->change > 0 ? "&#9660;" : "&#9650;", 100 * row->change,
            trend_kind_word(row->kind));
  else
    fprintf(out, "<span class=\"%s\">%s</span>", row->kind == TREND_BROKEN ? "status bad" : "soft",
            trend_kind_word(row->kind));
  trend_grounds(row, grounds, sizeof grounds);
  if (grounds[0] != '\0') fprintf(out, " <span class=\"soft\">%s</span>", grounds);
}

/* Returns the number of a series, from 1. The anchor of the series on the bench's page is "s" followed by this number.
 */
static size_t anchor_of(const struct trend_row *row, const struct trend *trend) {
  return (size_t)(row->series - trend->data->series) + 1;
}

/* ---- The list of benches ---- */

static void name_file(struct site *site, struct site_bench *bench) {
  char base[ID_SIZE];
  size_t used = 0;
  for (const char *at = bench->name; *at != '\0' && used + 1 < sizeof base; at++) {
    const bool plain = (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z');
    base[used++] = plain || *at == '_' ? *at : '-';
  }
  base[used] = '\0';
  snprintf(bench->file, sizeof bench->file, "%s.html", base);
  for (size_t i = 0; i < site->bench_count; i++)
    if (&site->benches[i] != bench && strcasecmp(site->benches[i].file, bench->file) == 0)
      snprintf(bench->file, sizeof bench->file, "%s-%zu.html", base, site->bench_count);
}

static struct site_bench *site_bench_named(struct site *site, const char *name) {
  for (size_t i = 0; i < site->bench_count; i++)
    if (strcmp(site->benches[i].name, name) == 0) return &site->benches[i];
  site->benches = xgrow(site->benches, site->bench_count, sizeof *site->benches);
  struct site_bench *bench = &site->benches[site->bench_count++];
  *bench = (struct site_bench){.name = name};
  name_file(site, bench);
  return bench;
}

static int by_bench_name(const void *a, const void *b) {
  return strcmp(((const struct site_bench *)a)->name, ((const struct site_bench *)b)->name);
}

void site_build(const struct trend *trend, struct site *site) {
  *site = (struct site){.trend = trend};
  site->report = xcalloc(trend->data->night_count + 1, sizeof *site->report);
  for (size_t i = 0; i < trend->count;
       i++) { /* the rows of a bench keep the trend's order, so that the largest changes come first */
    struct site_bench *bench = site_bench_named(site, trend->rows[i].series->bench);
    bench->rows = xgrow(bench->rows, bench->count, sizeof *bench->rows);
    bench->rows[bench->count++] = i;
  }
  if (site->bench_count > 0) qsort(site->benches, site->bench_count, sizeof *site->benches, by_bench_name);
}

void site_free(struct site *site) {
  for (size_t i = 0; i < site->bench_count; i++)
    free(site->benches[i].rows);
  free(site->benches);
  free(site->report);
  *site = (struct site){0};
}

/* ---- Times over nights as SVG. Colours and geometry are attributes; text has the page's colour. ---- */

/* Colours with a contrast of at least 3:1 against the light and the dark page. */
#define BLUE "#2f7fc1"
#define ORANGE "#c2570c"
#define RED "#d1361b"

/* ---- The strip of verdicts ---- */

/* Draws a bar for the verdict of each of the last nights. */
static void site_strip(const struct trend *trend, FILE *out) {
  enum { STEP = 12, HIGH = 36 };
  static const char *const colors[] = {BLUE, ORANGE, ORANGE, RED, RED};
  static const int heights[] = {14, 24, 24, 34, 34};
  const size_t nights = trend->data->night_count, from = nights > TREND_WINDOW ? nights - TREND_WINDOW : 0;
  size_t bad = 0;
  for (size_t i = from; i < nights; i++)
    bad += trend_verdict(trend, i) == TREND_OK ? 0 : 1;
  fprintf(out,
          "<figure>\n<figcaption>The last %zu nights, oldest first: the higher, the worse</figcaption>\n"
          "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%zu nights, %zu of them not ok; the "
          "table of nights below says which\">\n",
          nights - from, TREND_WINDOW * STEP, HIGH, nights - from, bad);
  for (size_t i = from; i < nights; i++) {
    const enum trend_verdict verdict = trend_verdict(trend, i);
    xml_print(out,
              "<rect x=\"%zu\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\" fill=\"%s\"><title>%.10s "
              "%s</title></rect>\n",
              (i - from) * STEP + 1, HIGH - heights[verdict], STEP - 2, heights[verdict], colors[verdict],
              trend->data->nights[i].started, trend_verdict_word(verdict));
  }
  fputs("</svg>\n</figure>\n", out);
}

/* ---- Lines of a chart ---- */

struct scale {
  size_t from, nights;
  double least, most; /* ns */
  int left, top, width, height;
};

static struct scale series_scale(const struct trend_row *row, size_t from, size_t nights) {
  struct scale s = {.from = from, .nights = nights, .least = INFINITY, .most = 0};
  for (size_t i = from; i < nights; i++) {
    const double ns = row->series->points[i].ns;
    if (isnan(ns)) continue;
    s.least = fmin(s.least, ns);
    s.most = fmax(s.most, ns);
  }
  const double middle = (s.least + s.most) / 2, span = fmax(s.most - s.least, 0.02 * s.most);
  s.least = middle - span / 2;
  s.most = middle + span / 2;
  return s;
}

static int at_x(const struct scale *s, size_t night) {
  const size_t steps = s->nights - s->from > 1 ? s->nights - s->from - 1 : 1;
  return s->left + (int)((double)s->width * (double)(night - s->from) / (double)steps);
}

static int at_y(const struct scale *s, double ns) {
  return s->top + (int)((double)s->height * (s->most - ns) / (s->most - s->least));
}

/* Draws the times as one path, with relative coordinates. A night without a time leaves a gap; a single time is a
 * point. */
static void draw_series(const struct trend_row *row, const struct scale *s, const char *more, FILE *out) {
  bool pen = false;
  int x = 0, y = 0;
  fputs("<path d=\"", out);
  for (size_t i = s->from; i < s->nights; i++) {
    const double ns = row->series->points[i].ns;
    if (isnan(ns)) {
      pen = false;
      continue;
    }
    const int to_x = at_x(s, i), to_y = at_y(s, ns);
    if (pen)
      fprintf(out, "l%d%s%d", to_x - x, to_y < y ? "" : " ", to_y - y);
    else
      fprintf(out, "M%d %dh0", to_x, to_y);
    pen = true;
    x = to_x;
    y = to_y;
  }
  fprintf(out, "\" fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\"%s/>\n", more);
}

static void site_spark(const struct trend_row *row, size_t nights, FILE *out) {
  enum { WIDE = 120, HIGH = 24 };
  struct scale s = series_scale(row, nights > TREND_WINDOW ? nights - TREND_WINDOW : 0, nights);
  s.left = s.top = 2;
  s.width = WIDE - 4;
  s.height = HIGH - 4;
  if (!isfinite(s.least)) return;
  fprintf(out, "<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\">", WIDE, HIGH, WIDE, HIGH);
  draw_series(row, &s, " stroke=\"" BLUE "\" stroke-width=\"1.5\"", out);
  fputs("</svg>", out);
}

/* ---- A whole chart ---- */

static void draw_time_tick(const struct scale *s, double ns, FILE *out) {
  fprintf(out, "<text x=\"%d\" y=\"%d\" font-size=\"26\" text-anchor=\"end\" fill=\"currentColor\">%s</text>\n",
          s->left - 14, at_y(s, ns) + 9, number_time(ns).text);
}

static void draw_night_date(const struct trend *trend, const struct scale *s, size_t night, const char *anchor,
                            FILE *out) {
  xml_print(out, "<text x=\"%d\" y=\"%d\" font-size=\"26\" text-anchor=\"%s\" fill=\"currentColor\">%.10s</text>\n",
            at_x(s, night), s->top + s->height + 40, anchor, trend->data->nights[night].started);
}

static void levels(const struct trend_row *row, const struct scale *s, FILE *out) {
  for (size_t i = 0; i < row->segment_count; i++) {
    const struct nights_segment *level = &row->segments[i];
    if (i > 0)
      fprintf(out, "<path d=\"M%d %dv%d\" stroke=\"%s\" stroke-width=\"3\" stroke-dasharray=\"8 6\"/>\n",
              at_x(s, level->first), s->top, s->height, level->step > 0 ? ORANGE : BLUE);
    fprintf(out, "<path d=\"M%d %dH%d\" stroke=\"%s\" stroke-width=\"5\"/>\n", at_x(s, level->first),
            at_y(s, level->level_ns), at_x(s, level->last), level->step > 0 ? ORANGE : BLUE);
  }
}

/* Draws a mark on the axis at each night in which the machine changed. */
static void draw_machine_marks(const struct trend *trend, const struct scale *s, FILE *out) {
  char text[2 * TEXT_SIZE];
  for (size_t i = s->from + 1; i < s->nights; i++) {
    trend_marks(trend, i, text, sizeof text);
    if (text[0] == '\0') continue;
    xml_print(out, "<path d=\"M%d %dl9 16h-18z\" fill=\"currentColor\"><title>%.10s: %s</title></path>\n", at_x(s, i),
              s->top + s->height, trend->data->nights[i].started, text);
  }
}

static void site_chart(const struct trend *trend, const struct trend_row *row, FILE *out) {
  enum { WIDE = 1600, HIGH = 340 };
  const size_t nights = trend->data->night_count;
  struct scale s = series_scale(row, 0, nights);
  if (!isfinite(s.least)) {
    fputs("<p class=\"soft\">Not timed in any night.</p>\n", out);
    return;
  }
  s.left = 190;
  s.top = 20;
  s.width = WIDE - s.left - 30;
  s.height = HIGH - s.top - 60;
  fprintf(out, "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"time over %zu nights, ", WIDE,
          HIGH, nights);
  fprintf(out, "%zu level%s\">\n<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\"/>\n",
          row->segment_count, row->segment_count == 1 ? "" : "s", s.left - 6, s.top, s.top + s.height,
          s.left + s.width);
  draw_time_tick(&s, s.most, out);
  draw_time_tick(&s, s.least, out);
  draw_night_date(trend, &s, 0, "start", out);
  if (nights > 1) draw_night_date(trend, &s, nights - 1, "end", out);
  draw_series(row, &s, " stroke=\"currentColor\" stroke-width=\"3\" stroke-opacity=\".55\"", out);
  levels(row, &s, out);
  draw_machine_marks(trend, &s, out);
  fputs("</svg>\n", out);
}

/* ---- A bench's page: for each series its times over all nights, and what changed at each step of the times ---- */

static void write_level(const struct site *site, const struct trend_row *row, size_t index, FILE *out) {
  const struct nights_segment *level = &row->segments[index];
  fputs("<li>", out);
  site_night(site, level->first, "../", out);
  fputs(" to ", out);
  site_night(site, level->last, "../", out);
  fprintf(out, ": %s", number_time(level->level_ns).text);
  if (!isnan(level->step))
    fprintf(out, ", <span class=\"%s\">%+.1f%%</span>", level->step > 0 ? "slower" : "faster", 100 * level->step);
  const char *commit = site->trend->data->nights[level->first].commit;
  if (index > 0 && commit[0] != '\0') html_put(out, ", since commit <code>", commit, "</code>");
  fputs("</li>\n", out);
}

/* Writes, below a chart: the smallest step in time that is found almost surely, how much the machine changed the times,
 * and the regression, if any, that is neither fixed nor accepted. */
static void write_rule(const struct site *site, const struct trend_row *row, FILE *out) {
  const struct night_judgement *now = row->now;
  if (isnan(now->detectable)) return;
  fprintf(out, "<p class=\"soft\">A step of %.1f%% is all but surely found within two nights.", 100 * now->detectable);
  if (fabs(now->machine) >= NIGHTS_LEAST) fprintf(out, " The machine is off by %+.1f%%.", 100 * now->machine);
  if (now->since != SIZE_MAX && !row->series->yardstick) {
    fprintf(out, " Slower since ");
    site_night(site, now->since, "../", out);
    fprintf(out, ", by %+.1f%% in the last night; neither fixed nor accepted.", 100 * now->since_step);
  }
  fputs("</p>\n", out);
}

static void write_series_section(const struct site *site, const struct trend_row *row, FILE *out) {
  const size_t anchor = anchor_of(row, site->trend);
  char name[TREND_NAME];
  trend_name(row, name, sizeof name);
  xml_print(out, "<section aria-labelledby=\"s%zu\">\n<h2 id=\"s%zu\">%s <span class=\"soft\">%s%s%s</span></h2>\n<p>",
            anchor, anchor, name, row->series->device, row->series->uuid[0] ? ", " : "", row->series->uuid);
  site_kind(out, row);
  if (row->series->yardstick) fputs(" <span class=\"soft\">(yardstick: it measures the machine)</span>", out);
  fputs("</p>\n", out);
  write_rule(site, row, out);
  site_chart(site->trend, row, out);
  fputs("<ul>\n", out);
  for (size_t i = row->segment_count; i-- > 0;)
    write_level(site, row, i, out);
  fputs("</ul>\n</section>\n", out);
}

void site_bench(const struct site *site, const struct site_bench *bench, FILE *out) {
  html_page_head(out, HTML_INLINE, bench->name);
  xml_print(
      out,
      "<header>\n<p class=\"run\"><b>gpubench trend</b> <a href=\"../index.html\">all benches</a></p>\n<h1>%s over "
      "%zu nights</h1>\n<p>Times as medians of nights; lines are levels, a dashed line is where one begins; "
      "triangles mark nights in which driver, clock, host or device changed.</p>\n</header>\n<main>\n",
      bench->name, site->trend->data->night_count);
  for (size_t i = 0; i < bench->count && i < SITE_CHARTS; i++)
    write_series_section(site, &site->trend->rows[bench->rows[i]], out);
  if (bench->count > SITE_CHARTS) fprintf(out, "<p>and %zu more series, in the data</p>\n", bench->count - SITE_CHARTS);
  fputs("</main>\n<footer><p class=\"soft\">gpubench trend</p></footer>\n</body>\n</html>\n", out);
}

/* ---- index.html: the verdict of the last night, a strip of recent verdicts, changes by size, benches, nights ---- */

static void begin_site_index(const struct site *site, FILE *out) {
  const struct history_data *data = site->trend->data;
  char sentence[2 * MSG_SIZE];
  html_page_head(out, HTML_INLINE, "Nights");
  trend_sentence(site->trend, sentence, sizeof sentence);
  fputs("<header>\n<p class=\"run\"><b>gpubench trend</b>", out);
  if (data->night_count > 0) {
    fputs(" <span class=\"soft\">night of</span> ", out);
    site_night(site, data->night_count - 1, "", out);
  }
  fputs("</p>\n<h1>", out);
  if (data->night_count > 0) site_verdict(out, trend_verdict(site->trend, data->night_count - 1));
  xml_print(out, " %s</h1>\n</header>\n<main>\n", sentence);
}

/* ---- Changes, in index.html ---- */

static bool series_changed(const struct trend_row *row) {
  const bool quiet = (row->kind == TREND_STEADY || row->kind == TREND_GONE) && row->open == TREND_CLOSED;
  return !quiet && !row->series->yardstick;
}

static const struct site_bench *page_of(const struct site *site, const struct trend_row *row) {
  for (size_t i = 0; i < site->bench_count; i++)
    if (strcmp(site->benches[i].name, row->series->bench) == 0) return &site->benches[i];
  return NULL;
}

static void write_series_name(const struct site *site, const struct trend_row *row, FILE *out) {
  const struct site_bench *bench = page_of(site, row);
  char name[TREND_NAME];
  trend_name(row, name, sizeof name);
  fputs("<tr><th scope=\"row\"><span class=\"t\">", out);
  if (bench != NULL)
    xml_print(out, "<a href=\"bench/%s#s%zu\">%s</a>", bench->file, anchor_of(row, site->trend), name);
  else
    escape_xml(out, name);
  fputs("</span></th>", out);
}

static void write_change(const struct site *site, const struct trend_row *row, FILE *out) {
  char cause[4 * TEXT_SIZE];
  write_series_name(site, row, out);
  fputs("<td>", out);
  site_kind(out, row);
  fprintf(out, "</td><td><span class=\"line\">%s</span></td><td>", number_time(row->ns).text);
  if (row->first_bad != SIZE_MAX) site_night(site, row->first_bad, "", out);
  trend_cause(site->trend, row, cause, sizeof cause);
  xml_print(out, "</td><td>%s</td><td>", cause);
  site_spark(row, site->trend->data->night_count, out);
  fputs("</td></tr>\n", out);
}

static void write_changes(const struct site *site, FILE *out) {
  const struct trend *trend = site->trend;
  static const char *const heads[] = {"series", "change", "time", "since", "what changed then", "last nights"};
  size_t all = 0, shown = 0;
  for (size_t i = 0; i < trend->count; i++)
    all += series_changed(&trend->rows[i]);
  fputs("<section aria-labelledby=\"changes\">\n<h2 id=\"changes\">Changes, the largest first</h2>\n", out);
  if (all == 0) {
    fprintf(out, "<p>None within %d nights.</p>\n</section>\n", TREND_WINDOW);
    return;
  }
  html_table_begin(out, "benches", "Changes",
                   "Nights only suspect; a confirmation measures the old and the new plugin side by side");
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
    html_head_words(out, heads[i]);
  html_table_rows(out);
  for (size_t i = 0; i < trend->count && shown < SITE_CHANGES; i++)
    if (series_changed(&trend->rows[i])) {
      write_change(site, &trend->rows[i], out);
      shown++;
    }
  html_table_close(out);
  if (all > shown) fprintf(out, "<p>and %zu more, on the pages of the benches</p>\n", all - shown);
  fputs("</section>\n", out);
}

/* ---- Benches and nights, in index.html ---- */

static void write_bench_link(const struct site *site, const struct site_bench *bench, FILE *out) {
  size_t slower = 0, faster = 0;
  for (size_t i = 0; i < bench->count; i++) {
    slower += site->trend->rows[bench->rows[i]].kind == TREND_SLOWER;
    faster += site->trend->rows[bench->rows[i]].kind == TREND_FASTER;
  }
  xml_print(out, "<tr><th scope=\"row\"><a href=\"bench/%s\">%s</a></th><td>%zu</td><td>%zu</td><td>%zu</td></tr>\n",
            bench->file, bench->name, bench->count, slower, faster);
}

static void write_benches(const struct site *site, FILE *out) {
  static const char *const heads[] = {"bench", "series", "slower", "faster"};
  if (site->bench_count == 0) return;
  fputs("<section aria-labelledby=\"benches\">\n<h2 id=\"benches\">Benches</h2>\n", out);
  html_table_open(out, "plain", "Times over all nights", heads, sizeof heads / sizeof heads[0]);
  for (size_t i = 0; i < site->bench_count; i++)
    write_bench_link(site, &site->benches[i], out);
  html_table_close(out);
  fputs("</section>\n", out);
}

static void write_night(const struct site *site, size_t index, FILE *out) {
  const struct history_night *night = &site->trend->data->nights[index];
  char marks[2 * TEXT_SIZE];
  trend_marks(site->trend, index, marks, sizeof marks);
  fputs("<tr><th scope=\"row\">", out);
  site_night(site, index, "", out);
  xml_print(out, "</th><td>%s</td><td><code>%s</code></td><td>%zu of %zu</td><td>%s",
            trend_verdict_word(trend_verdict(site->trend, index)), night->commit, night->timed, night->rows,
            night->fault);
  if (site->trend->absent[index] > 0)
    fprintf(out, "%s%zu days without a night before it", night->fault[0] ? "; " : "", site->trend->absent[index]);
  if (marks[0] != '\0' && (night->fault[0] != '\0' || site->trend->absent[index] > 0)) fputs("; ", out);
  xml_print(out, "%s</td></tr>\n", marks);
}

static void write_nights_table(const struct site *site, FILE *out) {
  static const char *const heads[] = {"night", "verdict", "commit", "timed", "what else"};
  const size_t nights = site->trend->data->night_count;
  const size_t from = nights > TREND_WINDOW ? nights - TREND_WINDOW : 0;
  if (nights == 0) return;
  fprintf(out, "<section aria-labelledby=\"nights\">\n<h2 id=\"nights\">Nights</h2>\n");
  html_table_begin(out, "benches", "The last nights",
                   "The newest first; a night's date leads to its report, where the site has it");
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
    html_head_words(out, heads[i]);
  html_table_rows(out);
  for (size_t i = nights; i-- > from;)
    write_night(site, i, out);
  html_table_close(out);
  if (from > 0) fprintf(out, "<p class=\"soft\">and %zu before them, in the data</p>\n", from);
  fputs("</section>\n", out);
}

void site_index(const struct site *site, FILE *out) {
  begin_site_index(site, out);
  if (site->trend->data->night_count > 0) site_strip(site->trend, out);
  write_changes(site, out);
  write_benches(site, out);
  write_nights_table(site, out);
  fputs(
      "<section aria-labelledby=\"data\">\n<h2 id=\"data\">Data</h2>\n<ul>\n"
      "<li><a href=\"trend.csv\">trend.csv</a>, <a href=\"trend.json\">trend.json</a>: what is shown here</li>\n"
      "<li><a href=\"history.db.gz\">history.db.gz</a>: all times of all nights, an SQLite database</li>\n"
      "<li><a href=\"feed.xml\">feed.xml</a>: the nights as an Atom feed; <a href=\"badge.svg\">badge.svg</a>: the "
      "last one</li>\n</ul>\n</section>\n</main>\n<footer><p class=\"soft\">gpubench "
      "trend</p></footer>\n</body>\n</html>\n",
      out);
}
