/* Prints headings, columns that several tables share, lines below tables, and the summary. */
#include "terminal/lines.h"

#include <math.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/grid.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "summary/bench.h"
#include "summary/foreign.h"
#include "summary/geomean.h"
#include "summary/marks.h"
#include "summary/sentence.h"

/* ---- Columns that several tables share ---- */

size_t columns_add(struct grid *grid, enum grid_align align, int drop, const char *head) {
  size_t column = grid_column(grid, align, drop);
  grid_set(grid, column, GRID_FAINT, "%s", head);
  return column;
}

struct columns_ratio columns_add_ratio(struct grid *grid, const char *head, int drop) {
  struct columns_ratio at;
  at.ratio = columns_add(grid, GRID_POINT, 0, head);
  at.interval = columns_add(grid, GRID_LEFT, drop, "[95%]");
  at.word = columns_add(grid, GRID_SENTENCE, 0, "");
  return at;
}

void columns_set_ratio(struct grid *grid, const struct columns_ratio *at, enum grid_style style, double ratio,
                       double lo, double hi) {
  const struct number text = number_ratio(ratio, ratio);
  if (text.text[0] != '\0') grid_set(grid, at->ratio, style, "%sx", text.text);
  grid_set(grid, at->interval, GRID_PLAIN, "%s", number_interval(lo, hi, ratio).text);
}

void table_text(FILE *out, enum grid_style style, bool color, bool utf8, const char *text) {
  SCOPED char *copy = xstrdup(text);
  escape_terminal(copy, utf8);
  grid_styled(out, style, color, copy);
}

void table_label(FILE *out, bool utf8, const char *text) {
  SCOPED char *copy = xstrdup(text);
  escape_terminal(copy, utf8);
  fprintf(out, "%-11s ", copy);
}

void table_line(FILE *out, bool utf8, const char *label, const char *text) {
  table_label(out, utf8, label);
  table_say(out, utf8, "%s\n", text);
}

void table_heading(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                   FILE *out, bool color, bool utf8) {
  char axes[KEY_SIZE], where[KEY_SIZE], over[KEY_SIZE];
  bench_fixed_axes(bench, axes, sizeof axes);
  title_where(data, summary, bench, where, sizeof where);
  table_text(out, GRID_BOLD, color, utf8, bench->name);
  if (where[0] != '\0') fputs(", ", out);
  table_text(out, GRID_BOLD, color, utf8, where);
  baseline_text(bench, over, sizeof over);
  table_say(out, utf8, "%s%s%s%s%s%s\n", axes[0] != '\0' ? "  " : "", axes, bench->mode[0] != '\0' ? "  " : "",
            bench->mode, over[0] != '\0' ? "  speedup vs " : "", over);
}

void table_no_baseline(const struct run_bench *bench, FILE *out, bool utf8) {
  if (bench->baseline != NULL || bench_contests(bench) == 0) return;
  table_line(out, utf8, "speedup", "none: no variant that is right here is a baseline; --baseline NAME makes one");
}

void table_overhead(const struct run_bench *bench, FILE *out, bool utf8) {
  const struct record *row = bench_find(bench, row_launch_limited);
  const struct number_unit unit = number_time_unit(row->launch_overhead_ns);
  char text[TEXT_SIZE];
  const struct number unc = number_significant(row->launch_overhead_unc_ns / unit.ns, 2);
  snprintf(text, sizeof text, "less what an empty launch takes, %s%s%s %s: where it is above",
           number_significant(row->launch_overhead_ns / unit.ns, 3).text, unc.text[0] != '\0' ? " +-" : "", unc.text,
           unit.name);
  table_line(out, utf8, "-launch", text);
  table_line(out, utf8, "", "5% rates and ceil% are of what is left; verdicts need both; ?: unknown");
}

