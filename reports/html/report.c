/* Writes the report: the frame of the page, and all its parts in order. */
#include "html/report.h"

#include <string.h>

#include "base/escape.h"
#include "base/output.h"
#include "html/page.h"
#include "summary/sentence.h"

/* A run that the user gave no name has the name of its first plugin. If `name` is that, writes the names of all
 * plugins, "activations, softmax", and returns true. Otherwise returns false. */
static bool plugin_names(const struct run_data *data, const char *name, char *to, size_t size) {
  SCOPED_STRINGS struct strings names = {0};
  for (size_t i = 0; i < data->count; i++) {
    const char *plugin = text_or_empty(data->records[i].plugin);
    if (!row_is_calibration(&data->records[i])) strings_add_once(&names, plugin);
  }
  const bool first = names.count != 0 && strcmp(names.items[0], name) == 0;
  if (first) text_join(to, size, (const char *const *)names.items, names.count);
  return first;
}

/* Writes the run's name, or the number of runs. */
static void page_name(const struct run_data *data, char *to, size_t size) {
  const char *name = text_or_empty(run_data_get(data, "name"));
  if (name[0] != '\0' && !plugin_names(data, name, to, size))
    text_copy(to, size, name);
  else if (name[0] == '\0' && data->run_count > 1)
    snprintf(to, size, "%zu runs", data->run_count);
  else if (name[0] == '\0')
    text_copy(to, size, run_data_run_name(data, 0).text);
}

static void begin_report_page(const struct page *page) {
  char name[TEXT_SIZE], title[MSG_SIZE * 3];
  page_name(page->data, name, sizeof name);
  html_title(page, name, title, sizeof title);
  html_page_head(page->out, page->assets, title);
}

static size_t shown_count(const struct page *page) {
  size_t count = 0;
  for (size_t i = 0; i < page->summary.bench_count; i++)
    count += html_bench_shown(page, i);
  return count;
}

static void write_report_header(const struct page *page) {
  char name[TEXT_SIZE];
  const char *started = run_data_get(page->data, "started_utc");
  page_name(page->data, name, sizeof name);
  xml_print(page->out, "<header>\n<p class=\"run\"><b>gpubench</b> %s", name);
  if (started != NULL) html_put(page->out, " <span class=\"soft\">", started, "</span>");
  fputs("</p>\n", page->out);
  html_verdict(page);
  fputs("</header>\n<main>\n", page->out);
  html_failures(page);
  html_conditions(page);
  html_devices(page);
  html_against_first(page);
  if (shown_count(page) > 1) html_benches(page);
}

static void write_bench_section(const struct page *page, size_t index) {
  enum { BESIDE_MAX = 3 }; /* if there are at most this many variants, the chart is placed next to the bench's table */
  const struct run_bench *bench = &page->benches[index].bench;
  char axes[KEY_SIZE];
  bench_fixed_axes(bench, axes, sizeof axes);
  xml_print(page->out, "<section aria-labelledby=\"bench-%zu\">\n<h2 id=\"bench-%zu\">%s <span class=\"soft\">%s",
            index, index, html_bench_name(page, index).text, axes);
  fprintf(page->out, "</span></h2>\n<div class=\"pair%s\">\n<div>\n",
          bench->variant_count + bench->foreign_count > BESIDE_MAX ? " tall" : "");
  html_shared_marks(page, index);
  html_matrix(page, index, html_first_matrix(bench));
  html_reasons(page, index);
  html_rare(page, index);
  html_fold_note(page, index);
  char text[TEXT_SIZE];
  words_sentence(&page->summary.benches[index], text, sizeof text);
  if (text[0] != '\0') html_put(page->out, "<p class=\"minor\">", text, ".</p>\n");
  fputs("</div>\n<div>\n", page->out);
  html_chart_rate(page, index);
  fputs("</div>\n</div>\n", page->out);
  html_latency(page, index);
  html_metrics(page, index);
  fputs("</section>\n", page->out);
}

/* Writes the bench's name as a heading in a section that treats one bench after another; nothing if the page has only
 * one bench. */
static void write_subheading(const struct page *page, size_t index) {
  if (shown_count(page) < 2) return;
  html_put(page->out, "<h3>", html_bench_name(page, index).text, "</h3>\n");
}

static void write_matrices(const struct page *page, size_t index) {
  const struct run_bench *bench = &page->benches[index].bench;
  /* writes nothing if the only matrix is that of times, because the bench's section begins with it */
  if (html_first_matrix(bench) == MATRIX_TIME && bench->rate == RATE_NONE) return;
  write_subheading(page, index);
  fputs("<div class=\"figures\">\n", page->out);
  if (html_first_matrix(bench) != MATRIX_TIME) html_matrix(page, index, MATRIX_TIME);
  if (bench->rate != RATE_NONE) html_matrix(page, index, MATRIX_RATE);
  if (page->benches[index].ceilings) html_matrix(page, index, MATRIX_SHARE);
  fputs("</div>\n", page->out);
}

