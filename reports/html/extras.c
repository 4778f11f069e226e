/* Writes figures other than the time: metrics and joules. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "html/page.h"
#include "summary/extras.h"

/* ---- Metrics: figures that variants reported in addition to their time, a table for each bench ---- */

enum { COLUMNS_MAX = 64, OPEN_MAX = 24 /* OPEN_MAX: number of rows; longer tables are folded */ };

struct columns {
  const struct metric_desc *items[COLUMNS_MAX];
  size_t count, rows;
};

static bool has_metric_column(const struct columns *columns, const struct metric_desc *desc) {
  for (size_t i = 0; i < columns->count; i++)
    if (strcmp(columns->items[i]->name, desc->name) == 0 && strcmp(columns->items[i]->unit, desc->unit) == 0)
      return true;
  return false;
}

static void collect_metric_columns(const struct page *page, const struct run_bench *bench, struct columns *columns) {
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    struct metrics_figure figure;
    size_t before = columns->rows;
    for (size_t next = 0; metrics_next(page->data, at.row, &next, &figure);) {
      columns->rows = before + 1;
      if (columns->count < COLUMNS_MAX && !has_metric_column(columns, figure.desc))
        columns->items[columns->count++] = figure.desc;
    }
  }
}

static void write_metric_head(FILE *out, const struct metric_desc *desc) {
  static const char *const ways[] = {"", "higher is better", "lower is better"};
  xml_print(out, "<th scope=\"col\">%s", desc->name);
  if (metrics_unit(desc)[0] != '\0') xml_print(out, ", %s", metrics_unit(desc));
  xml_print(out, "<br><span class=\"minor\">%s%s%s</span></th>", metric_aggregate_name(desc->aggregate),
            desc->better != BETTER_NEITHER ? ", " : "", desc->better < BETTER_COUNT ? ways[desc->better] : "");
}

static void write_metric_spread(FILE *out, const struct metrics_figure *figure) {
  const struct number lo = number_significant(figure->epochs > 1 ? figure->lo : figure->sd, 3);
  if (figure->epochs > 1)
    fprintf(out, " <span class=\"minor\">[%s, %s]</span>", lo.text, number_significant(figure->hi, 3).text);
  else if (figure->n > 1)
    fprintf(out, " <span class=\"minor\">std dev %s</span>", lo.text);
}

static void write_metric_cell(const struct page *page, const struct record *row, const struct metric_desc *desc) {
  struct metrics_figure figure;
  fputs("<td>", page->out);
  if (metrics_find(page->data, row, desc->name, &figure) && strcmp(figure.desc->unit, desc->unit) == 0) {
    fputs(number_significant(figure.value, 4).text, page->out);
    write_metric_spread(page->out, &figure);
  }
  fputs("</td>", page->out);
}

static void write_metric_row(const struct page *page, const struct run_bench *bench, const struct run_case *point,
                             const struct record *row, const struct columns *columns) {
  struct metrics_figure figure;
  size_t at = 0;
  if (!metrics_next(page->data, row, &at, &figure)) return;
  html_row(page->out, bench_case_label(bench, point, false).text);
  html_words(page->out, row->variant);
  for (size_t i = 0; i < columns->count; i++)
    write_metric_cell(page, row, columns->items[i]);
  fputs("</tr>\n", page->out);
}

void html_metrics(const struct page *page, size_t index) {
  static const char caption[] =
      "What variants measured beside the time; std dev over iterations, or [range] "
      "over processes";
  const struct run_bench *bench = &page->benches[index].bench;
  struct columns columns = {.count = 0};
  char region[KEY_SIZE + 64];
  FILE *out = page->out;
  if (page->data->extras.count > 0) collect_metric_columns(page, bench, &columns);
  if (columns.count == 0) return;
  bool folded = columns.rows > OPEN_MAX;
  if (folded) fputs("<details><summary>Metrics</summary>\n", out);
  snprintf(region, sizeof region, "%s: metrics", html_bench_name(page, index).text);
  html_table_begin(out, "plain metrics", region, caption);
  html_head(out, "case");
  html_head(out, "variant");
  for (size_t i = 0; i < columns.count; i++)
    write_metric_head(out, columns.items[i]);
  html_table_rows(out);
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    write_metric_row(page, bench, at.point, at.row, &columns);
  html_table_close(out);
  if (folded) fputs("</details>\n", out);
}

/* ---- Joules: a chart against time for each case, and whether the energy counter is reliable ---- */

enum { CHARTS_MOST = 8 }; /* limit of the charts of each kind per bench */

struct chart {
  const struct page *page;
  const struct run_bench *bench;
  const struct run_case *point;
  struct number_unit unit;
  const struct record **rows;
  struct energy_point *points;
  struct svg_pareto_point *marks;
  size_t count;
};

