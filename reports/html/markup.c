/* Helpers for all parts of the page: escaped text, tables, regions, links of a case. */
#include "base/escape.h"
#include "base/text.h"
#include "html/page.h"
#include "options/device_list.h"
#include "summary/bench.h"

void html_put(FILE *out, const char *before, const char *text, const char *behind) {
  fputs(before, out);
  escape_xml(out, text);
  fputs(behind, out);
}

struct label html_bench_name(const struct page *page, size_t index) {
  return title_bench(page->data, &page->summary, &page->summary.benches[index]);
}

bool html_mode_is_new(const struct page *page, size_t index) {
  for (size_t i = 0; i < index; i++)
    if (text_same(page->summary.benches[i].mode, page->summary.benches[index].mode)) return false;
  return true;
}

void html_part_open(FILE *out, const char *id, const char *title) {
  fprintf(out,
          "<section aria-labelledby=\"%s-title\">\n<details class=\"part\">\n<summary><h2 id=\"%s-title\">%s</h2>"
          "</summary>\n<div id=\"%s\">\n",
          id, id, title, id);
}

void html_part_close(FILE *out) {
  fputs("</div>\n</details>\n</section>\n", out);
}

void html_scroll(FILE *out, const char *label) {
  html_put(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", label, "\">\n");
}

void html_status(FILE *out, enum row_status status) {
  const char *glyph = status == ROW_OK ? "\xE2\x9C\x93" : row_status_failed(status) ? "\xE2\x9C\x97" : "\xE2\x80\x93";
  const char *kind = status == ROW_OK ? "good" : row_status_failed(status) ? "bad" : "none";
  fprintf(out, "<span class=\"status %s\"><span aria-hidden=\"true\">%s</span> %s</span>", kind, glyph,
          row_status_words(status));
}

void html_table_begin(FILE *out, const char *kind, const char *region, const char *caption) {
  html_scroll(out, region);
  xml_print(out, "<table class=\"%s\">\n<caption>%s</caption>\n<thead><tr>", kind, caption);
}

void html_head(FILE *out, const char *text) {
  html_put(out, "<th scope=\"col\">", text, "</th>");
}

void html_head_words(FILE *out, const char *text) {
  html_put(out, "<th scope=\"col\" class=\"t\">", text, "</th>");
}

void html_table_rows(FILE *out) {
  fputs("</tr></thead>\n<tbody>\n", out);
}

void html_table_open(FILE *out, const char *kind, const char *caption, const char *const *heads, size_t count) {
  html_table_begin(out, kind, caption, caption);
  for (size_t i = 0; i < count; i++)
    html_head(out, heads[i]);
  html_table_rows(out);
}

void html_table_close(FILE *out) {
  fputs("</tbody>\n</table>\n</div>\n", out);
}

void html_row(FILE *out, const char *name) {
  html_put(out, "<tr><th scope=\"row\">", name, "</th>");
}

void html_cell(FILE *out, const char *text) {
  html_put(out, "<td>", text, "</td>");
}

void html_number(FILE *out, double value, int digits) {
  html_cell(out, number_significant(value, digits).text);
}

void html_words(FILE *out, const char *text) {
  html_put(out, "<td class=\"t\">", text, "</td>");
}

void html_list(FILE *out, const struct strings *items) {
  if (items->count != 0) fputs("<ul>\n", out);
  for (size_t i = 0; i < items->count; i++)
    html_put(out, "<li>", items->items[i], "</li>\n");
  if (items->count != 0) fputs("</ul>\n", out);
}

void html_key(FILE *out, const char *case_key, const char *variant, const char *mode) {
  xml_print(out, "<li><code>%s</code> <b>%s</b> %s</li>\n", case_key, variant, mode);
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

/* ---- Links from a case to its other places on the page, and the command that repeats it ---- */

size_t html_case_number(const struct page *page, size_t index, const struct run_case *point) {
  return (size_t)(point - page->benches[index].bench.cases) + 1;
}

void html_command(FILE *out, const char *command) {
  html_put(out, "<code class=\"copy\">", command, "</code>");
}

void html_suite_command(const struct pairs *environment, char *to, size_t size) {
  text_copy(to, size, "gpubench --suite run.ini");
  if (text_same(pairs_get(environment, "quick"), "1")) phrase_add(to, size, " ", "--quick");
  if (pairs_get(environment, "isolated") != NULL) phrase_add(to, size, " ", "--isolate");
  const char *device = text_or_empty(pairs_get(environment, "device"));
  if (devices_are(device, DEVICE_HOST_PROCESSORS) && !devices_are(device, DEVICE_SCRIPTED))
    phrase_add(to, size, " ", "--device cpu");
}

/* Writes the command that repeats a case: from the run's run.ini if there is one, otherwise from the plugin. */
static void write_command(const struct page *page, const struct run_bench *bench, const struct run_case *point) {
  const struct run_data *data = page->data;
  const bool suite = bench->run < data->run_count && data->runs[bench->run].ini != NULL;
  struct bench_walk first = {.bench = bench};
  char command[KEY_SIZE * 5] = "gpubench";
  if (suite) html_suite_command(&data->runs[bench->run].environment, command, sizeof command);
  if (!suite && bench_walk(&first)) {
    text_copy(command, sizeof command, "gpubench --plugin ");
    text_shell_add(command, sizeof command, text_or_empty(first.row->plugin));
  }
  phrase_add(command, sizeof command, " ", "--case ");
  text_shell_add(command, sizeof command, point->key);
  fputs("<details class=\"again\"><summary>repeat</summary>", page->out);
  html_command(page->out, command);
  fputs("</details>", page->out);
}

enum matrix html_first_matrix(const struct run_bench *bench) {
  if (bench->baseline != NULL && bench->variant_count > 1) return MATRIX_SPEEDUP;
  return bench->yardstick && bench->rate != RATE_NONE ? MATRIX_RATE : MATRIX_TIME;
}

bool html_foreign_any(const struct page *page) {
  for (size_t i = 0; i < page->summary.bench_count; i++)
    if (page->benches[i].bench.foreign_count != 0) return true;
  return false;
}

bool html_roofline_point(const struct record *row) {
  return row_timed(row) && row->tflops > 0 && row_intensity(row) > 0;
}

static bool has_roofline(const struct page *page, size_t index, const struct run_case *point) {
  const struct run_bench *bench = &page->benches[index].bench;
  for (size_t i = 0; i < bench->variant_count && !bench_is_latency(bench) && !bench->yardstick; i++)
    if (html_roofline_point(point->rows[i])) return true;
  return false;
}

void html_case_links(const struct page *page, size_t index, const struct run_case *point) {
  const struct page_bench *of = &page->benches[index];
  const size_t number = html_case_number(page, index, point);
  FILE *out = page->out;
  const bool roofline = has_roofline(page, index, point), samples = of->sampled[number - 1];
  fputs("<div class=\"minor links\">", out);
  if (samples) fprintf(out, "<a href=\"#samples-%zu-%zu\">samples</a> ", index, number);
  if (roofline && of->bench.case_count > 1)
    fprintf(out, "<a href=\"#roofline-%zu\">roofline %zu</a> ", index, number);
  else if (roofline)
    fprintf(out, "<a href=\"#roofline-%zu\">roofline</a> ", index);
  write_command(page, &of->bench, point);
  fputs("</div>", out);
}
