/* The roofline of a bench: its rows against the roofs that the run's environment names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/phrase.h"
#include "html/page.h"
#include "summary/bound.h"

enum { ROOFS_MAX = 12 };

struct roofline {
  const struct page *page;
  const struct run_bench *bench;
  struct svg_roof roofs[ROOFS_MAX];
  char names[ROOFS_MAX][ID_SIZE];
  size_t roof_count;
  char merged[ROOFS_MAX * ID_SIZE]; /* the name of memory roofs that are one line */
  struct svg_roof_point *points;
  const struct record **rows; /* of the points */
  const struct run_case **cases;
  size_t point_count;
};

static double positive(const char *text) {
  double value = strtod(text, NULL);
  return isfinite(value) && value > 0 ? value : (double)NAN;
}

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), more = strlen(end);
  return length >= more && strcmp(text + length - more, end) == 0;
}

/* copy_ceiling_gb_per_s, l2_read_ceiling_gb_per_s; flop_ceiling_bf16_tflops: the rest of the key is the roof's name. */
static void add_roof(struct roofline *line, const struct pair *pair) {
  static const char memory[] = "_ceiling_gb_per_s", rate[] = "flop_ceiling_", unit[] = "_tflops";
  bool flat = strncmp(pair->name, rate, sizeof rate - 1) == 0 && ends_with(pair->name, unit);
  if ((!flat && !ends_with(pair->name, memory)) || line->roof_count == ROOFS_MAX) return;
  double value = positive(pair->value);
  if (isnan(value)) return;
  const char *from = flat ? pair->name + sizeof rate - 1 : pair->name;
  size_t length = strlen(from) - (flat ? sizeof unit : sizeof memory) + 1;
  char *name = line->names[line->roof_count];
  if (length >= ID_SIZE) length = ID_SIZE - 1;
  memcpy(name, from, length);
  name[length] = '\0';
  for (char *c = name; *c != '\0'; c++)
    if (*c == '_') *c = ' ';
  line->roofs[line->roof_count++] =
      (struct svg_roof){name, flat ? (double)NAN : value, flat ? value : (double)NAN, (double)NAN};
}

static bool is_used(const struct roofline *line, const struct svg_roof *roof) {
  for (size_t i = 0; i < line->point_count; i++) {
    const char *math = text_or_empty(line->rows[i]->math);
    if (strcmp(strcmp(math, "fp16") == 0 ? "bf16" : math, roof->name) == 0) return true; /* they share a ceiling */
  }
  return false;
}

static void remove_roof(struct roofline *line, size_t index) {
  line->roof_count--;
  memmove(&line->roofs[index], &line->roofs[index + 1], (line->roof_count - index) * sizeof *line->roofs);
}

/* Arithmetic that no row has done limits none; where the run knows no other it is shown. */
static void keep_used(struct roofline *line) {
  bool any = false;
  for (size_t i = 0; i < line->roof_count; i++)
    any = any || (!isnan(line->roofs[i].tflops) && is_used(line, &line->roofs[i]));
  for (size_t i = line->roof_count; any && i-- > 0;)
    if (!isnan(line->roofs[i].tflops) && !is_used(line, &line->roofs[i])) remove_roof(line, i);
}

/* Memory roofs within 10% of the copy's, or else of the first one's, are one line. */
static void merge_memory(struct roofline *line) {
  static const double alike = 1.1;
  size_t kept = line->roof_count;
  for (size_t i = line->roof_count; i-- > 0;)
    if (!isnan(line->roofs[i].gb_per_s) && (kept == line->roof_count || strcmp(line->roofs[kept].name, "copy") != 0))
      kept = i;
  if (kept == line->roof_count) return;
  const double middle = line->roofs[kept].gb_per_s;
  double lo = middle, hi = middle;
  for (size_t i = 0; i < line->roof_count; i++) {
    const double value = line->roofs[i].gb_per_s;
    if (i == kept || !(value <= middle * alike) || !(value >= middle / alike)) continue;
    lo = fmin(lo, value);
    hi = fmax(hi, value);
    phrase_add(line->merged, sizeof line->merged, ", ", "%s", line->roofs[i].name);
    kept -= i < kept;
    remove_roof(line, i--);
  }
  if (line->merged[0] == '\0') return;
  phrase_add(line->merged, sizeof line->merged, ", ", "%s", line->roofs[kept].name);
  line->roofs[kept] = (struct svg_roof){line->merged, hi, (double)NAN, lo < hi ? lo : (double)NAN};
}

