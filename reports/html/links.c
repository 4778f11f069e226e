/* From a case to what else the page has of it, and how to run it alone. */
#include "base/phrase.h"
#include "html/page.h"
#include "options/device_list.h"

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

/* In the run directory as a suite, where there is one; else of its plugin. */
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

void html_case_links(const struct page *page, size_t index, const struct run_case *point) {
  const struct page_bench *of = &page->benches[index];
  const size_t number = html_case_number(page, index, point);
  FILE *out = page->out;
  const bool roofline = html_roofline_has(page, index, point), samples = of->sampled[number - 1];
  fputs("<div class=\"minor links\">", out);
  if (samples) fprintf(out, "<a href=\"#samples-%zu-%zu\">samples</a> ", index, number);
  if (roofline && of->bench.case_count > 1)
    fprintf(out, "<a href=\"#roofline-%zu\">roofline %zu</a> ", index, number);
  else if (roofline)
    fprintf(out, "<a href=\"#roofline-%zu\">roofline</a> ", index);
  write_command(page, &of->bench, point);
  fputs("</div>", out);
}
