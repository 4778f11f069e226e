/* Writes Markdown for the summary of a CI step or a pull request: the result in one sentence, failures, a table for
 * each bench. The text stays below the size that GitHub accepts, and says how many cases are left out. */
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/number.h"
#include "compare/compare.h"
#include "export/export.h"
#include "record/csv/csv.h"
#include "record/run_data.h"
#include "summary/bench.h"
#include "summary/devices.h"
#include "summary/foreign.h"
#include "summary/geomean.h"
#include "summary/marks.h"
#include "summary/sentence.h"
#include "summary/summary.h"

enum { REASON_SIZE = 161, REASONS_MAX = 20 };

#define WARNING "\xE2\x9A\xA0 "

static void write_warning(FILE *out, const char *text) {
  markdown_print(out, "- " WARNING "%s\n", text);
}

/* Writes the conditions that limit the whole run: a quick run, throttling, the state of the machine. */
static void markdown_conditions(const struct run_data *data, const struct run_summary *summary, FILE *out) {
  char text[TEXT_SIZE], isolated[2 * TEXT_SIZE];
  const char *conditions = run_data_get(data, "conditions");
  const bool wrong = conditions != NULL && strncmp(conditions, "ok", 2) != 0, quick = conditions_quick(data);
  conditions_throttled(summary, text, sizeof text);
  if (quick) write_warning(out, CONDITIONS_QUICK);
  if (wrong) write_warning(out, conditions);
  if (text[0] != '\0') write_warning(out, text);
  conditions_isolated(data, isolated, sizeof isolated);
  if (isolated[0] != '\0') markdown_print(out, "- %s\n", isolated);
  if (quick || wrong || text[0] != '\0' || isolated[0] != '\0') fputc('\n', out);
}

/* Writes a row's marks (notes on weak figures) after its figures, except those that all rows have (`of_all`). */
static void markdown_marks(const struct run_data *data, const struct run_case *point, const struct record *row,
                           unsigned of_all, FILE *out) {
  char text[TEXT_SIZE], reason[REASON_SIZE];
  const unsigned marks = marks_of(data, point, row);
  const bool says = !marks_cover_message(marks) && text_or_empty(row->message)[0] != '\0';
  marks_text(marks & ~of_all, text, sizeof text);
  if (text[0] == '\0' && !says) return;
  fprintf(out, " " WARNING "%s%s", text, text[0] != '\0' && says ? ": " : "");
  if (!says) return;
  const bool whole = text_copy(reason, sizeof reason, row->message);
  markdown_print(out, "%s%s", reason, whole ? "" : "...");
}

/* ---- Why rows have no time ---- */

struct reason {
  const struct record *row; /* the first row with this reason */
  const struct run_case *point;
  size_t count;
};

/* Returns true if the row has no time and is not among the failures, which are listed already. */
static bool needs_reason(const struct run_data *data, const struct run_summary *summary, const struct record *row) {
  return row_status_of(row) != ROW_OK && !summary_failed(data, summary, row);
}

static struct reason *find_reason(struct reason *reasons, size_t count, const struct record *row) {
  for (size_t i = 0; i < count; i++)
    if (text_same(reasons[i].row->variant, row->variant) && text_same(reasons[i].row->message, row->message) &&
        row_status_of(reasons[i].row) == row_status_of(row))
      return &reasons[i];
  return NULL;
}

static void write_reason(const struct run_bench *bench, const struct reason *reason, FILE *out) {
  const char *message = text_or_empty(reason->row->message);
  markdown_print(out, "- **%s** %s in %s", text_or_empty(reason->row->variant),
                 row_status_words(row_status_of(reason->row)), bench_case_label(bench, reason->point, false).text);
  if (reason->count > 1) fprintf(out, " and %zu more", reason->count - 1);
  markdown_print(out, "%s%s\n", message[0] != '\0' ? ": " : "", message);
}

/* Writes below a bench's table the marks that all rows have, and why rows have no time, each reason once. */
static void markdown_reasons(const struct run_data *data, const struct run_summary *summary,
                             const struct run_bench *bench, FILE *out) {
  struct reason reasons[REASONS_MAX], *found;
  size_t count = 0, rest = 0;
  char text[TEXT_SIZE];
  marks_text(marks_shared(&(struct mark_scope){data, bench, NULL, NULL}), text, sizeof text);
  if (text[0] != '\0') fprintf(out, WARNING "Every row: %s.\n\n", text);
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    if (!needs_reason(data, summary, at.row)) continue;
    if ((found = find_reason(reasons, count, at.row)) != NULL)
      found->count++;
    else if (count < REASONS_MAX)
      reasons[count++] = (struct reason){at.row, at.point, 1};
    else
      rest++;
  }
  for (size_t i = 0; i < count; i++)
    write_reason(bench, &reasons[i], out);
  if (rest != 0) fprintf(out, "- and %zu more rows without a time\n", rest);
  if (count != 0) fputc('\n', out);
}

