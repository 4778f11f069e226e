/* What marks and words mean: those that occur on the page. */
#include "html/page.h"
#include "summary/foreign.h"
#include "summary/marks.h"

struct seen {
  unsigned marks;
  bool statuses[ROW_STATUS_COUNT];
};

static void look_at_row(struct seen *seen, const struct page *page, const struct run_case *point,
                        const struct record *row) {
  seen->statuses[row_status_of(row)] = true;
  seen->marks |= marks_of(page->data, point, row);
}

static struct seen look(const struct page *page) {
  struct seen seen = {0};
  for (size_t i = 0; i < page->summary.bench_count; i++) {
    const struct run_bench *bench = &page->benches[i].bench;
    for (size_t j = 0; j < bench->case_count && !bench->yardstick; j++) {
      for (size_t k = 0; k < bench->variant_count; k++)
        if (bench->cases[j].rows[k] != NULL) look_at_row(&seen, page, &bench->cases[j], bench->cases[j].rows[k]);
      for (size_t k = 0; k < bench->foreign_count; k++) {
        const struct foreign_row *row = foreign_at(&bench->cases[j], k);
        if (row != NULL && foreign_is_mixed(&bench->cases[j], row)) seen.marks |= 1U << MARK_MATH;
      }
    }
  }
  return seen;
}

static const char *status_meaning(enum row_status status) {
  static const char *const meanings[ROW_STATUS_COUNT] = {
      [ROW_WRONG] = "the output is not what float64 says it should be. It has no time and no speedup.",
      [ROW_CRASHED] = "its process died; the others were measured again without it.",
      [ROW_TIMEOUT] = "a call did not come back in time.",
      [ROW_ERROR] = "it said itself that it failed.",
      [ROW_NOT_RUN] = "the run ended before its turn.",
      [ROW_SKIPPED] = "it cannot run here; its cell says why, or has the number of a reason below the table.",
      [ROW_UNKNOWN] = "a status that this version does not know.",
  };
  return meanings[status];
}

static void write_marks(const struct page *page, unsigned marks) {
  for (unsigned i = 0; i < MARK_COUNT; i++)
    if (marks >> i & 1)
      fprintf(page->out, "<div><dt><span class=\"mark\">%s</span></dt><dd>%s</dd></div>\n", mark_word(i),
              mark_meaning(i));
}

void html_legend(const struct page *page) {
  struct seen seen = look(page);
  bool any = seen.marks != 0;
  for (enum row_status i = 0; i < ROW_STATUS_COUNT; i++)
    any = any || (i != ROW_OK && seen.statuses[i]);
  any = any || html_foreign_any(page);
  if (!any) return;
  fputs("<section class=\"legend\" aria-labelledby=\"marks\">\n<h2 id=\"marks\">Marks</h2>\n", page->out);
  html_foreign_legend(page);
  fputs("<dl>\n", page->out);
  for (size_t i = 0; i < ROW_STATUS_COUNT; i++) {
    const enum row_status status = row_statuses[i];
    if (status == ROW_OK || !seen.statuses[status]) continue;
    fputs("<div><dt>", page->out);
    html_status(page->out, status);
    fprintf(page->out, "</dt><dd>%s</dd></div>\n", status_meaning(status));
  }
  write_marks(page, seen.marks);
  fputs("</dl>\n</section>\n", page->out);
}
