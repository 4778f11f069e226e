/* What stands in the cells of a matrix: figures, reasons, marks. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/number.h"
#include "html/page.h"
#include "summary/baseline.h"
#include "summary/mark_reasons.h"
#include "summary/verdict.h"

enum { REASON_MOST = 160 };

enum matrix html_first_matrix(const struct run_bench *bench) {
  if (bench->baseline != NULL && bench->variant_count > 1) return MATRIX_SPEEDUP;
  return bench->yardstick && bench->rate != RATE_NONE ? MATRIX_RATE : MATRIX_TIME;
}

void html_word(FILE *out, const char *word) {
  struct verdict_look look = verdict_look(word, true);
  if (look.word[0] == '\0') return;
  if (look.glyph[0] == '\0') {
    html_put(out, " <span class=\"soft\">", look.word, "</span>");
    return;
  }
  fprintf(out, " <span class=\"%s\"><span aria-hidden=\"true\">%s</span>%s</span>", look.word, look.glyph, look.word);
}

/* Parts of a cell's second line are set apart by a dot; the caption says what they are. Only between them a narrow
 * column may break the line. */
void html_parts(FILE *out, const char *first, const char *share) {
  fprintf(out, "<span class=\"minor\"><span class=\"line\">%s</span>", first);
  if (share[0] != '\0') fprintf(out, " <span class=\"line\">\xC2\xB7 %s%%</span>", share);
  fputs("</span>", out);
}

static void write_reason_text(FILE *out, const char *kind, const char *message) {
  if (message == NULL) return;
  fprintf(out, "<br><span class=\"%s\">", kind);
  html_text(out, "%.*s%s", REASON_MOST, message, strlen(message) > REASON_MOST ? "..." : "");
  fputs("</span>", out);
}

static void write_told(const struct mark_scope *scope, unsigned marks, FILE *out, const char *before,
                       const char *behind) {
  char text[MSG_SIZE];
  marks_tell(scope, marks, text, sizeof text);
  if (text[0] != '\0') html_put(out, before, text, behind);
}

void html_shared_marks(const struct page *page, size_t bench) {
  const struct mark_scope scope = {page->data, &page->benches[bench].bench, NULL, NULL};
  write_told(&scope, page->benches[bench].marks, page->out, "<p class=\"minor mark\">In every row: ", "</p>\n");
}

/* One row's own stand in its cell. */
static unsigned case_marks(const struct mark_scope *scope) {
  return marks_rows(scope) > 1 ? marks_shared(scope) : 0;
}

void html_case_marks(const struct page *page, size_t bench, const struct run_case *point) {
  const struct mark_scope scope = {page->data, &page->benches[bench].bench, point, NULL};
  write_told(&scope, case_marks(&scope) & ~page->benches[bench].marks, page->out, "<br><span class=\"minor mark\">",
             "</span>");
}

/* What all rows of the bench or of the case have is said once, above. */
static void write_marks(const struct page *page, size_t bench, const struct run_case *point, const struct record *row) {
  const struct mark_scope whole = {page->data, &page->benches[bench].bench, point, NULL};
  const struct mark_scope own = {page->data, &page->benches[bench].bench, point, row};
  const unsigned marks = marks_of(page->data, point, row);
  write_told(&own, marks & ~page->benches[bench].marks & ~case_marks(&whole), page->out,
             "<br><span class=\"minor mark\">", "</span>");
  if (!marks_cover_message(marks)) write_reason_text(page->out, "minor mark reason", row->message);
}

static void write_star(FILE *out) {
  fputs("\xC2\xA0<span class=\"star\" role=\"img\" aria-label=\"fastest\">\xE2\x98\x85</span>", out);
}

static void write_left(FILE *out, const char *left) {
  if (left[0] != '\0')
    html_put(out, "<br><span class=\"minor\">less the floor <span class=\"line\">", left, "</span></span>");
}