/* ---- What marks mean ---- */

/* Writes for each bench why its times are unproven (not confirmed by gpubench's checks). The legend explains only the
 * word. */
static void write_unproven(const struct run_data *data, const struct run_summary *summary, FILE *out) {
  char text[MSG_SIZE];
  for (size_t i = 0; i < summary->bench_count && !summary->benches[i].yardstick; i++) {
    const struct mark_scope scope = {.data = data, .bench = &summary->benches[i]};
    if (marks_count(&scope, MARK_UNPROVEN) == 0) continue;
    marks_tell(&scope, 1U << MARK_UNPROVEN, text, sizeof text);
    markdown_print(out, "- " WARNING "%s, %s\n", summary->benches[i].name, text);
  }
}

/* Writes the meaning of each mark (a note on a weak figure) that some row has. */
static void markdown_legend(const struct run_data *data, const struct run_summary *summary, FILE *out) {
  unsigned seen = 0;
  for (size_t i = 0; i < summary->bench_count && !summary->benches[i].yardstick; i++)
    seen |= marks_seen(data, &summary->benches[i]);
  if (seen == 0) return;
  for (unsigned i = 0; i < MARK_COUNT; i++)
    if (seen >> i & 1) fprintf(out, "- " WARNING "%s: %s\n", mark_word(i), mark_meaning(i));
  if (seen >> MARK_UNPROVEN & 1) write_unproven(data, summary, out);
  fputc('\n', out);
}

enum { BYTES_MAX = 1000 * 1000 /* GitHub accepts 1 MiB */, FAILURES_MAX = 100 };

struct page {
  FILE *out;
  const struct run_data *data;
  const struct run_summary *summary;
  size_t used; /* bytes written so far */
  bool full;
  unsigned marks; /* marks that all rows of the current bench have, which are written once for the bench */
  /* the piece of text that is being written; it is built in memory, and then added to the page as a whole or not at all
   */
  struct memory_text piece;
};

static FILE *begin_piece(struct page *page) {
  return memory_text_begin(&page->piece);
}

/* Adds the piece of text to the page if it fits. After the first piece that did not fit, none is added, even if it is
 * short. */
static bool end_piece(struct page *page) {
  SCOPED char *text = memory_text_end(&page->piece);
  page->full = page->full || page->used + page->piece.size > BYTES_MAX;
  if (!page->full) {
    fputs(text, page->out);
    page->used += page->piece.size;
  }
  return !page->full;
}

static void write_first(struct page *page) {
  char sentence[2 * MSG_SIZE];
  enum run_outcome outcome = summary_sentence(page->data, page->summary, sentence, sizeof sentence);
  FILE *out = begin_piece(page);
  const enum against_verdict verdict = against_worst(page->data);
  const bool clear = verdict == AGAINST_CLEAR;
  fprintf(out, "## %s ",
          clear && outcome == RUN_PASSED     ? "\xE2\x9C\x93"
          : clear && outcome == RUN_LEFT_OUT ? "\xE2\x80\x93"
                                             : "\xE2\x9C\x97");
  if (verdict != AGAINST_CLEAR) fprintf(out, "%s: ", against_verdict_name(verdict));
  markdown_print(out, "%s\n\n", sentence);
  markdown_conditions(page->data, page->summary, out);
  end_piece(page);
}

/* ---- Listing what failed ---- */

static void write_failed_row(struct page *page, const struct export_row *row) {
  char sentence[OUT_SENTENCE_SIZE];
  FILE *out = begin_piece(page);
  bool required = record_required(page->data, row->record);
  export_sentence(row, sentence, sizeof sentence);
  markdown_print(out, "- **%s** in %s%s%s%s: %s\n", text_or_empty(row->record->variant), row->point->key,
                 row->where[0] ? ", " : "", row->where, required ? ", required" : "", sentence);
  end_piece(page);
}

static void write_failed_rows(struct page *page) {
  size_t count = 0;
  struct export_row row = {.data = page->data, .summary = page->summary};
  while (export_next(&row)) {
    if (!summary_failed(page->data, page->summary, row.record)) continue;
    if (count++ == 0) fputs("### Failures\n\n", page->out);
    if (count <= FAILURES_MAX) write_failed_row(page, &row);
  }
  if (count > FAILURES_MAX) fprintf(page->out, "- and %zu more\n", count - FAILURES_MAX);
  if (count != 0) fputc('\n', page->out);
}

