/* Writes the matrices: tables of cases x variants with speedups, times, throughputs or shares of the ceiling (the
 * highest rate measured on the device). */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/number.h"
#include "html/page.h"
#include "summary/bench.h"
#include "summary/foreign.h"
#include "summary/geomean.h"
#include "summary/marks.h"

/* ---- The meaning of the marks (notes on weak figures) and statuses that occur on the page ---- */

struct seen {
  unsigned marks;
  bool statuses[ROW_STATUS_COUNT];
};

static struct seen seen_in_matrices(const struct page *page) {
  struct seen seen = {0};
  for (size_t i = 0; i < page->summary.bench_count; i++) {
    const struct run_bench *bench = &page->benches[i].bench;
    if (bench->yardstick) continue;
    seen.marks |= marks_seen(page->data, bench);
    for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
      seen.statuses[row_status_of(at.row)] = true;
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

void html_legend(const struct page *page) {
  struct seen seen = seen_in_matrices(page);
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
  for (unsigned i = 0; i < MARK_COUNT; i++)
    if (seen.marks >> i & 1)
      fprintf(page->out, "<div><dt><span class=\"mark\">%s</span></dt><dd>%s</dd></div>\n", mark_word(i),
              mark_meaning(i));
  fputs("</dl>\n</section>\n", page->out);
}

/* Reasons why rows have no time. A long reason that several cells of a bench have is written once, below the bench's
 * first matrix; the cells show its number. */

enum { REASONS_SHOWN = 6 };
/* a reason of at most this many characters is written in the cell, because a reference to it would not be shorter */
enum { SHORT_MOST = 24 };

static bool is_long(const struct record *row) {
  return row_status_of(row) != ROW_OK && strlen(text_or_empty(row->message)) > SHORT_MOST;
}

static size_t reason_place(const struct page_bench *of, const char *message) {
  size_t place = 0;
  while (place < of->reason_count && strcmp(of->reasons[place].text, message) != 0)
    place++;
  return place;
}

void html_reasons_find(struct page_bench *of) {
  size_t shared = 0;
  for (struct bench_walk at = {.bench = &of->bench}; bench_walk(&at);) {
    if (of->rare[at.variant] || !is_long(at.row)) continue;
    const size_t place = reason_place(of, at.row->message);
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

static bool html_reason(const struct page *page, size_t bench, const struct record *row) {
  const struct page_bench *of = &page->benches[bench];
  const size_t place = is_long(row) ? reason_place(of, row->message) : of->reason_count;
  if (place == of->reason_count) return false;
  fprintf(page->out, " <a class=\"minor\" href=\"#reason-%zu-%zu\">reason %zu</a>", bench, place + 1, place + 1);
  return true;
}

void html_reasons(const struct page *page, size_t bench) {
  const struct page_bench *of = &page->benches[bench];
  if (of->reason_count == 0) return;
  fputs("<ol class=\"reasons fold\" aria-label=\"Reasons\">\n", page->out);
  for (size_t i = 0; i < of->reason_count; i++) {
    xml_print(page->out, "<li id=\"reason-%zu-%zu\">%s</li>\n", bench, i + 1, of->reasons[i].text);
  }
  fputs("</ol>\n", page->out);
}

/* Writes the reasons why the variant skipped cases, each reason once. */
static void write_why(const struct page_bench *of, size_t variant, FILE *out) {
  SCOPED_STRINGS struct strings why = {0};
  for (size_t i = 0; i < of->bench.case_count; i++) {
    const struct record *row = of->bench.cases[i].rows[variant];
    if (row != NULL && row_status_of(row) == ROW_SKIPPED && row->message != NULL) strings_add_once(&why, row->message);
  }
  for (size_t i = 0; i < why.count && i < REASONS_SHOWN; i++)
    xml_print(out, "%s%s", i == 0 ? ": " : "; ", why.items[i]);
  if (why.count > REASONS_SHOWN) fprintf(out, "; and %zu more reasons", why.count - REASONS_SHOWN);
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
    xml_print(out, "<li><b>%s</b> %zu of %zu", of->bench.variants[i], skipped, of->bench.case_count);
    write_why(of, i, out);
    fputs("</li>\n", out);
  }
  fputs("</ul>\n</details>\n", out);
}

/* ---- The cells of a matrix: figures, reasons, marks ---- */

enum { REASON_MOST = 160 };

void html_word(FILE *out, const char *word) {
  struct verdict_look look = verdict_look(word, true);
  if (look.word[0] == '\0') return;
  if (look.glyph[0] == '\0') {
    html_put(out, " <span class=\"soft\">", look.word, "</span>");
    return;
  }
  fprintf(out, " <span class=\"%s\"><span aria-hidden=\"true\">%s</span>%s</span>", look.word, look.glyph, look.word);
}

/* Writes the second line of a cell: its parts, separated by a dot. (The table's caption says what the parts are.) In a
 * narrow column the line breaks only between parts. */
static void html_parts(FILE *out, const char *first, const char *share) {
  fprintf(out, "<span class=\"minor\"><span class=\"line\">%s</span>", first);
  if (share[0] != '\0') fprintf(out, " <span class=\"line\">\xC2\xB7 %s%%</span>", share);
  fputs("</span>", out);
}

static void write_reason_text(FILE *out, const char *kind, const char *message) {
  if (message == NULL) return;
  SCOPED char *cut = memory_print("%.*s%s", REASON_MOST, message, strlen(message) > REASON_MOST ? "..." : "");
  xml_print(out, "<br><span class=\"%s\">%s</span>", kind, cut);
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

/* Returns the marks (notes on weak figures) that all rows of a case have; 0 for a single row, whose marks are in its
 * cell. */
static unsigned case_marks(const struct mark_scope *scope) {
  return marks_rows(scope) > 1 ? marks_shared(scope) : 0;
}

static void html_case_marks(const struct page *page, size_t bench, const struct run_case *point) {
  const struct mark_scope scope = {page->data, &page->benches[bench].bench, point, NULL};
  write_told(&scope, case_marks(&scope) & ~page->benches[bench].marks, page->out, "<br><span class=\"minor mark\">",
             "</span>");
}

/* Writes a row's marks (notes on weak figures), except those that all rows of the bench or of the case have. */
static void write_own_marks(const struct page *page, size_t bench, const struct run_case *point,
                            const struct record *row) {
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

static void write_left(FILE *out, struct number left) {
  if (left.text[0] == '\0') return;
  html_put(out, "<br><span class=\"minor\">less the launch overhead <span class=\"line\">", left.text,
           "</span></span>");
}

static void write_matrix_speedup(FILE *out, const struct run_bench *bench, const struct run_case *point,
                                 const struct record *row) {
  bool base = baseline_is(point, row), ratio = !base && !isnan(row->speedup);
  const struct number interval = number_interval(row->speedup_lo, row->speedup_hi, row->speedup);
  const struct number share = number_percent(bench->rate != RATE_NONE ? row->ceiling_share : (double)NAN);
  const struct number main = ratio ? number_ratio(row->speedup, row->speedup) : number_time(row->median_raw_ns);
  fprintf(out, "<span class=\"line\"><span class=\"main\">%s%s</span>", main.text, ratio ? "x" : "");
  if (ratio) html_word(out, row_verdict(row));
  if (row == point->winner) write_star(out);
  fputs("</span><br>", out);
  html_parts(out, ratio ? interval.text : base ? "1x" : row_is_yardstick(row) ? "yardstick" : "no ratio", share.text);
  if (bench_case_launch_limited(bench, point)) write_left(out, ratio ? row_left_ratio(row) : row_left(row, "\xC2\xB1"));
}

static void write_figure(const struct page *page, size_t index, enum matrix kind, const struct run_case *point,
                         const struct record *row) {
  struct number text;
  const struct number half = number_plus_minus("\xC2\xB1", row->median_raw_ns, row->ci95_lo_ns, row->ci95_hi_ns);
  if (kind == MATRIX_TIME)
    text = number_significant(row->median_raw_ns / page->benches[index].unit.ns, 4);
  else if (kind == MATRIX_RATE)
    text = number_significant(row_rate(page->benches[index].bench.rate, row) * page->benches[index].rate.per, 3);
  else
    text = number_percent(row->ceiling_share);
  fprintf(page->out, "%s%s", text.text[0] ? text.text : "not known", kind == MATRIX_SHARE && text.text[0] ? "%" : "");
  if (kind == MATRIX_TIME && half.text[0] != '\0') {
    xml_print(page->out, "\xC2\xA0<span class=\"minor\">%s</span>", half.text);
  }
  if (row == point->winner) write_star(page->out);
  if (kind == MATRIX_TIME && bench_case_launch_limited(&page->benches[index].bench, point))
    write_left(page->out, row_left(row, "\xC2\xB1"));
}

static void write_untimed_cell(const struct page *page, size_t bench, const struct record *row) {
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
    write_untimed_cell(page, index, row);
  else if (kind == MATRIX_SPEEDUP)
    write_matrix_speedup(page->out, bench, point, row);
  else
    write_figure(page, index, kind, point, row);
  if (row_timed(row) && kind == html_first_matrix(bench)) write_own_marks(page, index, point, row);
  if (kind == html_first_matrix(bench)) html_against_cell(page, row);
}

/* Writes the shared cell of all variants that ran in few cases, if there are such variants. */
static void html_matrix_rare(const struct page *page, size_t index, enum matrix kind, const struct run_case *point) {
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

static void html_matrix_cell(const struct page *page, size_t index, enum matrix kind, const struct run_case *point,
                             const struct record *row) {
  FILE *out = page->out;
  if (row == NULL) {
    fputs("<td><span class=\"minor\">not in the plan</span></td>", out);
    return;
  }
  fputs(row == point->winner ? "<td class=\"winner\" data-label=\"" : "<td data-label=\"", out);
  escape_xml(out, row->variant);
  /* the attribute data-v is the number by which the script sorts, instead of the text */
  fputs(kind == MATRIX_SPEEDUP && baseline_is(point, row) ? "\" data-v=\"1\">" : "\">", out);
  write_content(page, index, kind, point, row);
  fputs("</td>", out);
}

struct matrix_view {
  const struct page *page;
  /* bench: the bench with only the cases that are shown; whole: the bench with all cases */
  const struct run_bench *bench, *whole;
  size_t index;
  enum matrix kind;
  const bool *rare; /* by variant: true if the variant shares the last column with others */
};

static void write_matrix_case(const struct matrix_view *view, const struct run_case *point) {
  FILE *out = view->page->out;
  const struct label label = bench_case_label(view->bench, point, false);
  const struct label full = bench_case_label(view->bench, point, true);
  xml_print(out, "<tr><th scope=\"row\">%s", label.text);
  if (strcmp(label.text, full.text) != 0) {
    html_put(out, "<br><span class=\"minor\">",
             full.text + (strncmp(full.text, label.text, strlen(label.text)) == 0 ? strlen(label.text) : 0), "</span>");
  }
  if (view->kind == html_first_matrix(view->bench)) html_case_marks(view->page, view->index, point);
  if (view->kind == html_first_matrix(view->bench) && !view->bench->yardstick)
    html_case_links(view->page, view->index, point);
  fputs("</th>", out);
  for (size_t i = 0; i < view->bench->variant_count; i++)
    if (!view->rare[i]) html_matrix_cell(view->page, view->index, view->kind, point, point->rows[i]);
  html_matrix_rare(view->page, view->index, view->kind, point);
  if (view->kind != MATRIX_SHARE) html_foreign_cells(view->page, view->index, view->kind, point);
  fputs("</tr>\n", out);
}

/* Returns the plugin that added the variant to another plugin's bench; NULL for other variants, and if the variant's
 * name already says the plugin. */
static const char *guest_of(const struct run_bench *bench, size_t variant) {
  for (size_t i = 0; i < bench->case_count; i++) {
    const char *guest = row_guest(bench->cases[i].rows[variant]);
    if (guest != NULL) return guest;
  }
  return NULL;
}

static bool is_yardstick_variant(const struct run_bench *bench, size_t variant) {
  for (size_t i = 0; i < bench->case_count; i++)
    if (row_is_yardstick(bench->cases[i].rows[variant])) return true;
  return false;
}

/* Returns true if there are other variants and this one is the baseline in every case. */
static bool is_baseline(const struct run_bench *bench, size_t variant) {
  return bench->variant_count > 1 && baseline_column(bench, variant) == variant;
}

/* Writes, next to a variant's name, that it is the baseline, or what it is compared with. */
static void write_role(FILE *out, const struct run_bench *bench, size_t variant) {
  size_t base = baseline_column(bench, variant);
  if (bench->variant_count < 2 || base == SIZE_MAX) return;
  xml_print(out, " <span class=\"minor\">%s%s</span>", base == variant ? "baseline" : "vs ",
            base == variant ? "" : bench->variants[base]);
}

static void write_variants(const struct matrix_view *view) {
  FILE *out = view->page->out;
  fputs("<thead><tr><th scope=\"col\">case</th>", out);
  for (size_t i = 0; i < view->bench->variant_count; i++) {
    const char *guest = guest_of(view->bench, i);
    if (view->rare[i]) continue;
    fputs("<th scope=\"col\">", out);
    escape_xml(out, view->bench->variants[i]);
    if (is_baseline(view->bench, i) || view->bench->bases > BASES_ONE) write_role(out, view->bench, i);
    if (is_yardstick_variant(view->bench, i)) fputs(" <span class=\"minor\">yardstick</span>", out);
    if (guest != NULL) {
      xml_print(out, " <span class=\"minor\">from %s</span>", guest);
    }
    fputs("</th>", out);
  }
  if (view->page->benches[view->index].rare_count != 0) fputs("<th scope=\"col\">others</th>", out);
  if (view->kind != MATRIX_SHARE) html_foreign_heads(view->page, view->index);
  fputs("</tr></thead>\n<tbody>\n", out);
}

void html_share_range(const struct run_bench *bench, size_t variant, char *to, size_t size) {
  double lo = HUGE_VAL, hi = 0;
  to[0] = '\0';
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct record *row = bench->cases[i].rows[variant];
    if (!row_timed(row) || !(row->ceiling_share > 0)) continue;
    lo = fmin(lo, row->ceiling_share);
    hi = fmax(hi, row->ceiling_share);
  }
  if (hi == 0) return;
  const struct number least = number_percent(lo);
  const struct number most = number_percent(hi);
  snprintf(to, size, strcmp(least.text, most.text) != 0 ? "%s to %s" : "%s", least.text, most.text);
}

static void write_mean_figures(const struct matrix_view *view, size_t variant) {
  FILE *out = view->page->out;
  const bool base = is_baseline(view->whole, variant);
  const struct geomean mean = geomean_base(view->whole, variant);
  char share[80] = "", count[KEY_SIZE];
  const struct number ratio = base ? (struct number){"1"} : number_ratio(mean.ratio, mean.ratio);
  const struct number interval = number_interval(mean.lo, mean.hi, mean.ratio);
  geomean_count_text(view->whole, &mean, count, sizeof count);
  if (view->bench->rate != RATE_NONE) html_share_range(view->whole, variant, share, sizeof share);
  if (ratio.text[0] != '\0') fprintf(out, "<span class=\"line\"><span class=\"main\">%sx</span>", ratio.text);
  html_word(out, base ? "" : mean.word);
  if (ratio.text[0] != '\0') fputs("</span><br>", out);
  const char *first = interval.text[0] != '\0' ? interval.text : "no interval";
  html_parts(out, ratio.text[0] == '\0' ? "no ratio" : base ? "baseline" : first, share);
  if (!base && mean.count != 0) html_put(out, "<br><span class=\"minor\">", count, "</span>");
}

static void write_mean_cell(const struct matrix_view *view, size_t variant) {
  html_put(view->page->out, "<td data-label=\"", view->bench->variants[variant], "\">");
  write_mean_figures(view, variant);
  fputs("</td>", view->page->out);
}

/* Writes the means of the variants that share a column. A mean over a single case is left out, because the case's row
 * shows the same figure. */
static void write_rare_means(const struct matrix_view *view) {
  FILE *out = view->page->out;
  if (view->page->benches[view->index].rare_count == 0) return;
  fputs("<td data-label=\"others\">", out);
  for (size_t i = 0; i < view->bench->variant_count; i++) {
    if (!view->rare[i] || geomean_base(view->whole, i).count < 2) continue;
    html_put(out, "<div><b>", view->bench->variants[i], "</b> ");
    write_mean_figures(view, i);
    fputs("</div>", out);
  }
  fputs("</td>", out);
}

static void write_geomean(const struct matrix_view *view) {
  fputs("<tfoot><tr class=\"mean\"><th scope=\"row\">geometric mean</th>", view->page->out);
  for (size_t i = 0; i < view->bench->variant_count; i++)
    if (!view->rare[i]) write_mean_cell(view, i);
  write_rare_means(view);
  html_foreign_means(view->page, view->index);
  fputs("</tr></tfoot>\n", view->page->out);
}

static void matrix_title(const struct matrix_view *view, char *to, size_t size) {
  const struct run_bench *bench = view->bench;
  char over[TEXT_SIZE * 2];
  baseline_text(bench, over, sizeof over);
  switch (view->kind) {
    case MATRIX_SPEEDUP:
      snprintf(to, size, "Speedup over %s, [95%% interval]%s; \xE2\x98\x85 fastest",
               bench->bases == BASES_SEVERAL ? "each case's own baseline (1x)" : over,
               view->page->benches[view->index].ceilings ? " \xC2\xB7 share of the measured ceiling" : "");
      break;
    case MATRIX_TIME:
      snprintf(to, size, "Median time in %s", view->page->benches[view->index].unit.name);
      break;
    case MATRIX_RATE:
      snprintf(to, size, "Throughput in %s", view->page->benches[view->index].rate.name);
      break;
    case MATRIX_SHARE:
      snprintf(to, size, "Share of the measured ceiling");
      break;
  }
}

static const char *view_name(const struct matrix_view *view) {
  switch (view->kind) {
    case MATRIX_SPEEDUP:
      return "Speedup";
    case MATRIX_TIME:
      return "Time";
    case MATRIX_RATE:
      return view->page->benches[view->index].rate.name;
    case MATRIX_SHARE:
      return "Share of the ceiling";
  }
  return "";
}

void html_matrix(const struct page *page, size_t index, enum matrix kind) {
  const struct run_bench *bench = &page->benches[index].bench, *whole = &page->summary.benches[index];
  struct matrix_view view = {page, bench, whole, index, kind, page->benches[index].rare};
  char title[KEY_SIZE];
  matrix_title(&view, title, sizeof title);
  fprintf(page->out,
          "<div class=\"scroll view\" data-bench=\"%zu\" data-view=\"%s\" tabindex=\"0\" role=\"region\" "
          "aria-label=\"",
          index, view_name(&view));
  xml_print(page->out, "%s, %s", html_bench_name(page, index).text, title);
  fprintf(page->out, "\">\n<table class=\"matrix%s\">\n<caption>", kind == MATRIX_SPEEDUP ? "" : " brief");
  xml_print(page->out, "%s</caption>\n", title);
  write_variants(&view);
  for (size_t i = 0; i < bench->case_count; i++)
    write_matrix_case(&view, &bench->cases[i]);
  fputs("</tbody>\n", page->out);
  if (kind == MATRIX_SPEEDUP && whole->case_count > 1) write_geomean(&view);
  fputs("</table>\n</div>\n", page->out);
}
