/* Joules below a bench's table: a line for each row that has any, why there are none, and whether the counter can be
 * believed. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "summary/energy.h"
#include "terminal/lines.h"

static void add_figure(char *to, size_t size, double value, const char *unit) {
  size_t used = strlen(to);
  const struct number text = number_significant(value, 4);
  if (text.text[0] != '\0' && used < size)
    snprintf(to + used, size - used, "%s%s %s", used > 0 ? ", " : "", text.text, unit);
}

/* "1.302 J +-0.1%, net 1.142 J, 650 W, 0.98 TFLOP/J" */
static void figures_of(const struct record *row, char *to, size_t size) {
  to[0] = '\0';
  add_figure(to, size, row->energy_j, "J");
  const struct number unc = number_percent(row->energy_unc);
  size_t used = strlen(to);
  if (unc.text[0] != '\0' && used < size) snprintf(to + used, size - used, " +-%s%%", unc.text);
  add_figure(to, size, row->energy_net_j, "J net");
  add_figure(to, size, row->energy_power_w, "W");
  add_figure(to, size, row->tflop_per_j, "TFLOP/J");
  add_figure(to, size, row->gb_per_j, "GB/J");
  add_figure(to, size, row->j_per_item, "J per item");
}

static void print_row(const struct run_bench *bench, const struct run_case *point, size_t variant, FILE *out,
                      bool utf8) {
  const struct record *row = point->rows[variant];
  char text[TEXT_SIZE * 2], fault[TEXT_SIZE + 2];
  fputs("  ", out);
  if (bench->case_count > 1) table_text(out, GRID_PLAIN, false, utf8, bench_case_label(bench, point, false).text);
  if (bench->case_count > 1) fputc(' ', out);
  table_text(out, GRID_PLAIN, false, utf8, bench->variants[variant]);
  figures_of(row, text, sizeof text);
  snprintf(fault, sizeof fault, "%s%s", text[0] != '\0' && text_or_empty(row->energy_fault)[0] != '\0' ? "; " : "",
           text_or_empty(row->energy_fault));
  fprintf(out, ": %s", text);
  table_text(out, GRID_PLAIN, false, utf8, fault);
  fputc('\n', out);
}

/* Of a row that has no figures, why: the method says it, in all rows alike. */
static const char *why_none(const struct record *row) {
  return energy_asked(row) && !isfinite(row->energy_j) && text_or_empty(row->energy_fault)[0] == '\0'
             ? text_or_empty(row->energy_method)
             : NULL;
}

void table_energy(const struct run_data *data, const struct run_bench *bench, FILE *out, bool utf8) {
  const struct record *known = NULL;
  const char *why = NULL;
  size_t lines = 0;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    if (!energy_asked(at.row)) continue;
    if (why_none(at.row) != NULL) {
      why = why_none(at.row);
      continue;
    }
    if (lines++ == 0) fputs("energy\n", out);
    if (energy_known(at.row)) known = at.row;
    print_row(bench, at.point, at.variant, out, utf8);
  }
  if (why != NULL) {
    fputs(lines > 0 ? "  " : "energy ", out);
    table_text(out, GRID_PLAIN, false, utf8, why);
    fputc('\n', out);
  }
  if (known != NULL) {
    char text[TEXT_SIZE];
    const struct energy_verdict verdict = energy_verdict(data, known);
    energy_verdict_text(&verdict, text, sizeof text);
    fprintf(out, "  %s\n", text);
  }
  if (lines > 0 || why != NULL) fputc('\n', out);
}
