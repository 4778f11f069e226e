/* Metrics: the figures beside the time that variants stated, a table for each bench. */
#include <math.h>
#include <string.h>

#include "html/page.h"
#include "summary/metrics.h"

enum { COLUMNS_MAX = 64, OPEN_MAX = 24 /* rows: more are folded */ };

struct columns {
  const struct metric_desc *items[COLUMNS_MAX];
  size_t count, rows;
};

static bool is_there(const struct columns *columns, const struct metric_desc *desc) {
  for (size_t i = 0; i < columns->count; i++)
    if (strcmp(columns->items[i]->name, desc->name) == 0 && strcmp(columns->items[i]->unit, desc->unit) == 0)
      return true;
  return false;
}

static void collect(const struct page *page, const struct run_bench *bench, struct columns *columns) {
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    struct metrics_figure figure;
    size_t before = columns->rows;
    for (size_t next = 0; metrics_next(page->data, at.row, &next, &figure);) {
      columns->rows = before + 1;
      if (columns->count < COLUMNS_MAX && !is_there(columns, figure.desc))
        columns->items[columns->count++] = figure.desc;
    }
  }
}

static void write_head(FILE *out, const struct metric_desc *desc) {
  static const char *const ways[] = {"", "higher is better", "lower is better"};
  fputs("<th scope=\"col\">", out);
  html_text(out, "%s", desc->name);
  if (metrics_unit(desc)[0] != '\0') html_text(out, ", %s", metrics_unit(desc));
  html_between(out, "<br><span class=\"minor\">", "</span></th>", "%s%s%s", metric_aggregate_name(desc->aggregate),
               desc->better != BETTER_NEITHER ? ", " : "", desc->better < BETTER_COUNT ? ways[desc->better] : "");
}

static void write_spread(FILE *out, const struct metrics_figure *figure) {
  const struct number lo = number_significant(figure->epochs > 1 ? figure->lo : figure->sd, 3);
  if (figure->epochs > 1)
    fprintf(out, " <span class=\"minor\">[%s, %s]</span>", lo.text, number_significant(figure->hi, 3).text);
  else if (figure->n > 1)
    fprintf(out, " <span class=\"minor\">std dev %s</span>", lo.text);
}

static void write_cell(const struct page *page, const struct record *row, const struct metric_desc *desc) {
  struct metrics_figure figure;
  fputs("<td>", page->out);
  if (metrics_find(page->data, row, desc->name, &figure) && strcmp(figure.desc->unit, desc->unit) == 0) {
    fputs(number_significant(figure.value, 4).text, page->out);
    write_spread(page->out, &figure);
  }
  fputs("</td>", page->out);
}

static void write_row(const struct page *page, const struct run_bench *bench, const struct run_case *point,
                      const struct record *row, const struct columns *columns) {
  struct metrics_figure figure;
  size_t at = 0;
  if (!metrics_next(page->data, row, &at, &figure)) return;
  html_row(page->out, bench_case_label(bench, point, false).text);
  html_words(page->out, row->variant);
  for (size_t i = 0; i < columns->count; i++)
    write_cell(page, row, columns->items[i]);
  fputs("</tr>\n", page->out);
}

void html_metrics(const struct page *page, size_t index) {
  static const char caption[] =
      "What variants measured beside the time; std dev over iterations, or [range] "
      "over processes";
  const struct run_bench *bench = &page->benches[index].bench;
  struct columns columns = {.count = 0};
  FILE *out = page->out;
  if (page->data->extras.count > 0) collect(page, bench, &columns);
  if (columns.count == 0) return;
  bool folded = columns.rows > OPEN_MAX;
  if (folded) fputs("<details><summary>Metrics</summary>\n", out);
  html_table_begin(out, "plain metrics", caption, caption);
  html_head(out, "case");
  html_head(out, "variant");
  for (size_t i = 0; i < columns.count; i++)
    write_head(out, columns.items[i]);
  html_table_rows(out);
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    write_row(page, bench, at.point, at.row, &columns);
  html_table_close(out);
  if (folded) fputs("</details>\n", out);
}
