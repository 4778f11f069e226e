/* Charts of a bench over its cases: throughput with the ceilings (the highest rates measured on the machine), time,
 * memory; and its roofline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/text.h"
#include "html/page.h"
#include "summary/bench.h"
#include "summary/foreign.h"
#include "summary/row.h"
#include "svg/draw.h"

/* ---- The roofline of a bench: its rows, below lines for the highest rates measured on the machine (ceilings) ---- */

enum { CEILINGS_MAX = 12 };

struct roofline {
  const struct page *page;
  const struct run_bench *bench;
  struct svg_ceiling ceilings[CEILINGS_MAX];
  char names[CEILINGS_MAX][ID_SIZE];
  size_t ceiling_count;
  char merged[CEILINGS_MAX * ID_SIZE]; /* names of the memory ceilings that are merged into one line */
  struct svg_ceiling_point *points;
  const struct record **rows; /* rows, cases: the row and the case of each point */
  const struct run_case **cases;
  size_t point_count;
};

static double positive(const char *text) {
  double value = strtod(text, NULL);
  return isfinite(value) && value > 0 ? value : (double)NAN;
}

static bool label_ends_with(const char *text, const char *end) {
  size_t length = strlen(text), more = strlen(end);
  return length >= more && strcmp(text + length - more, end) == 0;
}

/* Adds a line for a ceiling in the environment. Keys are such as copy_ceiling_gb_per_s, l2_read_ceiling_gb_per_s and
 * flop_ceiling_bf16_tflops; the part that differs is the ceiling's name. */
static void add_ceiling(struct roofline *line, const struct pair *pair) {
  static const char memory[] = "_ceiling_gb_per_s", rate[] = "flop_ceiling_", unit[] = "_tflops";
  bool flat = strncmp(pair->name, rate, sizeof rate - 1) == 0 && label_ends_with(pair->name, unit);
  if ((!flat && !label_ends_with(pair->name, memory)) || line->ceiling_count == CEILINGS_MAX) return;
  double value = positive(pair->value);
  if (isnan(value)) return;
  const char *from = flat ? pair->name + sizeof rate - 1 : pair->name;
  size_t length = strlen(from) - (flat ? sizeof unit : sizeof memory) + 1;
  char *name = line->names[line->ceiling_count];
  if (length >= ID_SIZE) length = ID_SIZE - 1;
  memcpy(name, from, length);
  name[length] = '\0';
  for (char *c = name; *c != '\0'; c++)
    if (*c == '_') *c = ' ';
  line->ceilings[line->ceiling_count++] =
      (struct svg_ceiling){name, flat ? (double)NAN : value, flat ? value : (double)NAN, (double)NAN};
}

static bool is_ceiling_used(const struct roofline *line, const struct svg_ceiling *ceiling) {
  for (size_t i = 0; i < line->point_count; i++) {
    const char *math = text_or_empty(line->rows[i]->math);
    /* fp16 and bf16 share a ceiling. */
    if (strcmp(strcmp(math, "fp16") == 0 ? "bf16" : math, ceiling->name) == 0) return true;
  }
  return false;
}

static void remove_ceiling(struct roofline *line, size_t index) {
  line->ceiling_count--;
  memmove(&line->ceilings[index], &line->ceilings[index + 1], (line->ceiling_count - index) * sizeof *line->ceilings);
}

/* Removes the ceilings of types of arithmetic that no row uses, because they limit no row. If no row uses any of them,
 * all are kept. */
static void keep_used(struct roofline *line) {
  bool any = false;
  for (size_t i = 0; i < line->ceiling_count; i++)
    any = any || (!isnan(line->ceilings[i].tflops) && is_ceiling_used(line, &line->ceilings[i]));
  for (size_t i = line->ceiling_count; any && i-- > 0;)
    if (!isnan(line->ceilings[i].tflops) && !is_ceiling_used(line, &line->ceilings[i])) remove_ceiling(line, i);
}

/* Merges memory ceilings that are within 10% of the copy ceiling into one line. If there is no copy ceiling, takes the
 * first memory ceiling in its place. */
