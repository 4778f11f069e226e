/* Writes the percentiles of single calls, which are the main figures of the latency modes. */

#include "html/page.h"

static void write_latency_time(FILE *out, const struct number_unit *unit, double value, double lo, double hi) {
  const struct number text = number_significant(value / unit->ns, 4);
  const struct number interval = number_interval(lo / unit->ns, hi / unit->ns, value / unit->ns);
  fputs("<td>", out);
  fputs(text.text[0] != '\0' ? text.text : "<span class=\"minor\">too few samples</span>", out);
  if (text.text[0] != '\0' && interval.text[0] != '\0') fprintf(out, " <span class=\"minor\">%s</span>", interval.text);
  fputs("</td>", out);
}

static void write_latency_row(const struct page *page, const struct page_bench *of, const struct run_case *point,
                              const struct record *row) {
  FILE *out = page->out;
  html_row(out, bench_case_label(&of->bench, point, false).text);
  html_words(out, row->variant);
  write_latency_time(out, &of->unit, row->median_raw_ns, row->ci95_lo_ns, row->ci95_hi_ns);
  write_latency_time(out, &of->unit, row->p95_ns, row->p95_lo_ns, row->p95_hi_ns);
  write_latency_time(out, &of->unit, row->p99_ns, row->p99_lo_ns, row->p99_hi_ns);
  write_latency_time(out, &of->unit, row->p999_ns, row->p999_lo_ns, row->p999_hi_ns);
  html_number(out, row->mad_ns / of->unit.ns, 3);
  const struct number drift = number_significant(100 * row->drift, 2);
  fprintf(out, "<td>%s%s</td></tr>\n", drift.text, drift.text[0] != '\0' ? "%" : "");
}

void html_latency(const struct page *page, size_t index) {
  static const char *const heads[] = {"case", "variant", "P50", "P95", "P99", "P99.9", "jitter (MAD)", "drift"};
  const struct page_bench *of = &page->benches[index];
  char caption[128];
  if (!bench_is_latency(&of->bench) || bench_find(&of->bench, row_timed) == NULL) return;
  snprintf(caption, sizeof caption, "Latency of a call in %s, [95%% interval]", of->unit.name);
  html_table_open(page->out, "plain latency", caption, heads, sizeof heads / sizeof heads[0]);
  for (struct bench_walk at = {.bench = &of->bench}; bench_walk(&at);)
    if (row_timed(at.row)) write_latency_row(page, of, at.point, at.row);
  html_table_close(page->out);
}
