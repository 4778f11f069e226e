/* The page: its frame and the order of its parts. */
#include "reports/html.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "reports/escape.h"
#include "reports/html_parts.h"
#include "reports/style.h"

void html_text(FILE *out, const char *format, ...) {
  char text[MSG_SIZE * 4];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  escape_xml(out, text);
}

void html_bench_name(const struct page *page, size_t index, char *to, size_t size) {
  const struct run_bench *bench = &page->summary.benches[index];
  bool mode = false, devices = false;
  for (size_t i = 0; i < page->summary.bench_count; i++) {
    const struct run_bench *other = &page->summary.benches[i];
    if (strcmp(other->name, bench->name) != 0) continue;
    mode = mode || strcmp(other->mode, bench->mode) != 0;
    devices = devices || strcmp(other->devices, bench->devices) != 0;
  }
  snprintf(to, size, "%s%s%s%s%s", bench->name, mode ? ", " : "", mode ? bench->mode : "", devices ? ", " : "",
           devices ? bench->devices : "");
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

static const char *run_name(const struct run_data *data) {
  const char *name = run_data_get(data, "name");
  if (name == NULL || name[0] == '\0') name = run_data_get(data, "run_id");
  if (name == NULL && data->count != 0) name = data->records[0].run_id;
  return name != NULL ? name : "results";
}

/* The policy makes markup that slipped through harmless: nothing is loaded, nothing runs. */
static void write_head(const struct page *page) {
  fputs(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
      page->out);
  html_text(page->out, "%s - gpubench", run_name(page->data));
  fputs("</title>\n<style>\n", page->out);
  for (size_t i = 0; i < sizeof STYLE / sizeof STYLE[0]; i++)
    fputs(STYLE[i], page->out);
  fputs("</style>\n</head>\n<body>\n", page->out);
}

static void write_header(const struct page *page) {
  const char *started = run_data_get(page->data, "started_utc");
  fputs("<header>\n<p class=\"run\"><b>gpubench</b> ", page->out);
  html_text(page->out, "%s", run_name(page->data));
  if (started != NULL) {
    fputs(" <span class=\"soft\">", page->out);
    html_text(page->out, "%s", started);
    fputs("</span>", page->out);
  }
  fputs("</p>\n", page->out);
  html_verdict(page);
  fputs("</header>\n<main>\n", page->out);
  html_failures(page);
  html_conditions(page);
}

static void write_bench(const struct page *page, size_t index) {
  const struct run_bench *bench = &page->summary.benches[index];
  char name[KEY_SIZE], axes[KEY_SIZE];
  html_bench_name(page, index, name, sizeof name);
  summary_fixed_axes(bench, axes, sizeof axes);
  fprintf(page->out, "<section aria-labelledby=\"bench-%zu\">\n<h2 id=\"bench-%zu\">", index, index);
  html_text(page->out, "%s", name);
  fputs(" <span class=\"soft\">", page->out);
  html_text(page->out, "%s", axes);
  fputs("</span></h2>\n<div class=\"pair\">\n<div>\n", page->out);
  html_matrix(page, index, bench->baseline != NULL ? MATRIX_SPEEDUP : MATRIX_TIME);
  fputs("</div>\n", page->out);
  html_chart(page, index);
  fputs("</div>\n</section>\n", page->out);
}

static void write_figures(const struct page *page) {
  fputs("<section aria-labelledby=\"figures\">\n<h2 id=\"figures\">Time, throughput, share of the ceiling</h2>\n",
        page->out);
  for (size_t i = 0; i < page->summary.bench_count; i++) {
    const struct run_bench *bench = &page->summary.benches[i];
    char name[KEY_SIZE];
    if (bench->yardstick) break;
    html_bench_name(page, i, name, sizeof name);
    if (page->summary.bench_count > 1 && !page->summary.benches[1].yardstick) {
      fputs("<h3>", page->out);
      html_text(page->out, "%s", name);
      fputs("</h3>\n", page->out);
    }
    fputs("<div class=\"figures\">\n", page->out);
    if (bench->baseline != NULL) html_matrix(page, i, MATRIX_TIME); /* else it is above already */
    if (bench->rate != RATE_NONE) html_matrix(page, i, MATRIX_RATE);
    if (bench->rate != RATE_NONE) html_matrix(page, i, MATRIX_SHARE);
    fputs("</div>\n", page->out);
  }
  fputs("</section>\n", page->out);
}

static void write_yardsticks(const struct page *page) {
  size_t first = 0;
  while (first < page->summary.bench_count && !page->summary.benches[first].yardstick)
    first++;
  if (first == page->summary.bench_count) return;
  fputs(
      "<section aria-labelledby=\"yardsticks\">\n<h2 id=\"yardsticks\">Yardsticks</h2>\n<p>What this machine "
      "sustained in this run. The best of each kind is a ceiling.</p>\n<div class=\"figures\">\n",
      page->out);
  for (size_t i = first; i < page->summary.bench_count; i++) {
    const struct run_bench *bench = &page->summary.benches[i];
    fputs("<div>\n<h3>", page->out);
    html_text(page->out, "%s", bench->name);
    fputs("</h3>\n", page->out);
    html_matrix(page, i, bench->rate != RATE_NONE ? MATRIX_RATE : MATRIX_TIME);
    fputs("</div>\n", page->out);
  }
  fputs("</div>\n</section>\n", page->out);
}

static int write_page(const struct page *page, struct err *err) {
  write_head(page);
  write_header(page);
  for (size_t i = 0; i < page->summary.bench_count && !page->summary.benches[i].yardstick; i++)
    write_bench(page, i);
  html_trust(page);
  html_machine(page);
  write_figures(page);
  write_yardsticks(page);
  html_results(page);
  html_environment(page);
  html_method(page);
  int result = html_data(page, err);
  const char *version = run_data_get(page->data, "gpubench_version");
  fputs("</main>\n<footer><p class=\"soft\">gpubench ", page->out);
  html_text(page->out, "%s", summary_text(version));
  fputs("</p></footer>\n</body>\n</html>\n", page->out);
  return result;
}

int html_write(const struct run_data *data, FILE *out, struct err *err) {
  struct page page = {.out = out, .data = data};
  summary_build(data, &page.summary);
  int result = write_page(&page, err);
  summary_free(&page.summary);
  errno = 0;
  if (fflush(out) != 0 || ferror(out))
    return err_set(err, EXIT_FAILED, "cannot write the report: %s",
                   errno ? strerror(errno) : "an earlier write failed");
  return result;
}
