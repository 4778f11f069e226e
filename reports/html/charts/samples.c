/* Draws the samples of each case: their distribution, and their course over the rounds. Also chooses the cases that the
 * page shows. */
#include "html/charts/samples.h"

#include <math.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/memory.h"
#include "html/page.h"
#include "stats/math.h"
#include "summary/bench.h"
#include "summary/marks.h"

/* Choosing what the page shows of a very large run: whole benches, or the most informative cases. Counts, geometric
 * means and the verdict always include all rows. */

enum { CELLS_MAX = 1200 /* limit of the cells in the matrices of all benches together: 200 cases x 6 variants */ };

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

/* Returns the `most` cases with the highest score, in the order of the bench. The caller frees the list. */
static const struct run_case **html_fold_best(const struct page *page, const struct run_bench *bench, size_t most,
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

/* Scores how informative a case is: failures highest, then by the largest ratio between the variants' times. */
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

/* Returns how many cases per bench the page has room for if all benches get the same number; at least one. */
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

/* Returns the number of cases in which the variant was not skipped. */
static size_t count_tried_cases(const struct run_bench *bench, size_t variant) {
  size_t count = 0;
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct record *row = bench->cases[i].rows[variant];
    count += row != NULL && row_status_of(row) != ROW_SKIPPED;
  }
  return count;
}

