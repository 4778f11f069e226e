/* Tables of cases x variants: speedups, times, throughputs, shares of the ceiling. */
#include <math.h>
#include <string.h>

#include "reports/escape.h"
#include "reports/html_parts.h"
#include "reports/number.h"
#include "reports/table_lines.h"

struct matrix_view {
  const struct page *page;
  const struct run_bench *bench;
  enum matrix kind;
  struct number_unit unit;
};

static void write_verdict(FILE *out, const char *verdict) {
  struct verdict_look look = verdict_look(verdict, true);
  if (look.word[0] == '\0') return;
  fprintf(out, " <span class=\"%s\"><span aria-hidden=\"true\">%s</span>%s</span>", look.word, look.glyph, look.word);
}

/* Parts of a cell's second line are set apart by a dot. The words are for readers without the caption in view. */
static void write_share(FILE *out, const char *share) {
  if (share[0] == '\0') return;
  fprintf(out, "<span class=\"share\"> \xC2\xB7 %s%%<span class=\"hidden\"> of ceiling</span></span>", share);
}

/* What there is to say of a good row: that the baseline's arithmetic is stricter, or why there is no ratio. */
static void write_note(FILE *out, const struct record *row) {
  if (row->message == NULL) return;
  fputs("<br><span class=\"minor mark reason\">", out);
  html_text(out, "%.160s%s", row->message, strlen(row->message) > 160 ? "..." : "");
  fputs("</span>", out);
}

static void write_star(FILE *out) {
  fputs(
      " <span class=\"star\"><span aria-hidden=\"true\">\xE2\x98\x85</span><span class=\"hidden\"> "
      "fastest</span></span>",
      out);
}

static void write_speedup(FILE *out, const struct run_case *point, const struct record *row) {
  char text[64], lo[64], hi[64], share[64];
  bool base = row == point->base, ratio = !base && !isnan(row->speedup);
  number_ratio(text, sizeof text, row->speedup, row->speedup);
  number_ratio(lo, sizeof lo, row->speedup_lo, row->speedup);
  number_ratio(hi, sizeof hi, row->speedup_hi, row->speedup);
  number_percent(share, sizeof share, row->roof_share);
  if (!ratio) number_time(text, sizeof text, row->median_raw_ns);
  fprintf(out, "<span class=\"line\"><span class=\"main\">%s%s</span>", text, ratio ? "x" : "");
  if (ratio) write_verdict(out, row->verdict);
  if (row == point->winner) write_star(out);
  fputs("</span><br><span class=\"minor line\">", out);
  if (!ratio) fputs(base ? "1x" : "no ratio", out);
  if (ratio && lo[0] != '\0') fprintf(out, "[%s, %s]", lo, hi);
  write_share(out, share);
  fputs("</span>", out);
  write_note(out, row);
}

static void write_figure(const struct matrix_view *view, const struct run_case *point, const struct record *row) {
  char text[64], half[64];
  number_half_width(half, sizeof half, row->median_raw_ns, row->ci95_lo_ns, row->ci95_hi_ns);
  if (view->kind == MATRIX_TIME)
    number_significant(text, sizeof text, row->median_raw_ns / view->unit.ns, 4);
  else if (view->kind == MATRIX_RATE)
    number_significant(text, sizeof text, summary_rate(view->bench->rate, row), 3);
  else
    number_percent(text, sizeof text, row->roof_share);
  fprintf(view->page->out, "<span class=\"line\"><span class=\"main\">%s%s</span>", text[0] ? text : "not known",
          view->kind == MATRIX_SHARE && text[0] ? "%" : "");
  if (view->kind == MATRIX_TIME && half[0] != '\0') {
    fputs(" <span class=\"minor\">", view->page->out);
    html_text(view->page->out, "\xC2\xB1%s%%", half);
    fputs("</span>", view->page->out);
  }
  if (row == point->winner) write_star(view->page->out);
  fputs("</span>", view->page->out);
}

static void write_reason(FILE *out, const struct record *row) {
  enum status status = summary_status(row);
  if (status == STATUS_OK) {
    fputs("<span class=\"minor\">correct, not timed</span>", out);
    return;
  }
  html_status(out, status);
  if (row->message == NULL) return;
  fputs("<br><span class=\"minor reason\">", out);
  html_text(out, "%.160s%s", row->message, strlen(row->message) > 160 ? "..." : "");
  fputs("</span>", out);
}

static void write_cell(const struct matrix_view *view, const struct run_case *point, const struct record *row) {
  FILE *out = view->page->out;
  if (row == NULL) {
    fputs("<td class=\"minor\">not in the plan</td>", out);
    return;
  }
  fputs(row == point->winner ? "<td class=\"winner\">" : "<td>", out);
  if (!summary_timed(row))
    write_reason(out, row);
  else if (view->kind == MATRIX_SPEEDUP)
    write_speedup(out, point, row);
  else
    write_figure(view, point, row);
  fputs("</td>", out);
}

static void write_case(const struct matrix_view *view, const struct run_case *point) {
  FILE *out = view->page->out;
  char label[KEY_SIZE], full[KEY_SIZE];
  summary_case_label(view->bench, point, false, label, sizeof label);
  summary_case_label(view->bench, point, true, full, sizeof full);
  fputs("<tr><th scope=\"row\">", out);
  escape_xml(out, label);
  if (strcmp(label, full) != 0) {
    fputs("<br><span class=\"minor\">", out);
    escape_xml(out, full + (strncmp(full, label, strlen(label)) == 0 ? strlen(label) : 0));
    fputs("</span>", out);
  }
  fputs("</th>", out);
  for (size_t i = 0; i < view->bench->variant_count; i++)
    write_cell(view, point, point->rows[i]);
  fputs("</tr>\n", out);
}