static void print_fastest(const struct run_bench *bench, FILE *out, bool utf8) {
  size_t contests = bench_contests(bench), clear = 0;
  if (contests == 0 || bench->bases == BASES_TWINS) return;
  table_label(out, utf8, "fastest");
  const char *between = "";
  for (size_t i = 0; i < bench->variant_count; i++) {
    size_t wins = bench_wins(bench, i);
    if (wins == 0) continue;
    table_say(out, utf8, "%s%s in %zu of %zu case%s", between, bench->variants[i], wins, contests,
              contests == 1 ? "" : "s");
    between = ", ";
    clear += wins;
  }
  if (clear < contests) fprintf(out, "%sno clear winner in %zu", between, contests - clear);
  fputc('\n', out);
}

/* Prints how many verdicts there are of each kind: "1 faster, 2 slower, 9 same against @old". */
static void print_verdicts(const struct run_bench *bench, FILE *out, bool utf8) {
  const struct verdict_counts verdicts = verdict_counts(bench);
  char words[TEXT_SIZE];
  if (bench->bases != BASES_TWINS) return;
  verdict_counts_text(&verdicts, words, sizeof words);
  if (words[0] == '\0') return;
  table_label(out, utf8, "builds");
  table_say(out, utf8, "%s against %s\n", words, baseline_label(bench));
}

static bool has_twins(const struct run_bench *bench, size_t variant) {
  for (size_t i = 0; i < bench->case_count; i++)
    if (bench->cases[i].rows[variant] != NULL) return row_is_twin(bench->cases[i].rows[variant]);
  return false;
}

/* Prints "5.543x standard [5.527, 5.560] ^ faster (geomean of 4, 1 undecided; 1.003x without long/16k)". Returns false
 * if there is no mean. */
static bool print_mean(const struct run_bench *bench, const char *label, struct geomean mean, const char *over,
                       FILE *out, bool utf8) {
  const struct verdict_look look = verdict_look(mean.word, utf8);
  const bool known = look.word[0] != '\0';
  char swayed[KEY_SIZE];
  if (mean.count == 0) return false;
  const struct number ratio = known ? number_ratio(mean.ratio, mean.ratio) : number_significant(mean.ratio, 3);
  table_label(out, utf8, label);
  table_say(out, utf8, "%sx %s", ratio.text, over);
  if (known) fprintf(out, " %s %s%s", number_interval(mean.lo, mean.hi, mean.ratio).text, look.glyph, look.word);
  if (mean.count > 1) fprintf(out, " (geomean of %zu", mean.count);
  if (mean.count == 1) fputs(" (1 case", out);
  if (!known && mean.count > 1) fputs(", no interval", out);
  if (known && mean.undecided != 0) fprintf(out, ", %zu undecided", mean.undecided);
  geomean_swayed_text(bench, &mean, swayed, sizeof swayed);
  table_say(out, utf8, "%s%s)\n", swayed[0] != '\0' ? "; " : "", swayed);
  return true;
}

/* Prints the ratios to other variants, "no interval: 0.911x mine (5 cases both ran), 1.10x cudnn (2 cases both ran)",
 * after `label` in the first line. */
static void print_others(const struct run_bench *bench, size_t variant, size_t base, const char *label, FILE *out,
                         bool utf8) {
  enum { OTHERS_MAX = 3 };
  size_t printed = 0;
  for (size_t over = 0; over < bench->variant_count && printed < OTHERS_MAX; over++) {
    if (over == base || over == variant) continue;
    const struct geomean mean = geomean_over(bench, variant, over);
    if (mean.count == 0) continue;
    if (printed == 0) table_label(out, utf8, label);
    table_say(out, utf8, "%s%sx %s (%zu case%s both ran)", printed++ == 0 ? "no interval: " : ", ",
              number_significant(mean.ratio, 3).text, bench->variants[over], mean.count, mean.count == 1 ? "" : "s");
  }
  if (printed != 0) fputc('\n', out);
}

/* Prints mean speedups if cases have different baselines. If --baseline named several variants, the baseline of each
 * case is the fastest of these, and one mean is printed. Otherwise one mean is printed for each variant that is the
 * baseline of some case. Returns false if there is no mean. */