/* ---- Tables ---- */

static void write_status_words(FILE *out, const struct record *record) {
  const char *right = row_is_yardstick(record) ? "yardstick" : "correct";
  escape_markdown(out, row_status_of(record) == ROW_OK ? right : row_status_words(row_status_of(record)));
}

static void write_point_figures(FILE *out, const struct run_bench *bench, const struct run_case *point,
                                const struct record *record) {
  const bool launch_limited = bench_case_launch_limited(bench, point);
  const char *bold = record == point->winner ? "**" : "";
  struct number text = number_plus_minus("\xC2\xB1", record->median_raw_ns, record->ci95_lo_ns, record->ci95_hi_ns);
  fprintf(out, "%s%s%s%s%s", bold, number_time(record->median_raw_ns).text, bold, text.text[0] != '\0' ? " " : "",
          text.text);
  text = row_left(record, "\xC2\xB1");
  if (launch_limited && text.text[0] != '\0') fprintf(out, " (less the launch overhead %s)", text.text);
  bench_rate_text(bench, row_rate(bench->rate, record), text.text, sizeof text.text);
  if (text.text[0] != '\0') fprintf(out, ", %s", text.text);
  if (baseline_is(point, record) || !(record->speedup > 0)) return;
  text = number_ratio_within(record->speedup, record->speedup_lo, record->speedup_hi);
  fprintf(out, ", %s ", text.text);
  if (launch_limited) fprintf(out, "(less the launch overhead %s) ", row_left_ratio(record).text);
  escape_markdown(out, row_verdict(record));
  if (baseline_beside(bench, record) != NULL) markdown_print(out, " vs %s", record->baseline);
}

static void write_point_cell(FILE *out, const struct page *page, const struct run_bench *bench,
                             const struct run_case *point, const struct record *record) {
  if (record == NULL) return;
  if (!row_timed(record)) {
    write_status_words(out, record);
    return;
  }
  write_point_figures(out, bench, point, record);
  markdown_marks(page->data, point, record, page->marks, out);
}

static void write_foreign_figures(FILE *out, const struct run_bench *bench, const struct run_case *point,
                                  const struct foreign_row *row) {
  const double ratio = foreign_ratio(point, row);
  struct number text = number_time_within("\xC2\xB1", row->median_ns, row->lo_ns, row->hi_ns);
  fputs(text.text, out);
  bench_rate_text(bench, foreign_rate(bench->rate, bench, point, row), text.text, sizeof text.text);
  if (text.text[0] != '\0') fprintf(out, ", %s", text.text);
  text = number_ratio(ratio, ratio);
  if (text.text[0] != '\0') fprintf(out, ", %sx", text.text);
  if (foreign_is_mixed(point, row)) fputs(" \xE2\x9A\xA0 mixed math", out);
}

static bool write_table_head(struct page *page, const struct run_bench *bench) {
  char axes[KEY_SIZE], over[KEY_SIZE];
  FILE *out = begin_piece(page);
  bench_fixed_axes(bench, axes, sizeof axes);
  markdown_print(out, "### %s\n\n", title_bench(page->data, page->summary, bench).text);
  if (axes[0] != '\0') markdown_print(out, "with %s; ", axes);
  baseline_text(bench, over, sizeof over);
  if (over[0] != '\0') markdown_print(out, "speedup over %s with its 95%% interval; ", over);
  fputs("bold: the fastest beyond the intervals", out);
  if (bench_find(bench, row_launch_limited) != NULL)
    fputs(
        "; where an empty launch (the launch overhead) takes more than 5% of a time, rates exclude it and a verdict "
        "needs both",
        out);
  fputs("\n\n| case |", out);
  for (size_t i = 0; i < bench->variant_count; i++)
    markdown_print(out, " %s |", bench->variants[i]);
  for (size_t i = 0; i < bench->foreign_count; i++)
    markdown_print(out, " %s \\(timed by %s, not interleaved\\) |", bench->foreign[i].variant,
                   bench->foreign[i].source);
  fputs("\n|---|", out);
  for (size_t i = 0; i < bench->variant_count + bench->foreign_count; i++)
    fputs("---|", out);
  fputc('\n', out);
  return end_piece(page);
}

static bool write_table_row(struct page *page, const struct run_bench *bench, const struct run_case *point) {
  FILE *out = begin_piece(page);
  markdown_print(out, "| %s |", bench_case_label(bench, point, true).text);
  for (size_t i = 0; i < bench->variant_count; i++) {
    fputc(' ', out);
    write_point_cell(out, page, bench, point, point->rows[i]);
    fputs(" |", out);
  }
  for (size_t i = 0; i < bench->foreign_count; i++) {
    fputc(' ', out);
    if (foreign_at(point, i) != NULL) write_foreign_figures(out, bench, point, foreign_at(point, i));
    fputs(" |", out);
  }
  fputc('\n', out);
  return end_piece(page);
}