static void write_speedup(FILE *out, const struct run_bench *bench, const struct run_case *point,
                          const struct record *row) {
  char left[200];
  bool base = baseline_is(point, row), ratio = !base && !isnan(row->speedup);
  const struct number interval = number_interval(row->speedup_lo, row->speedup_hi, row->speedup);
  const struct number share = number_percent(bench->rate != RATE_NONE ? row->roof_share : (double)NAN);
  const struct number main = ratio ? number_ratio(row->speedup, row->speedup) : number_time(row->median_raw_ns);
  fprintf(out, "<span class=\"line\"><span class=\"main\">%s%s</span>", main.text, ratio ? "x" : "");
  if (ratio) html_word(out, row_verdict(row));
  if (row == point->winner) write_star(out);
  fputs("</span><br>", out);
  html_parts(out, ratio ? interval.text : base ? "1x" : row_is_yardstick(row) ? "yardstick" : "no ratio", share.text);
  if (!bench_case_floored(bench, point)) return;
  if (ratio)
    row_left_ratio_text(row, left, sizeof left);
  else
    row_left_text(row, "\xC2\xB1", left, sizeof left);
  write_left(out, left);
}

static void write_figure(const struct page *page, size_t index, enum matrix kind, const struct run_case *point,
                         const struct record *row) {
  char left[136];
  struct number text;
  const struct number half = number_plus_minus("\xC2\xB1", row->median_raw_ns, row->ci95_lo_ns, row->ci95_hi_ns);
  if (kind == MATRIX_TIME)
    text = number_significant(row->median_raw_ns / page->benches[index].unit.ns, 4);
  else if (kind == MATRIX_RATE)
    text = number_significant(row_rate(page->benches[index].bench.rate, row) * page->benches[index].rate.per, 3);
  else
    text = number_percent(row->roof_share);
  fprintf(page->out, "%s%s", text.text[0] ? text.text : "not known", kind == MATRIX_SHARE && text.text[0] ? "%" : "");
  if (kind == MATRIX_TIME && half.text[0] != '\0') {
    html_between(page->out, "\xC2\xA0<span class=\"minor\">", "</span>", "%s", half.text);
  }
  if (row == point->winner) write_star(page->out);
  if (kind != MATRIX_TIME || !bench_case_floored(&page->benches[index].bench, point)) return;
  row_left_text(row, "\xC2\xB1", left, sizeof left);
  write_left(page->out, left);
}

static void write_status(const struct page *page, size_t bench, const struct record *row) {
  FILE *out = page->out;
  enum row_status status = row_status_of(row);
  if (status == ROW_OK) {
    fprintf(out, "<span class=\"minor\">%s, not timed</span>", row_is_yardstick(row) ? "yardstick" : "correct");
    return;
  }
  html_status(out, status);
  if (!html_reason(page, bench, row)) write_reason_text(out, "minor reason", row->message);
}

static void write_content(const struct page *page, size_t index, enum matrix kind, const struct run_case *point,
                          const struct record *row) {
  const struct run_bench *bench = &page->benches[index].bench;
  if (!row_timed(row))
    write_status(page, index, row);
  else if (kind == MATRIX_SPEEDUP)
    write_speedup(page->out, bench, point, row);
  else
    write_figure(page, index, kind, point, row);
  if (row_timed(row) && kind == html_first_matrix(bench)) write_marks(page, index, point, row);
  if (kind == html_first_matrix(bench)) html_against_cell(page, row);
}

void html_matrix_rare(const struct page *page, size_t index, enum matrix kind, const struct run_case *point) {
  const struct page_bench *of = &page->benches[index];
  FILE *out = page->out;
  if (of->rare_count == 0) return;
  fputs("<td data-label=\"others\">", out);
  for (size_t i = 0; i < of->bench.variant_count; i++) {
    const struct record *row = point->rows[i];
    if (!of->rare[i] || row == NULL || row_status_of(row) == ROW_SKIPPED) continue;
    html_put(out, row == point->winner ? "<div class=\"winner\"><b>" : "<div><b>", row->variant, "</b> ");
    write_content(page, index, kind, point, row);
    fputs("</div>", out);
  }
  fputs("</td>", out);
}

void html_matrix_cell(const struct page *page, size_t index, enum matrix kind, const struct run_case *point,
                      const struct record *row) {
  FILE *out = page->out;
  if (row == NULL) {
    fputs("<td><span class=\"minor\">not in the plan</span></td>", out);
    return;
  }
  fputs(row == point->winner ? "<td class=\"winner\" data-label=\"" : "<td data-label=\"", out);
  escape_xml(out, row->variant);
  /* data-v: what the script sorts by where the text says another thing */
  fputs(kind == MATRIX_SPEEDUP && baseline_is(point, row) ? "\" data-v=\"1\">" : "\">", out);
  write_content(page, index, kind, point, row);
  fputs("</td>", out);
}
