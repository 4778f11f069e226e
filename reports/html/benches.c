/* The first screen of several benches: a row for each. Counts and means are of all cases. */
#include "base/number.h"
#include "html/page.h"
#include "summary/geomean.h"
#include "summary/mark_reasons.h"
#include "summary/verdict.h"

bool html_bench_shown(const struct page *page, size_t index) {
  return page->benches[index].bench.case_count != 0 && !page->benches[index].bench.yardstick;
}

/* The variant that is the fastest in most cases; SIZE_MAX: none is in any. */
static size_t most_wins(const struct run_bench *bench) {
  size_t best = SIZE_MAX, most = 0;
  for (size_t i = 0; i < bench->variant_count; i++) {
    size_t wins = bench_wins(bench, i);
    if (wins > most) best = i;
    if (wins > most) most = wins;
  }
  return best;
}

static void write_fastest(FILE *out, const struct run_bench *bench, size_t best) {
  const size_t contests = bench_contests(bench);
  char text[TEXT_SIZE];
  const struct verdict_counts counts = verdict_counts(bench);
  verdict_counts_text(&counts, text, sizeof text);
  fputs("<td class=\"t\">", out);
  if (bench->bases == BASES_TWINS && text[0] != '\0')
    html_text(out, "%s", text); /* of two builds nobody asks who is the fastest */
  else if (best != SIZE_MAX)
    html_put(out, "<b>", bench->variants[best], "</b>");
  else
    fputs(contests > 0 ? "no clear winner" : "nothing to compare", out);
  if (best != SIZE_MAX && bench->bases != BASES_TWINS && contests > 1)
    fprintf(out, " <span class=\"minor\">in %zu of %zu cases</span>", bench_wins(bench, best), contests);
  fputs("</td>", out);
}

static bool write_mean(FILE *out, const struct run_bench *bench, struct geomean mean, const char *over) {
  char swayed[KEY_SIZE];
  const struct number ratio = number_ratio(mean.ratio, mean.ratio);
  const struct number interval = number_interval(mean.lo, mean.hi, mean.ratio);
  if (ratio.text[0] == '\0') return false;
  fprintf(out, "%sx", ratio.text);
  html_word(out, mean.word);
  if (interval.text[0] != '\0' || mean.count > 1) /* of one: the row has it */
    html_put(out, " <span class=\"minor line\">", interval.text[0] ? interval.text : "no interval", "</span>");
  html_put(out, " <span class=\"minor\">over ", over, "</span>");
  geomean_swayed_text(bench, &mean, swayed, sizeof swayed);
  if (swayed[0] != '\0') html_put(out, "<span class=\"minor\">; ", swayed, "</span>");
  return true;
}

/* Where cases have different baselines, over each of them. */
static bool write_means(FILE *out, const struct run_bench *bench, size_t best) {
  bool any = false;
  for (size_t i = 0; i < bench->variant_count; i++) {
    const struct geomean mean = geomean_named(bench, best, bench->variants[i]);
    if (mean.count == 0) continue;
    if (any) fputs("<br>", out);
    any = write_mean(out, bench, mean, bench->variants[i]) || any;
    fprintf(out, " <span class=\"minor\">in %zu case%s</span>", mean.count, mean.count == 1 ? "" : "s");
  }
  return any;
}

static void write_speedup(FILE *out, const struct run_bench *bench, size_t best) {
  const bool several = bench->bases == BASES_SEVERAL;
  struct geomean mean = geomean_base(bench, best);
  const struct record *only = bench->case_count == 1 ? bench->cases[0].rows[best] : NULL;
  fputs("<td class=\"t\">", out);
  if (only != NULL && mean.count != 0) /* of one case the mean is the row's, which has an interval */
    mean = (struct geomean){1, 0, only->speedup, only->speedup_lo, only->speedup_hi, row_verdict(only), NULL, 0};
  if (!write_mean(out, bench, mean, several ? "each case's own baseline" : bench->baseline) &&
      !(several && write_means(out, bench, best)) && bench->baseline != NULL)
    fputs("<span class=\"minor\">the baseline</span>", out);
  fputs("</td>", out);
}

static bool write_failures(const struct page *page, const struct run_bench *bench) {
  size_t counts[ROW_STATUS_COUNT] = {0};
  bool any = false;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (summary_failed(page->data, &page->summary, at.row)) counts[row_status_of(at.row)]++;
  for (size_t i = 0; i < ROW_STATUS_COUNT; i++) {
    const enum row_status status = row_statuses[i];
    if (counts[status] == 0) continue;
    fprintf(page->out, "%s%zu ", any ? ", " : "", counts[status]);
    html_status(page->out, status);
    any = true;
  }
  return any;
}

static void write_worst(const struct page *page, const struct run_bench *bench) {
  const struct mark_scope scope = {page->data, bench, NULL, NULL};
  char text[MSG_SIZE];
  unsigned marks = 0;
  fputs("<td class=\"t\">", page->out);
  if (!write_failures(page, bench)) {
    for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
      marks |= marks_of(page->data, at.point, at.row);
    const enum mark worst = marks_worst(marks);
    if (worst != MARK_COUNT) {
      marks_tell(&scope, 1U << worst, text, sizeof text);
      html_put(page->out, "<span class=\"minor mark\">", text, "</span>");
      fprintf(page->out, " <span class=\"minor\">%zu of %zu rows</span>", marks_count(&scope, worst),
              marks_rows(&scope));
    }
  }
  fputs("</td>", page->out);
}

static void write_bench(const struct page *page, size_t index) {
  const struct run_bench *bench = &page->summary.benches[index];
  const size_t best = most_wins(bench);
  char share[80] = "";
  fprintf(page->out, "<tr><th scope=\"row\"><a href=\"#bench-%zu\">", index);
  html_put(page->out, "", html_bench_name(page, index).text, "</a></th>");
  write_fastest(page->out, bench, best);
  if (best != SIZE_MAX)
    write_speedup(page->out, bench, best);
  else
    fputs("<td></td>", page->out);
  if (best != SIZE_MAX && bench->rate != RATE_NONE) html_share_range(bench, best, share, sizeof share);
  if (share[0] != '\0')
    html_put(page->out, "<td data-label=\"of the ceiling\">", share, "%</td>");
  else
    fputs("<td></td>", page->out);
  write_worst(page, bench);
  fputs("</tr>\n", page->out);
}

void html_benches(const struct page *page) {
  static const char *const heads[] = {"bench", "fastest", "speedup, geometric mean [95%]", "share of the ceiling",
                                      "worst"};
  html_table_open(page->out, "benches", "The benches", heads, sizeof heads / sizeof heads[0]);
  for (size_t i = 0; i < page->summary.bench_count; i++)
    if (html_bench_shown(page, i)) write_bench(page, i);
  html_table_close(page->out);
}