static void merge_memory(struct roofline *line) {
  static const double alike = 1.1;
  size_t kept = line->ceiling_count;
  for (size_t i = line->ceiling_count; i-- > 0;)
    if (!isnan(line->ceilings[i].gb_per_s) &&
        (kept == line->ceiling_count || strcmp(line->ceilings[kept].name, "copy") != 0))
      kept = i;
  if (kept == line->ceiling_count) return;
  const double middle = line->ceilings[kept].gb_per_s;
  double lo = middle, hi = middle;
  for (size_t i = 0; i < line->ceiling_count; i++) {
    const double value = line->ceilings[i].gb_per_s;
    if (i == kept || !(value <= middle * alike) || !(value >= middle / alike)) continue;
    lo = fmin(lo, value);
    hi = fmax(hi, value);
    phrase_add(line->merged, sizeof line->merged, ", ", "%s", line->ceilings[i].name);
    kept -= i < kept;
    remove_ceiling(line, i--);
  }
  if (line->merged[0] == '\0') return;
  phrase_add(line->merged, sizeof line->merged, ", ", "%s", line->ceilings[kept].name);
  line->ceilings[kept] = (struct svg_ceiling){line->merged, hi, (double)NAN, lo < hi ? lo : (double)NAN};
}

/* Adds the ceilings of the machine that the bench ran on, from the environment of its run. */
static void add_ceilings(struct roofline *line) {
  const struct pairs *environment = &line->page->data->environment;
  if (line->point_count != 0) environment = run_data_environment(line->page->data, line->rows[0]);
  for (size_t i = 0; i < environment->count; i++)
    add_ceiling(line, &environment->items[i]);
  keep_used(line);
  merge_memory(line);
}

static char *ceiling_tip(const struct roofline *line, const struct run_case *point, const struct record *row) {
  char text[MSG_SIZE];
  const struct number share = number_percent(row->ceiling_share);
  snprintf(text, sizeof text, "%.200s, %.200s: %s TFLOP/s at %s FLOP/B%s%s%s", text_or_empty(row->variant),
           bench_case_label(line->bench, point, false).text, number_significant(row->tflops, 3).text,
           number_significant(row_intensity(row), 3).text, share.text[0] ? ", " : "", share.text,
           share.text[0] ? "% of the ceiling" : "");
  return xstrdup(text);
}

static void add_points(struct roofline *line) {
  const struct run_bench *bench = line->bench;
  size_t most = bench->case_count * bench->variant_count;
  line->points = xcalloc(most, sizeof *line->points);
  line->rows = xcalloc(most, sizeof *line->rows);
  line->cases = xcalloc(most, sizeof *line->cases);
  for (size_t v = 0; v < bench->variant_count; v++)
    for (size_t i = 0; i < bench->case_count; i++) {
      const struct record *row = bench->cases[i].rows[v];
      if (!html_roofline_point(row)) continue;
      line->rows[line->point_count] = row;
      line->cases[line->point_count] = &bench->cases[i];
      line->points[line->point_count++] =
          (struct svg_ceiling_point){row_intensity(row), row->tflops, v, bench->case_count > 1 ? i + 1 : 0,
                                     most > HTML_FIGURES_MAX ? NULL : ceiling_tip(line, &bench->cases[i], row)};
    }
}

/* Returns true if no row reaches 1 TFLOP/s. */
static bool is_small(const struct roofline *line) {
  for (size_t i = 0; i < line->point_count; i++)
    if (line->rows[i]->tflops >= 1) return false;
  return true;
}

static void write_roofline_row(const struct roofline *line, size_t index) {
  const struct record *row = line->rows[index];
  FILE *out = line->page->out;
  html_row(out, bench_case_label(line->bench, line->cases[index], false).text);
  if (line->bench->case_count > 1) fprintf(out, "<td>%zu</td>", line->points[index].number);
  html_words(out, row->variant);
  html_number(out, row_intensity(row), 4);
  html_number(out, row->tflops * (is_small(line) ? 1e3 : 1), 4);
  html_number(out, row->gb_per_s, 4);
  html_cell(out, number_percent(row->ceiling_share).text);
  html_words(out, bound_words(line->page->data, row));
  fputs("</tr>\n", out);
}

