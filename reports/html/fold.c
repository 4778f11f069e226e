/* What of a very large run has room on the page: whole benches or their most telling cases. Counts, geometric means and
 * the verdict always speak of all rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "html/page.h"
#include "summary/baseline.h"
#include "summary/mark_reasons.h"

enum { CELLS_MAX = 1200 /* of a table: 200 cases x 6 variants */ };

struct scored {
  const struct run_case *point;
  double score;
  size_t order;
};

static int by_score(const void *a, const void *b) {
  const struct scored *x = a, *y = b;
  if (x->score != y->score) return x->score > y->score ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

static int by_order(const void *a, const void *b) {
  const struct scored *x = a, *y = b;
  return (x->order > y->order) - (x->order < y->order);
}

const struct run_case **html_fold_best(const struct page *page, const struct run_bench *bench, size_t most,
                                       double (*score)(const struct page *page, const struct run_bench *bench,
                                                       const struct run_case *point),
                                       size_t *count) {
  SCOPED struct scored *scored = xcalloc(bench->case_count, sizeof *scored);
  for (size_t i = 0; i < bench->case_count; i++)
    scored[i] = (struct scored){&bench->cases[i], score(page, bench, &bench->cases[i]), i};
  *count = most < bench->case_count ? most : bench->case_count;
  qsort(scored, bench->case_count, sizeof *scored, by_score);
  qsort(scored, *count, sizeof *scored, by_order);
  const struct run_case **best = xcalloc(*count, sizeof *best);
  for (size_t i = 0; i < *count; i++)
    best[i] = scored[i].point;
  return best;
}

/* Failures first, then how far the variants are apart. */
static double telling(const struct page *page, const struct run_bench *bench, const struct run_case *point) {
  double lo = HUGE_VAL, hi = 0, score = 0;
  for (size_t i = 0; i < bench->variant_count; i++) {
    const struct record *row = point->rows[i];
    if (row == NULL) continue;
    if (summary_failed(page->data, &page->summary, row)) score = 1e6;
    if (!row_contends(row)) continue;
    lo = fmin(lo, row->median_raw_ns);
    hi = fmax(hi, row->median_raw_ns);
  }
  return hi > 0 ? score + log(hi / lo) : score;
}

const struct run_case **html_fold_telling(const struct page *page, const struct run_bench *bench, size_t most,
                                          size_t *count) {
  return html_fold_best(page, bench, most, telling, count);
}

static size_t cells_at(const struct page *page, size_t most) {
  size_t cells = 0;
  for (size_t i = 0; i < page->summary.bench_count && cells <= CELLS_MAX; i++) {
    const struct run_bench *bench = &page->summary.benches[i];
    cells += (bench->case_count < most ? bench->case_count : most) * bench->variant_count;
  }
  return cells;
}

/* The largest number of cases of a bench for which all benches have room; at least one. */
static size_t common_most(const struct page *page) {
  size_t fits = 1, no = CELLS_MAX + 1;
  while (fits + 1 < no) {
    size_t middle = (fits + no) / 2;
    if (cells_at(page, middle) <= CELLS_MAX)
      fits = middle;
    else
      no = middle;
  }
  return fits;
}

/* Cases in which it was tried and did not just have to be left out. */
static size_t tried(const struct run_bench *bench, size_t variant) {
  size_t count = 0;
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct record *row = bench->cases[i].rows[variant];
    count += row != NULL && row_status_of(row) != ROW_SKIPPED;
  }
  return count;
}

/* Of variants that cannot run most cases a column each would be empty for the most part. */
static void find_rare(struct page_bench *to) {
  const struct run_bench *bench = &to->bench;
  to->rare = xcalloc(bench->variant_count, sizeof *to->rare);
  for (size_t i = 0; i < bench->variant_count && bench->case_count > 1 && !bench->yardstick; i++) {
    bool base = false;
    for (size_t j = 0; j < bench->case_count; j++)
      base = base || (bench->cases[j].rows[i] != NULL && baseline_is(&bench->cases[j], bench->cases[j].rows[i]));
    to->rare[i] = !base && 2 * tried(bench, i) < bench->case_count;
    to->rare_count += to->rare[i];
  }
  if (to->rare_count > 1) return;
  for (size_t i = 0; i < bench->variant_count; i++)
    to->rare[i] = false;
  to->rare_count = 0;
}

static void fold_bench(struct page *page, size_t index, size_t most) {
  struct page_bench *to = &page->benches[index];
  size_t count = 0;
  SCOPED const struct run_case **best = html_fold_telling(page, &page->summary.benches[index], most, &count);
  to->bench.cases = xcalloc(count, sizeof *to->bench.cases);
  to->bench.case_count = count;
  for (size_t i = 0; i < count; i++)
    to->bench.cases[i] = *best[i];
  if (bench_is_latency(&to->bench)) to->bench.rate = RATE_NONE; /* of one call at a time it says nothing */
  to->unit = bench_time_unit(&to->bench);
  to->rate = bench_rate_unit(&to->bench);
  to->ceilings = to->bench.rate != RATE_NONE && bench_has_ceilings(&to->bench);
  to->marks = marks_shared(&(struct mark_scope){page->data, &to->bench, NULL, NULL});
  find_rare(to);
  html_reasons_find(to);
}

void html_fold(struct page *page) {
  size_t most = common_most(page), cells = 0;
  page->benches = xcalloc(page->summary.bench_count, sizeof *page->benches);
  for (size_t i = 0; i < page->summary.bench_count; i++) {
    const struct run_bench *bench = &page->summary.benches[i];
    page->benches[i].bench = *bench;
    page->benches[i].bench.case_count = 0;
    page->benches[i].bench.cases = NULL;
    cells += (bench->case_count < most ? bench->case_count : most) * bench->variant_count;
    if (cells <= CELLS_MAX || i == 0) fold_bench(page, i, most);
  }
  html_samples_choose(page);
}

void html_fold_free(struct page *page) {
  for (size_t i = 0; i < page->summary.bench_count; i++) {
    free(page->benches[i].bench.cases);
    free(page->benches[i].reasons);
    free(page->benches[i].sampled);
    free(page->benches[i].rare);
  }
  free(page->benches);
}

void html_fold_note(const struct page *page, size_t index) {
  const struct run_bench *bench = &page->benches[index].bench, *whole = &page->summary.benches[index];
  if (bench->case_count == whole->case_count) return;
  fprintf(
      page->out,
      "<p class=\"fold\">Showing %zu of %zu cases: first those with failures, then those whose variants differ most. "
      "All rows are in results.csv; counts and means are of all.</p>\n",
      bench->case_count, whole->case_count);
}
