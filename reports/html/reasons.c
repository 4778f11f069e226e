/* Why rows have no time. What several cells of a bench would say at length stands once, below the first of its
 * matrices, and has a number. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "html/page.h"

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
    if (!is_long(at.row)) continue;
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