static void write_ceiling_figures(const struct roofline *line, const char *title) {
  const char *const all[] = {"case", "number",           "variant", "FLOP/B", is_small(line) ? "GFLOP/s" : "TFLOP/s",
                             "GB/s", "% of the ceiling", "bound by"};
  if (line->point_count > HTML_FIGURES_MAX) {
    html_figures_elsewhere(line->page->out);
    return;
  }
  const char *heads[sizeof all / sizeof all[0]];
  size_t count = 0;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (i != 1 || line->bench->case_count > 1) heads[count++] = all[i];
  html_figures_open(line->page->out, title, heads, count);
  for (size_t i = 0; i < line->point_count; i++)
    write_roofline_row(line, i);
  html_figures_close(line->page->out);
}

static void draw_roofline(const struct roofline *line, size_t index) {
  char id[32], title[KEY_SIZE + 32];
  snprintf(id, sizeof id, "roofline-%zu", index);
  snprintf(title, sizeof title, "%s: roofline", html_bench_name(line->page, index).text);
  const struct svg_roofline chart = {
      .head = {id, title,
               "Each mark is a variant of a case: its rate against the operations it does per byte. The lines are what "
               "this machine sustained in this run: rising what memory allows, level what arithmetic allows."},
      .ceilings = line->ceilings,
      .ceiling_count = line->ceiling_count,
      .points = line->points,
      .point_count = line->point_count,
      .names = line->bench->variants,
      .name_count = line->bench->variant_count};
  fprintf(line->page->out, "<figure id=\"roofline-%zu\">\n<figcaption>Roofline</figcaption>\n", index);
  svg_roofline(line->page->out, &chart);
  if (line->bench->case_count > 1)
    fputs("<p class=\"minor\">A number is the case's, as in the figures; points say it on hover.</p>\n",
          line->page->out);
  if (line->ceiling_count == 0)
    fputs("<p class=\"minor\">No ceilings were measured in this run.</p>\n", line->page->out);
  write_ceiling_figures(line, title);
  fputs("</figure>\n", line->page->out);
}

void html_roofline(const struct page *page, size_t index) {
  struct roofline line = {.page = page, .bench = &page->benches[index].bench};
  add_points(&line);
  add_ceilings(&line);
  if (line.point_count != 0) draw_roofline(&line, index);
  for (size_t i = 0; i < line.point_count; i++)
    free(line.points[i].tip);
  free(line.points);
  free(line.rows);
  free(line.cases);
}

enum { LIMITS_MAX = 4, FACETS_MAX = 6, ROWS_MAX = 40 };

enum chart_kind { CHART_RATE, CHART_TIME, CHART_MEMORY };

struct chart_data {
  const struct page_bench *of;
  const struct facet *facet;
  const char *axis;
  enum chart_kind kind;
  struct svg_chart chart;
  char (*labels)[EXPR_SIZE], (*values)[EXPR_SIZE]; /* texts for each case: "n=1024 dtype=bf16" and "1024 bf16" */
  char axes[EXPR_SIZE];                            /* names of the axes: "n, dtype" */
  char limit_names[LIMITS_MAX][ID_SIZE + 16];
  char foreign_names[FOREIGN_COLUMNS_MAX][2 * FOREIGN_TEXT_MAX + 8];
};

static bool is_shortened(const struct chart_data *data) {
  return data->axis == NULL && data->facet->count < data->of->bench.case_count;
}

static double rate_of(const struct chart_data *data, const struct record *row) {
  return row_rate(data->of->bench.rate, row) * data->of->rate.per;
}

/* Returns the value that the chart would show for the row if its time were `ns`: a time, a rate or bytes of memory. */
static double charted_value(const struct chart_data *data, const struct record *row, double ns) {
  if (data->kind == CHART_TIME) return ns / data->of->unit.ns;
  if (data->kind == CHART_RATE) return rate_of(data, row) * row->median_raw_ns / ns;
  return row->peak_mem_bytes > 0 ? (double)row->peak_mem_bytes : (double)NAN;
}

static void timing_tip(const struct chart_data *data, const struct record *row, char *to, size_t size) {
  const struct number rate = number_significant(rate_of(data, row), 3);
  const struct number share = number_percent(row->ceiling_share);
  to[0] = '\0';
  if (rate.text[0] != '\0') phrase_add(to, size, "", "%s %s", rate.text, data->of->rate.name);
  phrase_add(to, size, ", ", "%s",
             number_time_within("\xC2\xB1", row->median_raw_ns, row->ci95_lo_ns, row->ci95_hi_ns).text);
  if (share.text[0] != '\0') phrase_add(to, size, ", ", "%s%% of the ceiling", share.text);
}