static void write_charts(const struct page *page, size_t index) {
  const struct run_bench *bench = &page->benches[index].bench;
  if (bench_find(bench, row_timed) == NULL) return;
  write_subheading(page, index);
  fputs("<div class=\"charts\">\n", page->out);
  html_chart_time(page, index);
  if (!bench_is_latency(bench)) html_roofline(page, index);
  html_energy(page, index);
  html_chart_memory(page, index);
  fputs("</div>\n", page->out);
}

static void write_details(const struct page *page, size_t index) {
  write_subheading(page, index);
  html_fold_note(page, index);
  html_detail(page, index);
  html_foreign_table(page, index);
  html_against_table(page, index);
}

static void write_each(const struct page *page, void (*write)(const struct page *page, size_t index)) {
  if (page->data->count == 0) fputs("<p>There are no rows.</p>\n", page->out);
  for (size_t i = 0; i < page->summary.bench_count; i++)
    if (html_bench_shown(page, i)) write(page, i);
}

static void write_benches_part(const struct page *page, const char *id, const char *title,
                               void (*write)(const struct page *page, size_t index)) {
  html_part_open(page->out, id, title);
  write_each(page, write);
  html_part_close(page->out);
}

/* Writes the charts. They are folded if there are several benches. */
static void write_all_charts(const struct page *page) {
  static const char title[] = "Time, roofline, memory";
  if (shown_count(page) > 1) {
    write_benches_part(page, "charts", title, write_charts);
    return;
  }
  fprintf(page->out, "<section aria-labelledby=\"charts\">\n<h2 id=\"charts\">%s</h2>\n", title);
  write_each(page, write_charts);
  fputs("</section>\n", page->out);
}

static void write_yardsticks(const struct page *page) {
  if (!page->summary.has_yardsticks) return;
  html_part_open(page->out, "yardsticks", "Yardsticks");
  fputs("<p>What this machine sustained in this run. The best of each kind is a ceiling.</p>\n", page->out);
  const char *text = pairs_get(&page->data->environment, "yardsticks");
  const bool none = text != NULL && strncmp(text, "none: ", 6) == 0;
  if (text != NULL) html_put(page->out, none ? "<p>Ceilings: " : "<p>The ceilings are ", text, ".</p>\n");
  fputs("<div class=\"figures\">\n", page->out);
  for (size_t i = 0; i < page->summary.bench_count; i++) {
    const struct run_bench *bench = &page->benches[i].bench;
    if (!bench->yardstick || bench->case_count == 0) continue;
    html_put(page->out, "<div>\n<h3>", html_bench_name(page, i).text, "</h3>\n");
    html_matrix(page, i, bench->rate != RATE_NONE ? MATRIX_RATE : MATRIX_TIME);
    html_reasons(page, i);
    fputs("</div>\n", page->out);
  }
  fputs("</div>\n", page->out);
  html_part_close(page->out);
}

static void write_hidden_benches(const struct page *page) {
  size_t hidden = 0;
  for (size_t i = 0; i < page->summary.bench_count; i++)
    hidden += page->benches[i].bench.case_count == 0;
  if (hidden != 0)
    fprintf(page->out, "<p class=\"fold\">%zu more benches have no room here; all rows are in results.csv.</p>\n",
            hidden);
}

static int write_page(const struct page *page, struct err *err) {
  begin_report_page(page);
  write_report_header(page);
  for (size_t i = 0; i < page->summary.bench_count; i++)
    if (html_bench_shown(page, i)) write_bench_section(page, i);
  write_hidden_benches(page);
  html_trust(page);
  html_machine(page);
  html_legend(page);
  write_benches_part(page, "figures", "Time, throughput, share of the ceiling", write_matrices);
  write_all_charts(page);
  html_diagrams(page);
  html_spans(page);
  html_samples(page);
  write_benches_part(page, "results", "All results", write_details);
  html_against(page);
  write_yardsticks(page);
  html_environment(page);
  html_method(page);
  int result = html_data(page, err);
  const char *version = run_data_get(page->data, "gpubench_version");
  html_put(page->out, "</main>\n<footer><p class=\"soft\">gpubench ", text_or_empty(version), "</p></footer>\n");
  html_script(page->out, page->assets);
  fputs("</body>\n</html>\n", page->out);
  return result;
}

static int write_assets(const struct run_data *data, enum html_assets assets, FILE *out, struct err *err) {
  struct page page = {.out = out, .data = data, .assets = assets};
  summary_build(data, &page.summary);
  html_fold(&page);
  int result = write_page(&page, err);
  html_fold_free(&page);
  summary_free(&page.summary);
  return output_end(out, "the report", err) != 0 ? -1 : result;
}

int html_write(const struct run_data *data, FILE *out, struct err *err) {
  return write_assets(data, HTML_INLINE, out, err);
}

int html_write_split(const struct run_data *data, FILE *out, struct err *err) {
  return write_assets(data, HTML_SPLIT, out, err);
}