/* The bench's own run knows its machine. */
static void add_roofs(struct roofline *line) {
  const struct pairs *environment = &line->page->data->environment;
  if (line->point_count != 0) environment = run_data_environment(line->page->data, line->rows[0]);
  for (size_t i = 0; i < environment->count; i++)
    add_roof(line, &environment->items[i]);
  keep_used(line);
  merge_memory(line);
}

static double intensity_of(const struct record *row) {
  if (row->intensity > 0) return row->intensity;
  return row->flops > 0 && row->bytes > 0 ? (double)row->flops / (double)row->bytes : (double)NAN;
}

static char *tip_of(const struct roofline *line, const struct run_case *point, const struct record *row) {
  char text[MSG_SIZE];
  const struct number share = number_percent(row->roof_share);
  snprintf(text, sizeof text, "%.200s, %.200s: %s TFLOP/s at %s FLOP/B%s%s%s", text_or_empty(row->variant),
           bench_case_label(line->bench, point, false).text, number_significant(row->tflops, 3).text,
           number_significant(intensity_of(row), 3).text, share.text[0] ? ", " : "", share.text,
           share.text[0] ? "% of the ceiling" : "");
  return xstrdup(text);
}

static bool is_point(const struct record *row) {
  return row_timed(row) && row->tflops > 0 && intensity_of(row) > 0;
}

bool html_roofline_has(const struct page *page, size_t index, const struct run_case *point) {
  const struct run_bench *bench = &page->benches[index].bench;
  for (size_t i = 0; i < bench->variant_count && !bench_is_latency(bench) && !bench->yardstick; i++)
    if (is_point(point->rows[i])) return true;
  return false;
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
      if (!is_point(row)) continue;
      line->rows[line->point_count] = row;
      line->cases[line->point_count] = &bench->cases[i];
      line->points[line->point_count++] =
          (struct svg_roof_point){intensity_of(row), row->tflops, v, bench->case_count > 1 ? i + 1 : 0,
                                  most > HTML_FIGURES_MAX ? NULL : tip_of(line, &bench->cases[i], row)};
    }
}

/* Does no row reach a TFLOP/s? */
static bool is_small(const struct roofline *line) {
  for (size_t i = 0; i < line->point_count; i++)
    if (line->rows[i]->tflops >= 1) return false;
  return true;
}

static void write_row(const struct roofline *line, size_t index) {
  const struct record *row = line->rows[index];
  FILE *out = line->page->out;
  html_row(out, bench_case_label(line->bench, line->cases[index], false).text);
  if (line->bench->case_count > 1) fprintf(out, "<td>%zu</td>", line->points[index].number);
  html_words(out, row->variant);
  html_number(out, intensity_of(row), 4);
  html_number(out, row->tflops * (is_small(line) ? 1e3 : 1), 4);
  html_number(out, row->gb_per_s, 4);
  html_cell(out, number_percent(row->roof_share).text);
  html_words(out, bound_words(line->page->data, row));
  fputs("</tr>\n", out);
}

static void write_figures(const struct roofline *line, const char *title) {
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
    write_row(line, i);
  html_figures_close(line->page->out);
}

static void draw(const struct roofline *line, size_t index) {
  char id[32], title[KEY_SIZE + 32];
  snprintf(id, sizeof id, "roofline-%zu", index);
  snprintf(title, sizeof title, "%s: roofline", html_bench_name(line->page, index).text);
  const struct svg_roofline chart = {
      .head = {id, title,
               "Each mark is a variant of a case: its rate against the operations it does per byte. The lines are what "
               "this machine sustained in this run: rising what memory allows, level what arithmetic allows."},
      .roofs = line->roofs,
      .roof_count = line->roof_count,
      .points = line->points,
      .point_count = line->point_count,
      .names = line->bench->variants,
      .name_count = line->bench->variant_count};
  fprintf(line->page->out, "<figure id=\"roofline-%zu\">\n<figcaption>Roofline</figcaption>\n", index);
  svg_roofline(line->page->out, &chart);
  if (line->bench->case_count > 1)
    fputs("<p class=\"minor\">A number is the case's, as in the figures; points say it on hover.</p>\n",
          line->page->out);
  if (line->roof_count == 0) fputs("<p class=\"minor\">No ceilings were measured in this run.</p>\n", line->page->out);
  write_figures(line, title);
  fputs("</figure>\n", line->page->out);
}

void html_roofline(const struct page *page, size_t index) {
  struct roofline line = {.page = page, .bench = &page->benches[index].bench};
  add_points(&line);
  add_roofs(&line);
  if (line.point_count != 0) draw(&line, index);
  for (size_t i = 0; i < line.point_count; i++)
    free(line.points[i].tip);
  free(line.points);
  free(line.rows);
  free(line.cases);
}
