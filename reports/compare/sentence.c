/* The first sentence of a comparison: its verdict, and what it rests on. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "compare/words.h"
#include "summary/summary.h"

enum { NAMED_MAX = 3 };

/* ---- Rows that are named ---- */

static bool is_named(const struct compare_cell *cell, enum against_fate fate, enum verdict word) {
  return cell->fate == fate && (fate != AGAINST_BOTH || (cell->beyond && cell->word == word));
}

static void say_figure(const struct compare_voice *voice, const struct compare_cell *cell) {
  char text[160];
  if (cell->fate != AGAINST_BOTH) {
    fprintf(voice->out, " %s", row_status_words(row_status_of(cell->row)));
  } else if (cell->word == VERDICT_SLOWER) {
    compare_change(&cell->ratio, text, sizeof text);
    fprintf(voice->out, " by %s", text);
  } else {
    compare_speedup(&cell->ratio, text, sizeof text);
    fprintf(voice->out, " %s", text);
  }
}

/* ": flash at gpt2-1k by 9.7% [9.1, 10.3], ... and 4 more" */
static void say_rows(const struct compare_voice *voice, const struct compare *compare, size_t run,
                     enum against_fate fate, enum verdict word) {
  size_t named = 0, left = 0;
  for (size_t i = 0; i < compare->row_count; i++) {
    const struct compare_cell *cell = &compare->rows[i].cells[run];
    if (!is_named(cell, fate, word)) continue;
    if (named == NAMED_MAX) {
      left++;
      continue;
    }
    fputs(named++ == 0 ? ": " : ", ", voice->out);
    compare_where(voice, compare, &compare->rows[i]);
    say_figure(voice, cell);
  }
  if (left != 0) fprintf(voice->out, " and %zu more", left);
}

/* ---- What is not judged ---- */

/* " (busy machine)", " (2 busy machine, 1 too noisy)" */
static void say_gaps(const struct compare_voice *voice, const struct compare_run *run) {
  size_t all = compare_unjudged(run);
  const char *between = " (";
  for (enum gap gap = GAP_NONE; gap < GAPS; gap++) {
    if (run->gaps[gap] == 0) continue;
    fputs(between, voice->out);
    if (run->gaps[gap] != all) fprintf(voice->out, "%zu ", run->gaps[gap]);
    fputs(gap_name(gap), voice->out);
    between = ", ";
  }
  if (all != 0) fputc(')', voice->out);
}

/* A sentence of its own begins with a capital; behind the run's label it does not. */
static void say_first(const struct compare_voice *voice, bool first, const char *text) {
  fputc(first ? text[0] - 'a' + 'A' : text[0], voice->out);
  fputs(text + 1, voice->out);
}

static void say_unlike(const struct compare_voice *voice, const struct compare_differences *differences) {
  fputs(", the runs differ in ", voice->out);
  for (size_t i = 0; i < differences->counting; i++)
    fprintf(voice->out, "%s%s",
            i == 0                           ? ""
            : i + 1 == differences->counting ? " and "
                                             : ", ",
            differences->items[i].what);
}

/* The ratios all the same: "; 14 ratios from 0.800x to 1.000x". */
static void say_range(const struct compare_voice *voice, const struct compare *compare, size_t index) {
  size_t count = compare->runs[index].fates[AGAINST_BOTH];
  double lo = HUGE_VAL, hi = 0;
  for (size_t i = 0; i < compare->row_count; i++) {
    const struct compare_cell *cell = &compare->rows[i].cells[index];
    if (cell->fate != AGAINST_BOTH) continue;
    lo = fmin(lo, cell->ratio.speedup);
    hi = fmax(hi, cell->ratio.speedup);
  }
  if (hi == 0) return;
  const struct number least = number_ratio(lo, lo);
  const struct number most = number_ratio(hi, hi);
  fprintf(voice->out, "; %zu ratio%s", count, count == 1 ? "" : "s");
  fprintf(voice->out, strcmp(least.text, most.text) != 0 ? " from %sx to %sx" : " of %sx", least.text, most.text);
}

static void say_unjudged(const struct compare_voice *voice, const struct compare *compare, size_t index, bool first) {
  const struct compare_run *run = &compare->runs[index];
  say_first(voice, first, "not judged");
  if (!run->judged)
    say_unlike(voice, &run->differences);
  else
    say_gaps(voice, run);
  say_range(voice, compare, index);
  for (enum gap gap = GAP_UNTIMED; gap < GAPS && !run->judged; gap++)
    if (run->gaps[gap] != 0) fprintf(voice->out, "; %zu %s", run->gaps[gap], gap_name(gap));
}

/* ---- What is judged ---- */

static void say_rest(const struct compare_voice *voice, const struct compare *compare, const struct compare_run *run) {
  static const enum verdict order[] = {VERDICT_SLOWER, VERDICT_FASTER, VERDICT_SAME, VERDICT_UNDECIDED};
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    size_t beyond = order[i] == VERDICT_SLOWER ? run->slower : order[i] == VERDICT_FASTER ? run->faster : 0;
    size_t count = run->words[order[i]] - beyond;
    if (count == 0) continue;
    fprintf(voice->out, "; %zu %s", count, stats_verdict_name(order[i]));
    if (order[i] == VERDICT_SLOWER || order[i] == VERDICT_FASTER)
      fprintf(voice->out, ", not surely by %g%%", 100 * compare->options.threshold);
  }
}

static void say_judged(const struct compare_voice *voice, const struct compare *compare, size_t index, bool first) {
  const struct compare_run *run = &compare->runs[index];
  const size_t unjudged = compare_unjudged(run);
  double percent = 100 * compare->options.threshold;
  if (run->slower != 0)
    fprintf(voice->out, "%zu", run->slower);
  else
    say_first(voice, first, unjudged != 0 ? "not all judged: none" : "none");
  fprintf(voice->out, " of %zu slower by more than %g%%", run->judged_rows, percent);
  say_rows(voice, compare, index, AGAINST_BOTH, VERDICT_SLOWER);
  if (run->faster != 0) fprintf(voice->out, "; %zu faster by more than %g%%", run->faster, percent);
  say_rows(voice, compare, index, AGAINST_BOTH, VERDICT_FASTER);
  say_rest(voice, compare, run);
  if (unjudged == 0) return;
  fprintf(voice->out, "; %zu not judged", unjudged);
  say_gaps(voice, run);
}

void compare_sentence(const struct compare_voice *voice, const struct compare *compare, size_t index) {
  const struct compare_run *run = &compare->runs[index];
  bool first = compare->run_count == 1;
  if (!first) {
    voice->name(voice, run->label);
    fputs(": ", voice->out);
  }
  if (run->common == 0) {
    say_first(voice, first, "nothing in common with the base.");
    return;
  }
  if (run->fates[AGAINST_LOST] != 0) {
    fprintf(voice->out, "%zu of %zu no longer correct", run->fates[AGAINST_LOST], run->common);
    say_rows(voice, compare, index, AGAINST_LOST, VERDICT_NONE);
    fputs("; ", voice->out);
    first = false;
  }
  if (run->fates[AGAINST_BOTH] == 0) {
    say_first(voice, first, "nothing compared: none");
    fprintf(voice->out, " of %zu timed in both", run->common);
  } else if (run->judged_rows == 0) {
    say_unjudged(voice, compare, index, first);
  } else {
    say_judged(voice, compare, index, first);
  }
  fputc('.', voice->out);
}
