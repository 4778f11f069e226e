/* Writes results of other programs: columns of the matrices, and a table of everything known about them. They have
 * figures and ratios, but no verdict and no mean, and are never marked as the fastest. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/number.h"
#include "html/page.h"
#include "summary/foreign.h"

void html_foreign_heads(const struct page *page, size_t bench) {
  const struct run_bench *of = &page->benches[bench].bench;
  for (size_t i = 0; i < of->foreign_count; i++)
    xml_print(page->out,
              "<th scope=\"col\" class=\"foreign\">%s <span class=\"minor\">timed by %s, not interleaved</span></th>",
              of->foreign[i].variant, of->foreign[i].source);
}

/* Writes the ratio to the baseline and the time below it; without a baseline only the time. */
static void write_foreign_ratio(FILE *out, const struct run_case *point, const struct foreign_row *row) {
  const double ratio = foreign_ratio(point, row);
  const struct number time = number_time(row->median_ns);
  struct number text = number_ratio(ratio, ratio);
  if (text.text[0] != '\0') snprintf(text.text + strlen(text.text), sizeof text.text - strlen(text.text), "x");
  fprintf(out, "<span class=\"line\"><span class=\"main\">%s</span></span><br><span class=\"minor line\">%s</span>",
          text.text[0] != '\0' ? text.text : time.text, text.text[0] != '\0' ? time.text : "no ratio");
}

static void write_foreign_time(const struct page *page, size_t bench, const struct foreign_row *row) {
  const struct number half = number_plus_minus("\xC2\xB1", row->median_ns, row->lo_ns, row->hi_ns);
  fputs(number_significant(row->median_ns / page->benches[bench].unit.ns, 4).text, page->out);
  if (half.text[0] != '\0') xml_print(page->out, " <span class=\"minor\">%s</span>", half.text);
}

static void write_foreign_rate(const struct page *page, size_t bench, const struct run_case *point,
                               const struct foreign_row *row) {
  const struct run_bench *of = &page->benches[bench].bench;
  const struct number text =
      number_significant(foreign_rate(of->rate, of, point, row) * page->benches[bench].rate.per, 3);
  fputs(text.text[0] != '\0' ? text.text : "not known", page->out);
}

/* Opens a cell. Its attribute data-label is the column's name, which is shown in the cell on narrow screens, where
 * tables have no columns. */
static void open_foreign_cell(const struct page *page, size_t bench, size_t column) {
  char name[2 * FOREIGN_TEXT_MAX + 8];
  foreign_name(&page->benches[bench].bench, column, name, sizeof name);
  xml_print(page->out, "<td data-label=\"%s, not interleaved\">", name);
}

static void write_foreign_cell(const struct page *page, size_t bench, enum matrix kind, const struct run_case *point,
                               size_t column) {
  const struct foreign_row *row = foreign_at(point, column);
  FILE *out = page->out;
  open_foreign_cell(page, bench, column);
  if (row == NULL)
    fputs("<span class=\"minor\">no row</span>", out);
  else if (kind == MATRIX_SPEEDUP)
    write_foreign_ratio(out, point, row);
  else if (kind == MATRIX_TIME)
    write_foreign_time(page, bench, row);
  else if (kind == MATRIX_RATE)
    write_foreign_rate(page, bench, point, row);
  if (row != NULL && kind == html_first_matrix(&page->benches[bench].bench) && foreign_is_mixed(point, row))
    fputs("<br><span class=\"minor mark\">mixed math</span>", out);
  fputs("</td>", out);
}

void html_foreign_cells(const struct page *page, size_t bench, enum matrix kind, const struct run_case *point) {
  for (size_t i = 0; i < page->benches[bench].bench.foreign_count; i++)
    write_foreign_cell(page, bench, kind, point, i);
}

void html_foreign_means(const struct page *page, size_t bench) {
  for (size_t i = 0; i < page->benches[bench].bench.foreign_count; i++) {
    open_foreign_cell(page, bench, i);
    fputs("<span class=\"minor\">not in the mean</span></td>", page->out);
  }
}

/* ---- The table of everything known ---- */

static void write_interval(FILE *out, const struct number_unit *unit, const struct foreign_row *row) {
  fprintf(out, "<td>%s", number_significant(row->median_ns / unit->ns, 4).text);
  if (!isnan(row->lo_ns))
    fprintf(out, " [%s, %s]", number_significant(row->lo_ns / unit->ns, 4).text,
            number_significant(row->hi_ns / unit->ns, 4).text);
  fputs("</td>", out);
}

static void write_foreign_row(const struct page *page, size_t bench, const struct run_case *point,
                              const struct foreign_row *row) {
  const struct run_bench *of = &page->benches[bench].bench;
  FILE *out = page->out;
  char samples[32] = "";
  html_row(out, bench_case_label(of, point, false).text);
  html_words(out, row->variant);
  html_words(out, row->source);
  html_words(out, row->math);
  write_interval(out, &page->benches[bench].unit, row);
  if (row->samples > 0) snprintf(samples, sizeof samples, "%lld", (long long)row->samples);
  html_cell(out, samples);
  html_number(out, foreign_rate(of->rate, of, point, row) * page->benches[bench].rate.per, 3);
  const double ratio = foreign_ratio(point, row);
  html_cell(out, number_ratio(ratio, ratio).text);
  html_cell(out, number_error(row->verify_error).text);
  html_words(out, row->note);
  fputs("</tr>\n", out);
}

static void open_table(const struct page *page, size_t bench) {
  const struct run_bench *of = &page->benches[bench].bench;
  char label[KEY_SIZE + 64], ratio[KEY_SIZE], median[64];
  snprintf(label, sizeof label, "%s: timed by others", html_bench_name(page, bench).text);
  snprintf(median, sizeof median, "median [95%%], %s", page->benches[bench].unit.name);
  snprintf(ratio, sizeof ratio, "%s / this", of->baseline != NULL && !of->baseline_varies ? of->baseline : "baseline");
  const char *const words[] = {"variant", "timed by", "math"};
  const char *const numbers[] = {median, "samples", of->rate != RATE_NONE ? page->benches[bench].rate.name : "rate",
                                 ratio, "error, as it says"};
  html_table_begin(page->out, "all", label, "Timed by others, not interleaved");
  html_head(page->out, "case");
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    html_head_words(page->out, words[i]);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    html_head(page->out, numbers[i]);
  html_head_words(page->out, "note");
  html_table_rows(page->out);
}

void html_foreign_table(const struct page *page, size_t bench) {
  const struct run_bench *of = &page->benches[bench].bench;
  char left[KEY_SIZE];
  if (of->foreign_count == 0) return;
  open_table(page, bench);
  for (size_t i = 0; i < of->case_count; i++)
    for (size_t j = 0; j < of->foreign_count; j++)
      if (foreign_at(&of->cases[i], j) != NULL)
        write_foreign_row(page, bench, &of->cases[i], foreign_at(&of->cases[i], j));
  html_table_close(page->out);
  foreign_left_out(of, left, sizeof left);
  if (left[0] != '\0') xml_print(page->out, "<p class=\"fold\">%s; foreign.csv has all.</p>\n", left);
}

void html_foreign_legend(const struct page *page) {
  char text[MSG_SIZE];
  if (!html_foreign_any(page)) return;
  foreign_sentence(page->data, text, sizeof text);
  xml_print(page->out,
            "<p>%s. Another program measured them at another time: their ratio divides two medians, and any interval "
            "or verdict on it could be wrong.</p>\n",
            text);
}
