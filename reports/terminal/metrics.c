/* Metrics below a bench's table: a line or more for each row that has any. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/number.h"
#include "base/phrase.h"
#include "summary/metrics.h"
#include "terminal/lines.h"

struct line {
  FILE *out;
  size_t indent, used, width;
};

/* An item of the line, on a new one where it does not fit. */
static void put(struct line *line, const char *text, bool last) {
  size_t length = strlen(text) + !last;
  if (line->used > line->indent && line->used + 1 + length > line->width) {
    fprintf(line->out, "\n%*s", (int)line->indent, "");
    line->used = line->indent;
  }
  fprintf(line->out, "%s%s%s", line->used > line->indent ? " " : "", text, last ? "" : ",");
  line->used += length + (line->used > line->indent);
}

static void metric_text(const struct metrics_figure *figure, bool utf8, char *to, size_t size) {
  static const char *const arrows[] = {"", " \xE2\x86\x91", " \xE2\x86\x93"};
  const char *unit = metrics_unit(figure->desc);
  const struct number lo = number_significant(figure->epochs > 1 ? figure->lo : figure->sd, 3);
  snprintf(to, size, "%s %s", figure->desc->name, number_significant(figure->value, 4).text);
  if (figure->epochs > 1)
    phrase_add(to, size, " ", "[%s, %s]", lo.text, number_significant(figure->hi, 3).text);
  else if (figure->n > 1 && figure->sd > 0)
    phrase_add(to, size, " ", "(std dev %s)", lo.text);
  if (unit[0] != '\0') phrase_add(to, size, " ", "%s", unit);
  if (utf8 && figure->desc->better < BETTER_COUNT) phrase_add(to, size, "", "%s", arrows[figure->desc->better]);
}

static void print_row(const struct run_data *data, const struct run_bench *bench, const struct run_case *point,
                      const struct record *row, struct line *line, bool utf8) {
  struct metrics_figure figure, next;
  char text[TEXT_SIZE * 2], name[KEY_SIZE + TEXT_SIZE];
  size_t at = 0;
  if (!metrics_next(data, row, &at, &figure)) return;
  snprintf(name, sizeof name, "  %s%s%.200s:", bench->case_count > 1 ? bench_case_label(bench, point, false).text : "",
           bench->case_count > 1 ? " " : "", text_or_empty(row->variant));
  escape_terminal(name, utf8);
  fputs(name, line->out);
  line->used = strlen(name);
  for (bool more = true; more; figure = next) {
    more = metrics_next(data, row, &at, &next);
    metric_text(&figure, utf8, text, sizeof text);
    escape_terminal(text, utf8);
    put(line, text, !more);
  }
  fputc('\n', line->out);
}

void table_metrics(const struct run_data *data, const struct run_bench *bench, FILE *out, size_t width, bool utf8) {
  struct line line = {out, 6, 0, width};
  bool any = false;
  if (data->extras.count == 0) return;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    const struct extras_series *series = extras_of(data, at.row);
    if (series == NULL || series->metric_count == 0) continue;
    if (!any) fputs("metrics\n", out);
    any = true;
    print_row(data, bench, at.point, at.row, &line, utf8);
  }
  if (any) fputc('\n', out);
}
