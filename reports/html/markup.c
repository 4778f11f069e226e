/* Escaped text, tables and regions: what all parts of the page share. */
#include <stdarg.h>
#include <string.h>

#include "base/escape.h"
#include "html/page.h"

void html_text(FILE *out, const char *format, ...) {
  char text[MSG_SIZE * 4];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  escape_xml(out, text);
}

void html_bench_name(const struct page *page, size_t index, char *to, size_t size) {
  summary_bench_title(page->data, &page->summary, &page->summary.benches[index], to, size);
}

void html_scroll(FILE *out, const char *label) {
  fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
  escape_xml(out, label);
  fputs("\">\n", out);
}

void html_status(FILE *out, enum status status) {
  const char *glyph = status == STATUS_OK             ? "\xE2\x9C\x93"
                      : summary_status_failed(status) ? "\xE2\x9C\x97"
                                                      : "\xE2\x80\x93";
  const char *kind = status == STATUS_OK ? "good" : summary_status_failed(status) ? "bad" : "none";
  fprintf(out, "<span class=\"status %s\"><span aria-hidden=\"true\">%s</span> %s</span>", kind, glyph,
          summary_status_name(status));
}

void html_table_open(FILE *out, const char *kind, const char *caption, const char *const *heads, size_t count) {
  html_scroll(out, caption);
  fprintf(out, "<table class=\"%s\">\n<caption>", kind);
  escape_xml(out, caption);
  fputs("</caption>\n<thead><tr>", out);
  for (size_t i = 0; i < count; i++) {
    fputs("<th scope=\"col\">", out);
    escape_xml(out, heads[i]);
    fputs("</th>", out);
  }
  fputs("</tr></thead>\n<tbody>\n", out);
}

void html_table_close(FILE *out) {
  fputs("</tbody>\n</table>\n</div>\n", out);
}

void html_cell(FILE *out, const char *text) {
  fputs("<td>", out);
  escape_xml(out, text);
  fputs("</td>", out);
}

void html_words(FILE *out, const char *text) {
  fputs("<td class=\"t\">", out);
  escape_xml(out, text);
  fputs("</td>", out);
}

void html_figures_open(FILE *out, const char *caption, const char *const *heads, size_t count) {
  fputs("<details class=\"figure\"><summary>Figures</summary>\n", out);
  html_table_open(out, "plain", caption, heads, count);
}

void html_figures_close(FILE *out) {
  html_table_close(out);
  fputs("</details>\n", out);
}

void html_figures_elsewhere(FILE *out) {
  fputs("<p class=\"minor\">The figures are among <a href=\"#results\">all results</a>.</p>\n", out);
}

bool html_any_timed(const struct run_bench *bench) {
  for (size_t i = 0; i < bench->case_count; i++)
    for (size_t j = 0; j < bench->variant_count; j++)
      if (summary_timed(bench->cases[i].rows[j])) return true;
  return false;
}