static void memory_tip(const struct record *row, char *to, size_t size) {
  char peak[32], extra[32] = "no";
  text_bytes(peak, sizeof peak, (double)row->peak_mem_bytes);
  if (row->extra_mem_bytes > 0) text_bytes(extra, sizeof extra, (double)row->extra_mem_bytes);
  snprintf(to, size, "%s at the peak, %s workspace", peak, extra);
}

static char *chart_tip(const struct chart_data *data, const struct record *row, const char *label) {
  char text[MSG_SIZE], figures[MSG_SIZE / 2];
  if (data->facet->count * data->of->bench.variant_count > HTML_FIGURES_MAX) return NULL;
  if (data->kind == CHART_MEMORY)
    memory_tip(row, figures, sizeof figures);
  else
    timing_tip(data, row, figures, sizeof figures);
  snprintf(text, sizeof text, "%.200s, %.200s: %s", text_or_empty(row->variant), label, figures);
  return xstrdup(text);
}

static void fill_point(const struct chart_data *data, struct svg_point *point, const struct record *row,
                       const char *label) {
  *point = (struct svg_point){(double)NAN, (double)NAN, (double)NAN, NULL};
  if (!row_timed(row)) return;
  point->y = charted_value(data, row, row->median_raw_ns);
  if (data->kind != CHART_MEMORY && row->ci95_lo_ns > 0 && row->ci95_hi_ns > 0) {
    double a = charted_value(data, row, row->ci95_lo_ns), b = charted_value(data, row, row->ci95_hi_ns);
    point->lo = fmin(a, b);
    point->hi = fmax(a, b);
  }
  if (point->y > 0) point->tip = chart_tip(data, row, label);
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

/* Returns the chart's series for the ceiling (the highest measured rate) of this type of arithmetic, and adds the
 * series if it is new. Returns NULL if there are too many. Only charts of arithmetic throughput have a ceiling for each
 * type of arithmetic. */
static struct svg_series *limit_for(struct chart_data *data, const char *math) {
  if (data->of->bench.rate != RATE_TFLOPS) math = "";
  if (strcmp(math, "fp16") == 0) math = "bf16"; /* fp16 and bf16 share a ceiling, which was measured with bf16 */
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

/* Adds the ceilings, a line for each type of arithmetic. A ceiling is computed as a row's rate divided by its share of
 * the ceiling. */
static void add_limits(struct chart_data *data) {
  for (size_t i = 0; i < data->facet->count; i++)
    for (size_t j = 0; j < data->of->bench.variant_count; j++) {
      const struct record *row = data->facet->cases[i]->rows[j];
      double rate = rate_of(data, row);
      if (!(rate > 0) || !(row->ceiling_share > 0)) continue;
      struct svg_series *series = limit_for(data, text_or_empty(row->math));
      if (series != NULL) series->points[i].y = rate / row->ceiling_share;
    }
}

/* Adds the times that another program measured as a series. Its name has an asterisk, which a note below the chart
 * explains. */
static void add_foreign(struct chart_data *data, size_t column) {
  const struct run_bench *bench = &data->of->bench;
  char *name = data->foreign_names[column];
  foreign_name(bench, column, name, sizeof data->foreign_names[column] - 2);
  strcat(name, " *");
  struct svg_series *series = add_series(data, name, false);
  for (size_t i = 0; i < data->facet->count; i++) {
    const struct run_case *point = data->facet->cases[i];
    const struct foreign_row *row = foreign_at(point, column);
    if (row == NULL) continue;
    const double rate = foreign_rate(bench->rate, bench, point, row) * data->of->rate.per;
    const bool time = data->kind == CHART_TIME, known = row->lo_ns > 0 && row->hi_ns > 0;
    struct svg_point *to = &series->points[i];
    to->y = time ? row->median_ns / data->of->unit.ns : rate;
    if (!known) continue;
    to->lo = time ? row->lo_ns / data->of->unit.ns : rate * row->median_ns / row->hi_ns;
    to->hi = time ? row->hi_ns / data->of->unit.ns : rate * row->median_ns / row->lo_ns;
  }
}

/* Writes the values of a case's axes without their names, "128Ki bf16", because the names are written once below the
 * chart. Returns false for a case with a preset, which is written by its name. */
static bool add_values(struct chart_data *data, size_t index) {
  const struct run_bench *bench = &data->of->bench;
  const struct run_case *point = data->facet->cases[index];
  char *to = data->values[index], number[64];
  for (size_t i = 0; i < bench->axis_count && text_or_empty(point->preset)[0] == '\0'; i++) {
    const char *value = pairs_get(&point->axes, bench->axes[i]);
    if (!bench->varies[i] || value == NULL) continue;
    char *end = NULL;
    svg_number(number, sizeof number, strtod(value, &end), false);
    phrase_add(to, sizeof *data->values, " ", "%s", end != value && *end == '\0' ? number : value);
  }
  if (to[0] != '\0') return true;
  text_copy(to, sizeof *data->values, data->labels[index]);
  return false;
}

static void add_categories(struct chart_data *data, size_t count) {
  const struct run_bench *bench = &data->of->bench;
  bool any = false;
  data->labels = xcalloc(count, sizeof *data->labels);
  data->values = xcalloc(count, sizeof *data->values);
  data->chart.categories = xcalloc(count, sizeof *data->chart.categories);
  data->chart.category_count = count;
  for (size_t i = 0; i < count; i++) {
    text_copy(data->labels[i], sizeof data->labels[i], bench_case_label(bench, data->facet->cases[i], false).text);
    any = add_values(data, i) || any;
    data->chart.categories[i] = data->values[i];
  }
  for (size_t i = 0; i < bench->axis_count && any; i++)
    if (bench->varies[i]) phrase_add(data->axes, sizeof data->axes, ", ", "%s", bench->axes[i]);
  data->chart.x = data->facet->x;
  data->chart.x_name = data->axis != NULL ? data->axis : any ? data->axes : NULL;
}

static void build_chart(struct chart_data *data) {
  const struct run_bench *bench = &data->of->bench;
  size_t count = data->facet->count;
  add_categories(data, count);
  data->chart.bytes = data->kind == CHART_MEMORY;
  data->chart.intervals = data->kind != CHART_MEMORY;
  for (size_t v = 0; v < bench->variant_count; v++) {
    struct svg_series *series = add_series(data, bench->variants[v], false);
    for (size_t i = 0; i < count; i++)
      fill_point(data, &series->points[i], data->facet->cases[i]->rows[v], data->labels[i]);
  }
  for (size_t i = 0; i < bench->foreign_count && data->kind != CHART_MEMORY; i++)
    add_foreign(data, i);
  if (data->kind == CHART_RATE) add_limits(data);
}

static void release_chart(struct chart_data *data) {
  for (size_t i = 0; i < data->chart.series_count; i++) {
    for (size_t j = 0; j < data->chart.category_count; j++)
      free(data->chart.series[i].points[j].tip);
    free(data->chart.series[i].points);
  }
  free(data->chart.series);
  free(data->chart.categories);
  free(data->labels);
  free(data->values);
}

static void write_chart_value(const struct chart_data *data, FILE *out, double value) {
  struct number text = number_significant(value, 4);
  if (data->kind == CHART_MEMORY && isfinite(value)) text_bytes(text.text, sizeof text.text, value);
  html_cell(out, text.text);
}

static void write_chart_figures(const struct page *page, const struct chart_data *data, const char *title) {
  const struct svg_chart *chart = &data->chart;
  if (chart->category_count * chart->series_count > HTML_FIGURES_MAX || is_shortened(data)) {
    html_figures_elsewhere(page->out);
    return;
  }
  char caption[KEY_SIZE * 3];
  SCOPED const char **heads = xcalloc(chart->series_count + 1, sizeof *heads);
  heads[0] = "case";
  for (size_t i = 0; i < chart->series_count; i++)
    heads[i + 1] = chart->series[i].name;
  snprintf(caption, sizeof caption, "%s, %s", title, chart->unit);
  html_figures_open(page->out, caption, heads, chart->series_count + 1);
  for (size_t i = 0; i < chart->category_count; i++) {
    html_row(page->out, data->labels[i]);
    for (size_t j = 0; j < chart->series_count; j++)
      write_chart_value(data, page->out, chart->series[j].points[i].y);
    fputs("</tr>\n", page->out);
  }
  html_figures_close(page->out);
}

static const char *subject_of(enum chart_kind kind) {
  return kind == CHART_RATE ? "Throughput" : kind == CHART_TIME ? "Median time" : "Peak memory";
}

static void describe_chart(struct chart_data *data, char *unit, size_t size) {
  const char *name = data->kind == CHART_RATE   ? data->of->rate.name
                     : data->kind == CHART_TIME ? data->of->unit.name
                                                : "peak memory: tensors and workspace";
  snprintf(unit, size, "%s, %s is better", name, data->kind == CHART_RATE ? "higher" : "lower");
  data->chart.unit = unit;
  data->chart.head.description =
      data->kind == CHART_RATE
          ? "One kind of mark for each variant, below what the machine was seen to sustain. The table that follows "
            "holds the figures."
          : "One kind of mark for each variant. The table that follows holds the figures.";
}

static void write_facet(const struct page *page, size_t index, enum chart_kind kind, const struct facets *facets,
                        size_t number) {
  static const char *const prefixes[] = {"rate", "time", "memory"};
  struct chart_data data = {
      .of = &page->benches[index], .facet = &facets->items[number], .kind = kind, .axis = facets->axis};
  char id[64], title[KEY_SIZE * 2], unit[128], by[EXPR_SIZE + 16] = "case";
  snprintf(id, sizeof id, "chart-%s-%zu-%zu", prefixes[kind], index, number);
  if (facets->axis != NULL)
    snprintf(by, sizeof by, "%s%s%s", facets->axis, data.facet->label[0] ? ", " : "", data.facet->label);
  snprintf(title, sizeof title, "%s: %s by %s", html_bench_name(page, index).text, subject_of(kind), by);
  data.chart.head = (struct svg_head){.id = id, .title = title};
  describe_chart(&data, unit, sizeof unit);
  build_chart(&data);
  xml_print(page->out, "<figure>\n<figcaption>%s by %s</figcaption>\n", subject_of(kind), by);
  svg_chart(page->out, &data.chart);
  if (is_shortened(&data))
    fprintf(page->out, "<p class=\"fold\">%zu of %zu cases: those whose variants differ most.</p>\n", data.facet->count,
            data.of->bench.case_count);
  if (data.of->bench.foreign_count != 0 && kind != CHART_MEMORY)
    fputs("<p class=\"minor\">* timed by another program, not interleaved</p>\n", page->out);
  write_chart_figures(page, &data, title);
  fputs("</figure>\n", page->out);
  release_chart(&data);
}

/* If the chart has a row of marks for each case, limits it to the ROWS_MAX most informative cases. */
static void shorten(const struct page *page, size_t index, struct facets *facets) {
  struct facet *facet = &facets->items[0];
  if (facets->axis != NULL || facet->count <= ROWS_MAX) return;
  free(facet->cases);
  facet->cases = html_fold_telling(page, &page->benches[index].bench, ROWS_MAX, &facet->count);
}

static void write_chart(const struct page *page, size_t index, enum chart_kind kind, size_t most) {
  struct facets facets;
  if (bench_find(&page->benches[index].bench, row_timed) == NULL) return;
  facets_build(&page->benches[index].bench, most, &facets);
  shorten(page, index, &facets);
  for (size_t i = 0; i < facets.count; i++)
    write_facet(page, index, kind, &facets, i);
  facets_free(&facets);
}

void html_chart_rate(const struct page *page, size_t index) {
  write_chart(page, index, page->benches[index].bench.rate != RATE_NONE ? CHART_RATE : CHART_TIME, 1);
}

void html_chart_time(const struct page *page, size_t index) {
  if (page->benches[index].bench.rate != RATE_NONE) write_chart(page, index, CHART_TIME, FACETS_MAX);
}

void html_chart_memory(const struct page *page, size_t index) {
  const struct run_bench *bench = &page->benches[index].bench;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (row_timed(at.row) && at.row->peak_mem_bytes > 0) {
      write_chart(page, index, CHART_MEMORY, 1);
      return;
    }
}