static bool print_several(const struct run_bench *bench, size_t variant, FILE *out, bool utf8) {
  const char *label = bench->variants[variant];
  bool printed = false;
  if (bench->fastest_named)
    return print_mean(bench, label, geomean_base(bench, variant), "each case's baseline", out, utf8);
  for (size_t i = 0; i < bench->variant_count; i++) {
    const char *base = bench->variants[i];
    printed = print_mean(bench, printed ? "" : label, geomean_named(bench, variant, base), base, out, utf8) || printed;
  }
  return printed;
}

/* Prints the variant's mean speedup over its own baseline first, then those over other variants, which are computed
 * from medians and have no interval. A variant with a twin (the same variant in another build) is only compared with
 * the twin. */
static void print_ratios(const struct run_bench *bench, size_t variant, FILE *out, bool utf8) {
  const size_t base = baseline_column(bench, variant);
  if (base == variant && bench->bases != BASES_SEVERAL) return;
  const char *label = bench->variants[variant];
  bool named = false;
  if (base >= bench->variant_count)
    named = print_several(bench, variant, out, utf8);
  else if (base != variant)
    named = print_mean(bench, label, geomean_over(bench, variant, base), bench->variants[base], out, utf8);
  if (base >= bench->variant_count || !has_twins(bench, variant))
    print_others(bench, variant, base, named ? "" : label, out, utf8);
}

static void print_verified(const struct run_summary *summary, FILE *out, bool utf8) {
  char when[TEXT_SIZE];
  if (summary->checked == 0) return;
  table_label(out, utf8, "verified");
  fprintf(out, "%zu of %zu against float64", summary->verified, summary->checked);
  if (summary->worst != NULL) {
    const struct number allowed = number_error(summary->worst->verify_tolerance);
    fprintf(out, ", worst error %s", number_error(summary->worst->verify_error).text);
    if (allowed.text[0] != '\0') fprintf(out, " of %s allowed", allowed.text);
  }
  sentence_when(summary, when, sizeof when);
  if (when[0] != '\0') fprintf(out, "; %s", when);
  fputc('\n', out);
}

static void print_status(const struct run_data *data, const struct run_summary *summary, FILE *out, bool utf8) {
  static const bool always[ROW_STATUS_COUNT] = {
      [ROW_OK] = true, [ROW_SKIPPED] = true, [ROW_WRONG] = true, [ROW_CRASHED] = true};
  const char *wall = run_data_get(data, "wall_s");
  char text[TEXT_SIZE];
  const char *between = "";
  table_label(out, utf8, "status");
  for (size_t i = 0; i < ROW_STATUS_COUNT; i++) {
    const enum row_status status = row_statuses[i];
    if (summary->statuses[status] == 0 && !always[status]) continue;
    fprintf(out, "%s%zu %s", between, summary->statuses[status], row_status_words(status));
    between = ", ";
  }
  sentence_reached(summary, text, sizeof text);
  if (text[0] != '\0') fprintf(out, "; %s", text);
  double seconds = wall != NULL ? strtod(wall, NULL) : 0;
  if (seconds > 0 && isfinite(seconds)) fprintf(out, "; %.3g s", seconds);
  fputc('\n', out);
}

/* Prints "foreign 8 rows timed by PyTorch 2.11.0, not interleaved: in no count, mean or verdict". */
static void print_foreign(const struct run_data *data, const struct run_summary *summary, FILE *out, bool utf8) {
  char text[MSG_SIZE];
  foreign_sentence(data, text, sizeof text);
  if (text[0] != '\0') table_line(out, utf8, "foreign", text);
  for (size_t i = 0; i < summary->bench_count; i++) {
    foreign_left_out(&summary->benches[i], text, sizeof text);
    if (text[0] != '\0') table_line(out, utf8, "foreign", text);
  }
}