void html_energy_trust(const struct page *page, size_t index) {
  const struct run_bench *bench = &page->benches[index].bench;
  const struct record *row = bench_find(bench, energy_asked);
  char text[TEXT_SIZE];
  if (row == NULL || bench_find(bench, energy_known) == NULL) return;
  const struct energy_verdict verdict = energy_verdict(page->data, row);
  energy_verdict_text(&verdict, text, sizeof text);
  html_put(page->out, "<p class=\"minor\">Energy: ", text, ".</p>\n");
}

/* ---- The chart of joules against time ---- */

static void collect_points(struct chart *chart) {
  const struct run_bench *bench = chart->bench;
  for (size_t v = 0; v < bench->variant_count; v++) {
    const struct record *row = chart->point->rows[v];
    if (!energy_known(row) || row_is_yardstick(row)) continue;
    chart->rows[chart->count] = row;
    chart->points[chart->count] = (struct energy_point){row->median_raw_ns, row->energy_j, false};
    chart->marks[chart->count++] = (struct svg_pareto_point){
        row->median_raw_ns / chart->unit.ns, row->energy_j, v, false, bench->variants[v], NULL};
  }
  energy_front(chart->points, chart->count);
  for (size_t i = 0; i < chart->count; i++)
    chart->marks[i].front = chart->points[i].front;
}

static void add_tips(struct chart *chart) {
  for (size_t i = 0; i < chart->count; i++) {
    char text[MSG_SIZE];
    snprintf(text, sizeof text, "%.200s: %s %s, %s J, %s W%s", chart->marks[i].name,
             number_significant(chart->marks[i].x, 4).text, chart->unit.name,
             number_significant(chart->marks[i].y, 4).text, number_significant(chart->rows[i]->energy_power_w, 3).text,
             chart->marks[i].front ? "; nothing beats it in both" : "");
    chart->marks[i].tip = xstrdup(text);
  }
}

static void write_joules(const struct chart *chart, size_t i) {
  FILE *out = chart->page->out;
  const struct record *row = chart->rows[i];
  const double figures[] = {chart->marks[i].x, row->energy_j, row->energy_net_j, row->energy_power_w,
                            row->tflop_per_j,  row->gb_per_j, row->j_per_item};
  html_row(out, chart->marks[i].name);
  for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++)
    html_number(out, figures[k], 4);
  html_cell(out, number_percent(row->energy_unc).text);
  html_words(out, chart->marks[i].front ? "on the front" : "");
  html_words(out, row->energy_fault);
  fputs("</tr>\n", out);
}

static void write_energy_figures(const struct chart *chart, const char *title) {
  char time[32];
  snprintf(time, sizeof time, "time, %s", chart->unit.name);
  const char *const heads[] = {"variant", time,         "J",   "net J", "W",     "TFLOP/J",
                               "GB/J",    "J per item", "+-%", "front", "faults"};
  html_figures_open(chart->page->out, title, heads, sizeof heads / sizeof heads[0]);
  for (size_t i = 0; i < chart->count; i++)
    write_joules(chart, i);
  html_figures_close(chart->page->out);
}

static void draw_energy(struct chart *chart, size_t index, size_t number) {
  char id[48], title[KEY_SIZE * 2 + 32];
  FILE *out = chart->page->out;
  const struct label label = bench_case_label(chart->bench, chart->point, false);
  snprintf(id, sizeof id, "energy-%zu-%zu", index, number);
  snprintf(title, sizeof title, "%s, %s: energy against time", html_bench_name(chart->page, index).text, label.text);
  add_tips(chart);
  const struct svg_pareto pareto = {
      .head = {id, title,
               "Each mark is a variant: the energy per iteration under steady load against its time. A ring and the "
               "dashed steps mark those that no other beats in both."},
      .unit = chart->unit.name,
      .points = chart->marks,
      .point_count = chart->count};
  xml_print(out, "<figure>\n<figcaption>Energy against time%s%s</figcaption>\n",
            chart->bench->case_count > 1 ? ": " : "", chart->bench->case_count > 1 ? label.text : "");
  svg_pareto(out, &pareto);
  html_energy_trust(chart->page, index);
  write_energy_figures(chart, title);
  fputs("</figure>\n", out);
  for (size_t i = 0; i < chart->count; i++)
    free(chart->marks[i].tip);
}

static bool draw_case(const struct page *page, size_t index, const struct run_case *point, size_t number) {
  const struct run_bench *bench = &page->benches[index].bench;
  struct chart chart = {.page = page, .bench = bench, .point = point, .unit = page->benches[index].unit};
  chart.rows = xcalloc(bench->variant_count, sizeof *chart.rows);
  chart.points = xcalloc(bench->variant_count, sizeof *chart.points);
  chart.marks = xcalloc(bench->variant_count, sizeof *chart.marks);
  collect_points(&chart);
  const bool drawn = chart.count > 1 && number < CHARTS_MOST;
  if (drawn) draw_energy(&chart, index, number);
  const bool counts = chart.count > 1;
  free(chart.rows);
  free(chart.points);
  free(chart.marks);
  return counts;
}

/* ---- The chart of power over time ---- */