/* Finds the variants that skip most cases. They share one column, because separate columns would be mostly empty. */
static void find_rare(struct page_bench *to) {
  const struct run_bench *bench = &to->bench;
  to->rare = xcalloc(bench->variant_count, sizeof *to->rare);
  for (size_t i = 0; i < bench->variant_count && bench->case_count > 1 && !bench->yardstick; i++) {
    bool base = false;
    for (size_t j = 0; j < bench->case_count; j++)
      base = base || (bench->cases[j].rows[i] != NULL && baseline_is(&bench->cases[j], bench->cases[j].rows[i]));
    to->rare[i] = !base && 2 * count_tried_cases(bench, i) < bench->case_count;
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
  if (bench_is_latency(&to->bench)) to->bench.rate = RATE_NONE; /* single calls have no meaningful throughput */
  to->unit = bench_time_unit(&to->bench);
  to->rate = bench_rate_unit(&to->bench);
  to->ceilings = to->bench.rate != RATE_NONE && bench_has_ceilings(&to->bench);
  to->marks = marks_shared(&(struct mark_scope){page->data, &to->bench, NULL, NULL});
  find_rare(to);
  html_reasons_find(to);
}

static bool has_samples(const struct page *page, const struct run_bench *bench, const struct run_case *point) {
  for (size_t i = 0; i < bench->variant_count; i++) {
    const struct record *row = point->rows[i];
    if (!row_timed(row)) continue;
    const struct run_samples *samples = run_data_samples_of(page->data, row);
    if (samples != NULL && samples->ns_count != 0) return true;
  }
  return false;
}

/* Returns a score of how much the samples of the case varied; -1 if there are no samples to draw. */
static double restless(const struct page *page, const struct run_bench *bench, const struct run_case *point) {
  double score = 0;
  if (!has_samples(page, bench, point)) return -1;
  for (size_t i = 0; i < bench->variant_count; i++) {
    const struct record *row = point->rows[i];
    if (!row_timed(row)) continue;
    if (row->throttled_share > 0) score = fmax(score, 1 + row->throttled_share);
    if (row->median_raw_ns > 0 && row->mad_ns >= 0) score = fmax(score, row->mad_ns / row->median_raw_ns);
    if (isfinite(row->drift)) score = fmax(score, fabs(row->drift));
  }
  return score;
}

static bool has_sample_charts(const struct page_bench *of) {
  return !of->bench.yardstick && of->bench.case_count != 0 && of->bench.variant_count != 0;
}

struct sample_room {
  /* all: number of cases with samples; most: how many of them may be drawn; of_bench: how many of each bench */
  size_t all, most, of_bench;
};

enum { CASES_MAX = 24, STRIPS_MAX = 72 /* limit of the strips (variants) of all cases together */, ROWS_MAX = 8 };

static size_t count_sampled(const struct page *page) {
  size_t count = 0;
  for (size_t i = 0; i < page->summary.bench_count; i++) {
    const struct run_bench *bench = &page->benches[i].bench;
    for (size_t j = 0; j < bench->case_count; j++)
      count += !bench->yardstick && has_samples(page, bench, &bench->cases[j]);
  }
  return count;
}

static struct sample_room find_room(const struct page *page) {
  struct sample_room room = {count_sampled(page), CASES_MAX, 0};
  size_t benches = 0;
  for (size_t i = 0; i < page->summary.bench_count; i++) {
    const size_t variants = page->benches[i].bench.variant_count, strips = variants < ROWS_MAX ? variants : ROWS_MAX;
    if (!has_sample_charts(&page->benches[i])) continue;
    benches++;
    if (STRIPS_MAX / strips < room.most) room.most = STRIPS_MAX / strips;
  }
  room.of_bench = room.all <= room.most ? room.most : benches != 0 && room.most > benches ? room.most / benches : 1;
  return room;
}

/* Chooses the cases whose samples are drawn. */
static void html_samples_choose(struct page *page) {
  const struct sample_room room = find_room(page);
  size_t chosen = 0;
  for (size_t i = 0; i < page->summary.bench_count; i++) {
    struct page_bench *of = &page->benches[i];
    size_t count = 0;
    of->sampled = xcalloc(of->bench.case_count, sizeof *of->sampled);
    if (!has_sample_charts(of) || chosen >= room.most) continue;
    SCOPED const struct run_case **cases = html_fold_best(page, &of->bench, room.of_bench, restless, &count);
    for (size_t j = 0; j < count; j++) {
      if (!has_samples(page, &of->bench, cases[j])) continue;
      of->sampled[html_case_number(page, i, cases[j]) - 1] = true;
      chosen++;
    }
  }
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

static double *sample_percents(const struct run_samples *samples, double median) {
  double *percent = xcalloc(samples->ns_count, sizeof *percent);
  for (size_t i = 0; i < samples->ns_count; i++)
    percent[i] = 100 * (samples->ns[i] / median - 1);
  stats_sort(percent, samples->ns_count);
  return percent;
}

static void collect_samples(struct sampled_case *sampled) {
  const struct run_bench *bench = sampled->bench;
  sampled->items = xcalloc(bench->variant_count, sizeof *sampled->items);
  for (size_t i = 0; i < bench->variant_count && sampled->count < ROWS_MAX; i++) {
    const struct record *row = sampled->point->rows[i];
    const struct run_samples *samples = row_timed(row) ? run_data_samples_of(sampled->page->data, row) : NULL;
    if (samples == NULL || samples->ns_count == 0) continue;
    sampled->items[sampled->count++] = (struct sampled){row, samples, i, sample_percents(samples, row->median_raw_ns)};
  }
}

static void note_of(const struct sampled *item, char *to, size_t size) {
  char outliers[64] = "";
  if (item->row->outliers >= 0)
    snprintf(outliers, sizeof outliers, ", %lld outlier%s", (long long)item->row->outliers,
             item->row->outliers == 1 ? "" : "s");
  snprintf(to, size, "median %s, %zu samples%s", number_time(item->row->median_raw_ns).text, item->samples->ns_count,
           outliers);
}

static void write_quantile(FILE *out, const struct sampled *item, double p) {
  const double percent = stats_quantile(item->percent, item->samples->ns_count, p);
  html_cell(out, number_time(item->row->median_raw_ns * (1 + percent / 100)).text);
}

static void write_sample_figures(const struct sampled_case *sampled, const char *title) {
  static const char *const heads[] = {"variant", "samples", "smallest", "5%",      "25%",
                                      "median",  "75%",     "95%",      "largest", "outliers"};
  static const double levels[] = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};
  FILE *out = sampled->page->out;
  html_figures_open(out, title, heads, sizeof heads / sizeof heads[0]);
  for (size_t i = 0; i < sampled->count; i++) {
    const struct sampled *item = &sampled->items[i];
    xml_print(out, "<tr><th scope=\"row\">%s</th><td>%zu</td>", item->row->variant, item->samples->ns_count);
    for (size_t j = 0; j < sizeof levels / sizeof levels[0]; j++)
      write_quantile(out, item, levels[j]);
    if (item->row->outliers >= 0)
      fprintf(out, "<td>%lld</td></tr>\n", (long long)item->row->outliers);
    else
      fputs("<td></td></tr>\n", out);
  }
  html_figures_close(out);
}

static void draw_sample_spread(const struct sampled_case *sampled) {
  struct svg_spread_row rows[ROWS_MAX];
  char notes[ROWS_MAX][160], id[32], title[KEY_SIZE * 2 + 32];
  for (size_t i = 0; i < sampled->count; i++) {
    const struct sampled *item = &sampled->items[i];
    note_of(item, notes[i], sizeof notes[i]);
    rows[i] = (struct svg_spread_row){
        .name = text_or_empty(item->row->variant),
        .note = notes[i],
        .place = item->place,
        .percent = item->percent,
        .count = item->samples->ns_count,
        .tick = item->row->tick_ns > 0 ? 100 * item->row->tick_ns / item->row->median_raw_ns : 0};
  }
  snprintf(id, sizeof id, "spread-%zu", sampled->number);
  snprintf(title, sizeof title, "%s: distribution of the samples", sampled->name);
  const struct svg_spread chart = {
      {id, title,
       "For each variant a histogram of all samples by their distance from its median, below it the middle half as a "
       "bar "
       "and outliers (beyond 1.5 times that half) as strokes. Of more than 40 strokes a part is drawn; what lies "
       "beyond the edges is counted there."},
      rows,
      sampled->count};
  fputs("<figure>\n<figcaption>Distribution of the samples</figcaption>\n", sampled->page->out);
  svg_spread(sampled->page->out, &chart);
  write_sample_figures(sampled, title);
  fputs("</figure>\n", sampled->page->out);
}

static void write_sampled_case(const struct page *page, size_t index, const struct run_case *point, size_t number) {
  struct sampled_case sampled = {.page = page, .bench = &page->benches[index].bench, .point = point, .number = number};
  char name[KEY_SIZE * 2 + 2];
  snprintf(name, sizeof name, "%s, %s", html_bench_name(page, index).text,
           bench_case_label(sampled.bench, point, true).text);
  sampled.name = name;
  collect_samples(&sampled);
  fprintf(page->out, "<details%s>\n<summary>", number == 0 ? " open" : "");
  xml_print(page->out, "%s</summary>\n<div class=\"charts\" id=\"samples-%zu-%zu\">\n", name, index,
            html_case_number(page, index, point));
  draw_sample_spread(&sampled);
  html_rounds(&sampled);
  fputs("</div>\n</details>\n", page->out);
  for (size_t i = 0; i < sampled.count; i++)
    free(sampled.items[i].percent);
  free(sampled.items);
}

void html_samples(const struct page *page) {
  const struct sample_room room = find_room(page);
  size_t written = 0;
  if (room.all == 0) return;
  html_part_open(page->out, "samples", "Samples and rounds");
  if (room.all > room.most)
    fprintf(
        page->out,
        "<p class=\"fold\">Of %zu cases those that varied most are here, at most %zu of a bench. All samples are in "
        "samples.csv.</p>\n",
        room.all, room.of_bench);
  for (size_t i = 0; i < page->summary.bench_count; i++)
    for (size_t j = 0; j < page->benches[i].bench.case_count; j++)
      if (page->benches[i].sampled[j]) write_sampled_case(page, i, &page->benches[i].bench.cases[j], written++);
  html_part_close(page->out);
}