static void write_mean_speedup(FILE *out, const struct run_bench *bench, size_t variant) {
  const struct geomean mean = geomean_base(bench, variant);
  char text[KEY_SIZE];
  if (mean.count == 0) return;
  const struct number interval = number_interval(mean.lo, mean.hi, mean.ratio);
  fprintf(out, "%sx %s ", number_ratio(mean.ratio, mean.ratio).text,
          interval.text[0] != '\0' ? interval.text : "no interval");
  geomean_count_text(bench, &mean, text, sizeof text);
  markdown_print(out, "%s%s%s", mean.word, mean.word[0] != '\0' ? ", " : "of ", text);
}

static void write_table_means(struct page *page, const struct run_bench *bench) {
  if (bench->case_count < 2 || bench->baseline == NULL) return;
  FILE *out = begin_piece(page);
  fputs("| geometric mean |", out);
  for (size_t i = 0; i < bench->variant_count; i++) {
    fputc(' ', out);
    write_mean_speedup(out, bench, i);
    fputs(" |", out);
  }
  for (size_t i = 0; i < bench->foreign_count; i++)
    fputs(" |", out);
  fputc('\n', out);
  end_piece(page);
}

/* Writes the notes below a bench's table, such as how many verdicts were withdrawn and why rows have no time. */
static void write_rest(struct page *page, const struct run_bench *bench) {
  char text[TEXT_SIZE];
  FILE *out = begin_piece(page);
  words_sentence(bench, text, sizeof text);
  if (text[0] != '\0') fprintf(out, "%s.\n\n", text);
  markdown_reasons(page->data, page->summary, bench, out);
  end_piece(page);
}

static void write_tables(struct page *page) {
  size_t cases = 0, shown = 0;
  for (size_t i = 0; i < page->summary->bench_count && !page->summary->benches[i].yardstick; i++) {
    const struct run_bench *bench = &page->summary->benches[i];
    bool fits = write_table_head(page, bench);
    page->marks = marks_shared(&(struct mark_scope){page->data, bench, NULL, NULL});
    for (size_t j = 0; j < bench->case_count && fits; j++) {
      fits = write_table_row(page, bench, &bench->cases[j]);
      shown += fits;
    }
    if (fits) write_table_means(page, bench);
    cases += bench->case_count;
    fputc('\n', page->out);
    if (fits) write_rest(page, bench);
  }
  if (shown < cases)
    fprintf(page->out, "%zu of %zu cases are left out here; results.csv has all.\n\n", cases - shown, cases);
  markdown_legend(page->data, page->summary, begin_piece(page));
  end_piece(page);
}

/* ---- Before and after the tables ---- */

/* Writes which devices differ from others of the same model, or that none does. */
static void write_odd(struct page *page) {
  struct device_outliers outliers;
  device_outliers_find(page->data, &outliers);
  for (size_t i = 0; i < outliers.sentences.count; i++)
    markdown_print(page->out, "%s: %s.\n\n", outliers.named ? "Odd one out" : "Devices", outliers.sentences.items[i]);
  device_outliers_free(&outliers);
}

static void write_about(struct page *page) {
  static const char *const names[][2] = {{"device", "device_name"}, {"driver", "driver"},
                                         {"host", "host"},          {"gpubench", "gpubench_version"},
                                         {"begun", "started_utc"},  {"conditions", "conditions"}};
  const char *between = "";
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *value = run_data_get(page->data, names[i][1]);
    if (value == NULL || value[0] == '\0') continue;
    markdown_print(page->out, "%s%s: %s", between, names[i][0], value);
    between = "; ";
  }
  if (between[0] != '\0') fputs("\n\n", page->out);
  for (size_t i = 0; i < page->data->notes.count; i++)
    markdown_print(page->out, "> %s\n\n", page->data->notes.items[i]);
}

int export_markdown(const struct run_data *data, FILE *out, struct err *err) {
  struct run_summary summary;
  summary_build(data, &summary);
  struct page page = {.out = out, .data = data, .summary = &summary};
  write_first(&page);
  write_failed_rows(&page);
  write_tables(&page);
  write_odd(&page);
  for (size_t i = 0; i < page.data->run_count; i++) {
    against_markdown(page.data, i, begin_piece(&page));
    end_piece(&page);
  }
  write_about(&page);
  summary_free(&summary);
  return output_end(out, "the Markdown", err);
}