/* A guest's provider is named where it is not the bench's own plugin. */
static const char *guest_of(const struct run_bench *bench, size_t variant) {
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct record *row = bench->cases[i].rows[variant];
    if (row == NULL || row->provider == NULL) continue;
    bool own = strcmp(row->provider, summary_text(row->plugin)) == 0;
    return own || strcmp(row->provider, bench->variants[variant]) == 0 ? NULL : row->provider;
  }
  return NULL;
}

static void write_variants(const struct matrix_view *view) {
  FILE *out = view->page->out;
  fputs("<thead><tr><th scope=\"col\">case</th>", out);
  for (size_t i = 0; i < view->bench->variant_count; i++) {
    const char *guest = guest_of(view->bench, i);
    fputs("<th scope=\"col\">", out);
    escape_xml(out, view->bench->variants[i]);
    if (view->bench->baseline != NULL && i == 0 && strcmp(view->bench->baseline, view->bench->variants[0]) == 0)
      fputs(" <span class=\"minor\">baseline</span>", out);
    if (guest != NULL) {
      fputs(" <span class=\"minor\">", out);
      html_text(out, "from %s", guest);
      fputs("</span>", out);
    }
    fputs("</th>", out);
  }
  fputs("</tr></thead>\n<tbody>\n", out);
}

/* "18 to 42": lowest and highest share of the ceiling. */
static void share_range(const struct run_bench *bench, size_t variant, char *to, size_t size) {
  double lo = HUGE_VAL, hi = 0;
  char least[32], most[32];
  to[0] = '\0';
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct record *row = bench->cases[i].rows[variant];
    if (!summary_timed(row) || !(row->roof_share > 0)) continue;
    lo = fmin(lo, row->roof_share);
    hi = fmax(hi, row->roof_share);
  }
  if (hi == 0) return;
  number_percent(least, sizeof least, lo);
  number_percent(most, sizeof most, hi);
  snprintf(to, size, strcmp(least, most) != 0 ? "%s to %s" : "%s", least, most);
}

static void write_mean(const struct matrix_view *view, size_t variant) {
  FILE *out = view->page->out;
  size_t count = 0;
  char ratio[64] = "1", share[80];
  double mean = variant == 0 ? 1 : summary_geomean(view->bench, variant, 0, &count);
  if (variant != 0) number_significant(ratio, sizeof ratio, mean, 3);
  share_range(view->bench, variant, share, sizeof share);
  if (ratio[0] == '\0')
    fputs("<td><span class=\"minor\">no ratio</span>", out);
  else
    fprintf(out, "<td><span class=\"main\">%sx</span>", ratio);
  fputs("<br><span class=\"minor line\">", out);
  if (variant == 0) fputs("baseline", out);
  if (count != 0) fprintf(out, "%zu case%s", count, count == 1 ? "" : "s");
  write_share(out, share);
  fputs("</span></td>", out);
}

static void write_geomean(const struct matrix_view *view) {
  fputs("<tr class=\"mean\"><th scope=\"row\">geometric mean</th>", view->page->out);
  for (size_t i = 0; i < view->bench->variant_count; i++)
    write_mean(view, i);
  fputs("</tr>\n", view->page->out);
}

static void matrix_title(const struct matrix_view *view, char *to, size_t size) {
  const char *baseline = summary_text(view->bench->baseline);
  switch (view->kind) {
    case MATRIX_SPEEDUP:
      snprintf(to, size,
               "Speedup over %s, [95%% interval] \xC2\xB7 share of the measured ceiling; \xE2\x98\x85 fastest",
               baseline);
      break;
    case MATRIX_TIME:
      snprintf(to, size, "Median time in %s", view->unit.name);
      break;
    case MATRIX_RATE:
      snprintf(to, size, "Throughput in %s", summary_rate_unit(view->bench->rate));
      break;
    case MATRIX_SHARE:
      snprintf(to, size, "Share of the measured ceiling");
      break;
  }
}

static bool has_baseline(const struct run_bench *bench) {
  return bench->baseline != NULL && bench->variant_count > 1 && strcmp(bench->variants[0], bench->baseline) == 0;
}

void html_matrix(const struct page *page, size_t index, enum matrix kind) {
  const struct run_bench *bench = &page->summary.benches[index];
  struct matrix_view view = {page, bench, kind, table_time_unit(bench)};
  char title[KEY_SIZE], label[KEY_SIZE * 2 + 8], name[KEY_SIZE];
  matrix_title(&view, title, sizeof title);
  html_bench_name(page, index, name, sizeof name);
  snprintf(label, sizeof label, "%s, %s", name, title);
  html_scroll(page->out, label);
  fputs("<table class=\"matrix\">\n<caption>", page->out);
  escape_xml(page->out, title);
  fputs("</caption>\n", page->out);
  write_variants(&view);
  for (size_t i = 0; i < bench->case_count; i++)
    write_case(&view, &bench->cases[i]);
  if (kind == MATRIX_SPEEDUP && has_baseline(bench) && bench->case_count > 1) write_geomean(&view);
  fputs("</tbody>\n</table>\n</div>\n", page->out);
}
