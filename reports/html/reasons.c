/* Why rows have no time. What several cells of a bench would say at length stands once, below the first of its
 * matrices, and has a number. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "html/page.h"

enum { REASONS_SHOWN = 6 };
enum { SHORT_MOST = 24 }; /* a reason that is no longer than a number and a way to it */

static bool is_long(const struct record *row) {
  return row_status_of(row) != ROW_OK && strlen(text_or_empty(row->message)) > SHORT_MOST;
}

static size_t place_of(const struct page_bench *of, const char *message) {
  size_t place = 0;
  while (place < of->reason_count && strcmp(of->reasons[place].text, message) != 0)
    place++;
  return place;
}

void html_reasons_find(struct page_bench *of) {
  size_t shared = 0;
  for (struct bench_walk at = {.bench = &of->bench}; bench_walk(&at);) {
    if (of->rare[at.variant] || !is_long(at.row)) continue;
    const size_t place = place_of(of, at.row->message);
    if (place == of->reason_count) {
      of->reasons = xrealloc(of->reasons, place + 1, sizeof *of->reasons);
      of->reasons[of->reason_count++] = (struct page_reason){at.row->message, 0};
    }
    of->reasons[place].cells++;
  }
  for (size_t i = 0; i < of->reason_count; i++)
    if (of->reasons[i].cells > 1) of->reasons[shared++] = of->reasons[i];
  of->reason_count = shared;
}

bool html_reason(const struct page *page, size_t bench, const struct record *row) {
  const struct page_bench *of = &page->benches[bench];
  const size_t place = is_long(row) ? place_of(of, row->message) : of->reason_count;
  if (place == of->reason_count) return false;
  fprintf(page->out, " <a class=\"minor\" href=\"#reason-%zu-%zu\">reason %zu</a>", bench, place + 1, place + 1);
  return true;
}

void html_reasons(const struct page *page, size_t bench) {
  const struct page_bench *of = &page->benches[bench];
  if (of->reason_count == 0) return;
  fputs("<ol class=\"reasons fold\" aria-label=\"Reasons\">\n", page->out);
  for (size_t i = 0; i < of->reason_count; i++) {
    fprintf(page->out, "<li id=\"reason-%zu-%zu\">", bench, i + 1);
    html_text(page->out, "%s", of->reasons[i].text);
    fputs("</li>\n", page->out);
  }
  fputs("</ol>\n", page->out);
}

/* The reasons of a variant, each once. */
static void write_why(const struct page_bench *of, size_t variant, FILE *out) {
  struct strings why = {0};
  for (size_t i = 0; i < of->bench.case_count; i++) {
    const struct record *row = of->bench.cases[i].rows[variant];
    bool known = row == NULL || row_status_of(row) != ROW_SKIPPED || row->message == NULL;
    for (size_t j = 0; j < why.count && !known; j++)
      known = strcmp(why.items[j], row->message) == 0;
    if (!known) strings_add(&why, row->message);
  }
  for (size_t i = 0; i < why.count && i < REASONS_SHOWN; i++)
    html_text(out, "%s%s", i == 0 ? ": " : "; ", why.items[i]);
  if (why.count > REASONS_SHOWN) fprintf(out, "; and %zu more reasons", why.count - REASONS_SHOWN);
  strings_free(&why);
}

void html_rare(const struct page *page, size_t bench) {
  const struct page_bench *of = &page->benches[bench];
  FILE *out = page->out;
  if (of->rare_count == 0) return;
  fprintf(out, "<details class=\"fold\"><summary>%zu variants skipped most cases</summary>\n<ul>\n", of->rare_count);
  for (size_t i = 0; i < of->bench.variant_count; i++) {
    size_t skipped = 0;
    for (size_t j = 0; j < of->bench.case_count; j++)
      skipped += of->bench.cases[j].rows[i] != NULL && row_status_of(of->bench.cases[j].rows[i]) == ROW_SKIPPED;
    if (!of->rare[i]) continue;
    html_put(out, "<li><b>", of->bench.variants[i], "</b> ");
    fprintf(out, "%zu of %zu", skipped, of->bench.case_count);
    write_why(of, i, out);
    fputs("</li>\n", out);
  }
  fputs("</ul>\n</details>\n", out);
}