/* Prints "runs nightly-a (NVIDIA H200, 748 rows), nightly-b (...)". */
static void print_runs(const struct run_data *data, FILE *out, bool utf8) {
  if (data->run_count < 2) return;
  table_label(out, utf8, "runs");
  for (size_t i = 0; i < data->run_count; i++) {
    const struct run_info *info = &data->runs[i];
    table_say(out, utf8, "%s%s (%s, %zu rows)", i != 0 ? ", " : "", run_data_run_name(data, i).text,
              info->count != 0 ? text_or_empty(data->records[info->first].device_name) : "", info->count);
  }
  fputc('\n', out);
}

void table_summary(const struct run_data *data, const struct run_summary *summary, FILE *out, bool utf8) {
  for (size_t i = 0; i < summary->bench_count; i++) {
    const struct run_bench *bench = &summary->benches[i];
    if (bench->yardstick) break;
    if (summary->bench_count > 1 && !summary->benches[1].yardstick && bench_contests(bench) != 0) {
      table_say(out, utf8, "%s\n", title_bench(data, summary, bench).text);
    }
    print_fastest(bench, out, utf8);
    print_verdicts(bench, out, utf8);
    for (size_t variant = 0; variant < bench->variant_count; variant++)
      print_ratios(bench, variant, out, utf8);
    char text[TEXT_SIZE];
    words_sentence(bench, text, sizeof text);
    if (text[0] != '\0') table_line(out, utf8, "verdicts", text);
  }
  print_verified(summary, out, utf8);
  char text[TEXT_SIZE];
  sentence_alone(data, text, sizeof text);
  if (text[0] != '\0') table_line(out, utf8, "alone", text);
  print_status(data, summary, out, utf8);
  print_foreign(data, summary, out, utf8);
  print_runs(data, out, utf8);
  for (size_t i = 0; i < data->notes.count; i++)
    table_line(out, utf8, "note", data->notes.items[i]);
  if (data->dir == NULL) return;
  table_label(out, utf8, "report");
  table_say(out, utf8, "%s/report.html\n", data->dir);
}

/* ---- Lines below a bench's table about rows that are ok but partly unchecked, for readers who see no report ---- */

/* The marks that these lines report. All other marks are shown in the table, or say how precise a row is and not
 * whether it is correct. */
static const enum mark unproven[] = {MARK_CEILING, MARK_UNPROVEN, MARK_FEW, MARK_DERIVED, MARK_UNVERIFIED, MARK_REUSE};

/* Writes in how many cases each variant has the mark: "fast in 2 of 3 cases, other in 1 of 3 cases"; empty if no row
 * has it. */
static void who_has(const struct mark_scope *scope, enum mark mark, char *to, size_t size) {
  const struct run_bench *bench = scope->bench;
  SCOPED size_t *marked = xcalloc(bench->variant_count, sizeof *marked),
                *timed = xcalloc(bench->variant_count, sizeof *timed);
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    timed[at.variant] += row_timed(at.row);
    marked[at.variant] += marks_of(scope->data, at.point, at.row) >> mark & 1;
  }
  to[0] = '\0';
  for (size_t i = 0; i < bench->variant_count; i++)
    if (marked[i] > 0)
      phrase_add(to, size, ", ", "%s in %zu of %zu case%s", bench->variants[i], marked[i], timed[i],
                 timed[i] == 1 ? "" : "s");
}

void table_marks(const struct run_data *data, const struct run_bench *bench, FILE *out, bool utf8) {
  const struct mark_scope scope = {.data = data, .bench = bench};
  char who[MSG_SIZE], line[2 * MSG_SIZE];
  for (size_t i = 0; i < sizeof unproven / sizeof unproven[0]; i++) {
    who_has(&scope, unproven[i], who, sizeof who);
    if (who[0] == '\0') continue;
    marks_tell(&scope, 1U << unproven[i], line, sizeof line);
    phrase_add(line, sizeof line, " ", "(%s)", who);
    /* the text of the mark "unproven" begins with the words of the label, which are not printed twice */
    const char *label = "unproven", *prefix = "unproven: ";
    table_line(out, utf8, label, strncmp(line, prefix, strlen(prefix)) == 0 ? line + strlen(prefix) : line);
  }
}
