/* The chart of a bench: throughput of every variant over the cases, below the ceilings that were measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/html_parts.h"
#include "reports/number.h"
#include "reports/svg.h"
#include "reports/table_lines.h"

enum { LIMITS_MAX = 4 };

struct chart_data {
  const struct run_bench *bench;
  struct number_unit unit; /* of times, where there is no rate */
  struct svg_chart chart;
  char (*labels)[EXPR_SIZE];
  char limit_names[LIMITS_MAX][ID_SIZE + 16];
};

static double value_of(const struct chart_data *data, const struct record *row, double ns) {
  if (data->bench->rate == RATE_NONE) return ns / data->unit.ns;
  return summary_rate(data->bench->rate, row) * row->median_raw_ns / ns;
}

static char *tip_of(const struct chart_data *data, const struct record *row, const char *label) {
  char text[MSG_SIZE], time[64], half[64], rate[64], share[64];
  number_time(time, sizeof time, row->median_raw_ns);
  number_half_width(half, sizeof half, row->median_raw_ns, row->ci95_lo_ns, row->ci95_hi_ns);
  number_significant(rate, sizeof rate, summary_rate(data->bench->rate, row), 3);
  number_percent(share, sizeof share, row->roof_share);
  snprintf(text, sizeof text, "%s, %s: %s%s%s%s%s%s%s%s%s%s", summary_text(row->variant), label, rate,
           rate[0] ? " " : "", rate[0] ? summary_rate_unit(data->bench->rate) : "", rate[0] ? ", " : "", time,
           half[0] ? " \xC2\xB1" : "", half, half[0] ? "%" : "", share[0] ? ", " : "", share);
  if (share[0] != '\0' && strlen(text) + 32 < sizeof text) strcat(text, "% of the ceiling");
  return xstrdup(text);
}

static void fill_point(const struct chart_data *data, struct svg_point *point, const struct record *row,
                       const char *label) {
  *point = (struct svg_point){(double)NAN, (double)NAN, (double)NAN, NULL};
  if (!summary_timed(row)) return;
  point->y = value_of(data, row, row->median_raw_ns);
  if (row->ci95_lo_ns > 0 && row->ci95_hi_ns > 0) {
    double a = value_of(data, row, row->ci95_lo_ns), b = value_of(data, row, row->ci95_hi_ns);
    point->lo = fmin(a, b);
    point->hi = fmax(a, b);
  }
  point->tip = tip_of(data, row, label);
}

static struct svg_series *add_series(struct chart_data *data, const char *name, bool limit) {
  struct svg_chart *chart = &data->chart;
  chart->series = xrealloc(chart->series, chart->series_count + 1, sizeof *chart->series);
  struct svg_series *series = &chart->series[chart->series_count++];
  *series = (struct svg_series){.name = name, .limit = limit};
  series->points = xcalloc(chart->category_count, sizeof *series->points);
  for (size_t i = 0; i < chart->category_count; i++)
    series->points[i] = (struct svg_point){(double)NAN, (double)NAN, (double)NAN, NULL};
  return series;
}

/* Which arithmetic binds only matters where arithmetic is what is shown. */
static struct svg_series *limit_for(struct chart_data *data, const char *math) {
  if (data->bench->rate != RATE_TFLOPS) math = "";
  char name[ID_SIZE + 16];
  snprintf(name, sizeof name, "%.63s%sceiling", math, math[0] != '\0' ? " " : "");
  size_t limits = 0;
  for (size_t i = 0; i < data->chart.series_count; i++) {
    if (!data->chart.series[i].limit) continue;
    if (strcmp(data->chart.series[i].name, name) == 0) return &data->chart.series[i];
    limits++;
  }
  if (limits == LIMITS_MAX) return NULL;
  memcpy(data->limit_names[limits], name, sizeof name);
  return add_series(data, data->limit_names[limits], true);
}

/* The ceiling follows from a row's rate and the share of it that the row reached; one line for each math. */
static void add_limits(struct chart_data *data) {
  const struct run_bench *bench = data->bench;
  for (size_t i = 0; i < bench->case_count; i++)
    for (size_t j = 0; j < bench->variant_count; j++) {
      const struct record *row = bench->cases[i].rows[j];
      double rate = summary_rate(bench->rate, row);
      if (!(rate > 0) || !(row->roof_share > 0)) continue;
      struct svg_series *series = limit_for(data, summary_text(row->math));
      if (series != NULL) series->points[i].y = rate / row->roof_share;
    }
}

static void build(struct chart_data *data) {
  const struct run_bench *bench = data->bench;
  data->labels = xcalloc(bench->case_count, sizeof *data->labels);
  data->chart.categories = xcalloc(bench->case_count, sizeof *data->chart.categories);
  data->chart.category_count = bench->case_count;
  for (size_t i = 0; i < bench->case_count; i++) {
    summary_case_label(bench, &bench->cases[i], false, data->labels[i], sizeof data->labels[i]);
    data->chart.categories[i] = data->labels[i];
  }
  for (size_t v = 0; v < bench->variant_count; v++) {
    struct svg_series *series = add_series(data, bench->variants[v], false);
    for (size_t i = 0; i < bench->case_count; i++)
      fill_point(data, &series->points[i], bench->cases[i].rows[v], data->labels[i]);
  }
  if (bench->rate != RATE_NONE) add_limits(data);
}

static void release(struct chart_data *data) {
  for (size_t i = 0; i < data->chart.series_count; i++) {
    for (size_t j = 0; j < data->chart.category_count; j++)
      free(data->chart.series[i].points[j].tip);
    free(data->chart.series[i].points);
  }
  free(data->chart.series);
  free(data->chart.categories);
  free(data->labels);
}

static bool any_timed(const struct run_bench *bench) {
  for (size_t i = 0; i < bench->case_count; i++)
    for (size_t j = 0; j < bench->variant_count; j++)
      if (summary_timed(bench->cases[i].rows[j])) return true;
  return false;
}

void html_chart(const struct page *page, size_t index) {
  const struct run_bench *bench = &page->summary.benches[index];
  struct chart_data data = {.bench = bench, .unit = table_time_unit(bench)};
  char id[32], title[KEY_SIZE + 64], unit[96], name[KEY_SIZE], label[KEY_SIZE + 80];
  if (!any_timed(bench)) return;
  html_bench_name(page, index, name, sizeof name);
  snprintf(id, sizeof id, "chart-%zu", index);
  snprintf(title, sizeof title, "%s: %s by case", name, bench->rate == RATE_NONE ? "median time" : "throughput");
  snprintf(unit, sizeof unit, "%s, %s is better",
           bench->rate == RATE_NONE ? data.unit.name : summary_rate_unit(bench->rate),
           bench->rate == RATE_NONE ? "lower" : "higher");
  data.chart.id = id;
  data.chart.title = title;
  data.chart.unit = unit;
  data.chart.description = "One line and one kind of mark for each variant. The tables of this page hold the figures.";
  build(&data);
  snprintf(label, sizeof label, "Chart, %s", title);
  fputs("<figure>\n", page->out);
  html_scroll(page->out, label);
  svg_chart(page->out, &data.chart);
  fputs("</div>\n</figure>\n", page->out);
  release(&data);
}