struct power_chart {
  struct svg_track *tracks; /* one for each variant that has power readings */
  size_t count;
};

static void free_power(struct power_chart *chart) {
  for (size_t i = 0; i < chart->count; i++) {
    free(chart->tracks[i].x);
    free(chart->tracks[i].y);
  }
  free(chart->tracks);
}

/* Makes a line of the chart, with a point for each power reading, in the middle of the time that the reading covers. */
static struct svg_track track_of(const struct extras_series *series, const struct record *row) {
  struct svg_track track = {.count = 0};
  track.x = xcalloc(series->span_count, sizeof *track.x);
  track.y = xcalloc(series->span_count, sizeof *track.y);
  for (size_t i = 0; i < series->span_count; i++) {
    const struct extras_span *span = &series->spans[i];
    if (!timeline_is_power(series, span) || !record_has_epoch(row, span->epoch) || span->label == NULL) continue;
    track.x[track.count] = ((double)span->begin_ns + (double)span->end_ns) / 2e9;
    track.y[track.count++] = strtod(span->label, NULL);
  }
  return track;
}

static struct power_chart collect_power(const struct page *page, const struct run_bench *bench,
                                        const struct run_case *point) {
  struct power_chart chart = {xcalloc(bench->variant_count, sizeof *chart.tracks), 0};
  for (size_t v = 0; v < bench->variant_count; v++) {
    const struct record *row = point->rows[v];
    const struct extras_series *series = row != NULL ? extras_of(page->data, row) : NULL;
    if (series == NULL || series->span_count == 0) continue;
    struct svg_track *track = &chart.tracks[chart.count++];
    *track = track_of(series, row);
    track->name = bench->variants[v];
    track->note = NULL;
    track->place = v;
    if (track->count > 0) continue;
    free(track->x);
    free(track->y);
    chart.count--;
  }
  return chart;
}

static void write_power_figures(const struct page *page, const struct power_chart *chart, const char *title) {
  static const char *const heads[] = {"variant", "s", "least, W", "mean, W", "most, W"};
  html_figures_open(page->out, title, heads, sizeof heads / sizeof heads[0]);
  for (size_t i = 0; i < chart->count; i++) {
    const struct svg_track *track = &chart->tracks[i];
    double least = track->y[0], most = track->y[0], sum = 0;
    for (size_t j = 0; j < track->count; j++) {
      least = fmin(least, track->y[j]);
      most = fmax(most, track->y[j]);
      sum += track->y[j];
    }
    const double figures[] = {track->x[track->count - 1], least, sum / (double)track->count, most};
    html_row(page->out, track->name);
    for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++)
      html_number(page->out, figures[k], 4);
    fputs("</tr>\n", page->out);
  }
  html_figures_close(page->out);
}

/* Draws the power readings that were taken while joules were measured. Returns false if there are none. */
static bool draw_power(const struct page *page, size_t index, const struct run_case *point, size_t number) {
  const struct run_bench *bench = &page->benches[index].bench;
  struct power_chart chart = collect_power(page, bench, point);
  const bool counts = chart.count > 0;
  if (counts && number < CHARTS_MOST) {
    char id[48], title[KEY_SIZE * 2 + 32];
    const struct label label = bench_case_label(bench, point, false);
    snprintf(id, sizeof id, "power-%zu-%zu", index, number);
    snprintf(title, sizeof title, "%s, %s: power over time", html_bench_name(page, index).text, label.text);
    const struct svg_power power = {{id, title,
                                     "A line for each variant: readings of the device's power within the window of its "
                                     "energy, under steady load. They check the counter; the energy is the counter's."},
                                    chart.tracks,
                                    chart.count};
    xml_print(page->out, "<figure>\n<figcaption>Power in the energy windows%s%s</figcaption>\n",
              bench->case_count > 1 ? ": " : "", bench->case_count > 1 ? label.text : "");
    svg_power(page->out, &power);
    write_power_figures(page, &chart, title);
    fputs("</figure>\n", page->out);
  }
  free_power(&chart);
  return counts;
}

/* Returns true for the selftest of the energy counter. Its variants all run the same load, so they are not compared. */
static bool is_selftest(const struct run_bench *bench) {
  const struct record *row = bench_find(bench, energy_asked);
  return row != NULL && row->contract != NULL && strcmp(row->contract, ENERGY_SELFTEST) == 0;
}

void html_energy(const struct page *page, size_t index) {
  const struct run_bench *bench = &page->benches[index].bench;
  size_t count = 0, powers = 0;
  if (is_selftest(bench)) return;
  for (size_t i = 0; i < bench->case_count; i++)
    count += draw_case(page, index, &bench->cases[i], count);
  for (size_t i = 0; i < bench->case_count; i++)
    powers += draw_power(page, index, &bench->cases[i], powers);
  if (count > CHARTS_MOST || powers > CHARTS_MOST)
    fprintf(page->out, "<p class=\"minor\">The energy of all %zu cases is in the table of all figures.</p>\n",
            bench->case_count);
}
