/* Tables of cases x variants: speedups, times, throughputs, shares of the ceiling. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/number.h"
#include "html/page.h"
#include "summary/baseline.h"
#include "summary/geomean.h"

struct matrix_view {
  const struct page *page;
  const struct run_bench *bench, *whole; /* what is shown of it, and all of it */
  size_t index;
  enum matrix kind;
  const bool *rare; /* variants that share the last column */
};

static void write_case(const struct matrix_view *view, const struct run_case *point) {
  FILE *out = view->page->out;
  const struct label label = bench_case_label(view->bench, point, false);
  const struct label full = bench_case_label(view->bench, point, true);
  fputs("<tr><th scope=\"row\">", out);
  escape_xml(out, label.text);
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

/* A guest's provider is named where it is not the bench's own plugin. */
static const char *guest_of(const struct run_bench *bench, size_t variant) {
  for (size_t i = 0; i < bench->case_count; i++) {
    const char *guest = row_guest(bench->cases[i].rows[variant]);
    if (guest != NULL) return guest;
  }
  return NULL;
}

static bool is_yardstick(const struct run_bench *bench, size_t variant) {
  for (size_t i = 0; i < bench->case_count; i++)
    if (row_is_yardstick(bench->cases[i].rows[variant])) return true;
  return false;
}

/* Is it a baseline in every case, and not the only variant? */
static bool is_baseline(const struct run_bench *bench, size_t variant) {
  return bench->variant_count > 1 && baseline_column(bench, variant) == variant;
}

/* Beside a variant's name: what it is, or what it is compared with where that is not the same for all. */
static void write_role(FILE *out, const struct run_bench *bench, size_t variant) {
  size_t base = baseline_column(bench, variant);
  if (bench->variant_count < 2 || base == SIZE_MAX) return;
  html_between(out, " <span class=\"minor\">", "</span>", "%s%s", base == variant ? "baseline" : "vs ",
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
    if (is_yardstick(view->bench, i)) fputs(" <span class=\"minor\">yardstick</span>", out);
    if (guest != NULL) {
      html_between(out, " <span class=\"minor\">", "</span>", "from %s", guest);
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
    if (!row_timed(row) || !(row->roof_share > 0)) continue;
    lo = fmin(lo, row->roof_share);
    hi = fmax(hi, row->roof_share);
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

static void write_mean(const struct matrix_view *view, size_t variant) {
  html_put(view->page->out, "<td data-label=\"", view->bench->variants[variant], "\">");
  write_mean_figures(view, variant);
  fputs("</td>", view->page->out);
}

/* The mean of a single case is what its row says. */
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
    if (!view->rare[i]) write_mean(view, i);
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
  html_text(page->out, "%s, %s", html_bench_name(page, index).text, title);
  fprintf(page->out, "\">\n<table class=\"matrix%s\">\n<caption>", kind == MATRIX_SPEEDUP ? "" : " brief");
  escape_xml(page->out, title);
  fputs("</caption>\n", page->out);
  write_variants(&view);
  for (size_t i = 0; i < bench->case_count; i++)
    write_case(&view, &bench->cases[i]);
  fputs("</tbody>\n", page->out);
  if (kind == MATRIX_SPEEDUP && whole->case_count > 1) write_geomean(&view);
  fputs("</table>\n</div>\n", page->out);
}
