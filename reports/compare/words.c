/* Writes the comparison of runs with a base run as text: figures, cells, names, notes, and the first sentence. */
#include "compare/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "model/proof/unproven.h"
#include "summary/sentence.h"

/* Writes where a row belongs, "flash at gpt2-1k", with bench, mode and device if rows differ in them. */
static void compare_where(FILE *out, const struct compare *compare, const struct compare_row *row) {
  fprintf(out, "%s at ", text_or_empty(row->base->variant));
  if (compare->many_benches) fprintf(out, "%s ", text_or_empty(row->base->bench));
  fputs(row->label, out);
  if (compare->many_modes) fprintf(out, ", %s", text_or_empty(row->base->mode));
  if (compare->many_devices) fprintf(out, " on %s", text_or_empty(row->base->devices));
}

/* ---- Figures ---- */

/* Writes by how much the row's time changed, as "9.7% [9.1, 10.3]" without a sign; the verdict says whether it became
 * longer or shorter. */
static void compare_change(const struct compare_ratio *ratio, char *to, size_t size) {
  double change = 100 * (1 / ratio->speedup - 1), lo = 100 * (1 / ratio->hi95 - 1), hi = 100 * (1 / ratio->lo95 - 1);
  int decimals = fabs(change) >= 99.95 ? 0 : fabs(change) < 9.95 && hi - lo < 0.1 ? 2 : 1;
  snprintf(to, size, "%.*f%%", decimals, change);
  if (isfinite(lo) && isfinite(hi)) phrase_add(to, size, " ", "[%.*f, %.*f]", decimals, lo, decimals, hi);
}

struct number compare_speedup(const struct compare_ratio *ratio) {
  return number_ratio_within(ratio->speedup, ratio->lo95, ratio->hi95);
}

static struct number compare_left(const struct compare_ratio *ratio) {
  const struct ratio *less = &ratio->less;
  if (!ratio->launch_limited) return (struct number){""};
  return less->speedup > 0 ? number_ratio_within(less->speedup, less->lo95, less->hi95) : (struct number){"not known"};
}

char *compare_run_line(const char *name, const struct run_data *data, const struct compare_range *restarts) {
  struct memory_text line;
  FILE *out = memory_text_begin(&line);
  const char *started = run_data_get(data, "started_utc"), *device = run_data_get(data, "device_name");
  if (device == NULL && data->count != 0) device = data->records[0].device_name;
  fputs(name, out);
  if (started != NULL) fprintf(out, ", %s", started);
  if (device != NULL) fprintf(out, ", on %s", device);
  fprintf(out, ", %zu row%s", data->count, data->count == 1 ? "" : "s");
  if (restarts->most != 0) fputs(", ", out);
  if (restarts->least != restarts->most) fprintf(out, "%zu to ", restarts->least);
  if (restarts->most != 0) fprintf(out, "%zu restart%s", restarts->most, restarts->most == 1 ? "" : "s");
  return memory_text_end(&line);
}

bool compare_restarts_vary(const struct compare_run *run) {
  return run->base_restarts.least != run->base_restarts.most || run->restarts.least != run->restarts.most;
}

/* ---- Cells --------------------------------------------------------------------------------------------------- */

static char *status_text(const char *before, const struct record *record) {
  const char *message = text_or_empty(record->message);
  return memory_print("%s%s%s%.200s%s", before, row_status_words(row_status_of(record)), message[0] != '\0' ? ": " : "",
                      message, strlen(message) > 200 ? "..." : "");
}

char *compare_status(const struct record *base, const struct compare_cell *cell) {
  const enum row_status before = row_status_of(base), after = row_status_of(cell->row);
  if (cell->outcome == AGAINST_FIXED) return status_text("correct again, was ", base);
  if (after != ROW_OK) return status_text(before == after ? "in both " : "", cell->row);
  return before != ROW_OK ? status_text("was ", base) : xstrdup("correct, not timed in both");
}

struct mark {
  /* a remark on a ratio, such as "math tf32 -> fp32": what it is about, the value in the base, and the value in the
   * compared run; `after` is NULL if the remark has only one value */
  const char *what, *before, *after;
};

char *compare_marks(const struct record *base, const struct compare_cell *cell) {
  const struct record *row = cell->row;
  char why[MSG_SIZE], text[4 * MSG_SIZE] = "";
  const struct number left = compare_left(&cell->ratio);
  unproven_words(cell->unproven, why, sizeof why);
  const bool otherwise = cell->unlike != NULL && strcmp(cell->unlike, "contract") != 0;
  const struct mark marks[] = {
      {"because", why, NULL},
      {"less the launch overhead", left.text, NULL},
      {"contract", text_or_empty(base->contract), text_or_empty(row->contract)},
      {"math", text_or_empty(base->math), text_or_empty(row->math)},
      {"base", text_or_empty(base->conditions), NULL},
      {"conditions", text_or_empty(row->conditions), NULL},
      {"another", otherwise ? cell->unlike : "", NULL},
  };
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    const struct mark *mark = &marks[i];
    if (mark->after != NULL ? strcmp(mark->before, mark->after) == 0 : mark->before[0] == '\0') continue;
    phrase_add(text, sizeof text, "; ", "%s %.300s", mark->what, mark->before);
    if (mark->after != NULL) phrase_add(text, sizeof text, " -> ", "%.120s", mark->after);
  }
  return xstrdup(text);
}

void compare_rest(const struct compare *compare, size_t first, char *to, size_t size) {
  size_t words[5] = {0}, other = 0;
  to[0] = '\0';
  for (size_t i = first; i < compare->row_count; i++)
    for (size_t j = 0; j < compare->run_count; j++) {
      const struct compare_cell *cell = &compare->rows[i].cells[j];
      if (cell->outcome == AGAINST_BOTH && cell->word != VERDICT_NONE)
        words[cell->word]++;
      else
        other++;
    }
  for (enum verdict word = VERDICT_SAME; word <= VERDICT_UNDECIDED; word++)
    if (words[word] != 0) phrase_add(to, size, ", ", "%zu %s", words[word], stats_verdict_name(word));
  if (other != 0) phrase_add(to, size, ", ", "%zu without a verdict", other);
}

/* ---- Notes that the reader of a comparison needs besides the figures ---- */

struct notes {
  const struct compare *compare;
  struct strings *to;
};

/* Adds a note; it begins with the label of a run unless `label` is NULL. */
ERR_PRINTF(3, 4) static void add_note(const struct notes *notes, const char *label, const char *format, ...) {
  struct memory_text note;
  FILE *out = memory_text_begin(&note);
  va_list args;
  if (label != NULL) fprintf(out, "%s: ", label);
  va_start(args, format);
  vfprintf(out, format, args);
  va_end(args);
  SCOPED char *text = memory_text_end(&note);
  strings_add(notes->to, text);
}

static void note_assumed(const struct notes *notes, const char *label, const struct compare_run *run, size_t index) {
  double lo = HUGE_VAL, hi = 0;
  if (run->assumed == 0) return;
  for (size_t i = 0; i < notes->compare->row_count; i++) {
    const struct compare_cell *cell = &notes->compare->rows[i].cells[index];
    if (cell->outcome != AGAINST_BOTH || isnan(cell->ratio.assumed_sd)) continue;
    lo = fmin(lo, cell->ratio.assumed_sd);
    hi = fmax(hi, cell->ratio.assumed_sd);
  }
  char least[32], most[80];
  snprintf(least, sizeof least, "%.2g%%", 100 * lo);
  snprintf(most, sizeof most, "%.2g%%", 100 * hi);
  const bool equal = strcmp(least, most) == 0;
  add_note(notes, label,
           "%zu of %zu ratios have fewer than 3 restarts on a side: noise of %s%s%s between restarts is assumed "
           "there%s. Runs with --restarts 3 measure it.",
           run->assumed, run->outcomes[AGAINST_BOTH], least, equal ? "" : " to ", equal ? "" : most,
           equal ? "" : ", by what is known of each case");
}

/* Adds a note if the speed of the machine itself changed. Yardsticks (rows such as a plain copy) show this, because no
 * change of a plugin affects them. */
static void note_yardsticks(const struct notes *notes, const char *label, size_t index) {
  for (size_t i = 0; i < notes->compare->yardstick_count; i++) {
    const struct compare_row *row = &notes->compare->yardsticks[i];
    const struct compare_cell *cell = &row->cells[index];
    if (cell->word != VERDICT_SLOWER && cell->word != VERDICT_FASTER) continue;
    if (fabs(log(cell->ratio.speedup)) < log(1.01)) continue;
    add_note(notes, label, "the machine itself changed: yardstick %s %s is at %s.", text_or_empty(row->base->case_key),
             text_or_empty(row->base->variant), compare_speedup(&cell->ratio).text);
  }
}

static void note_unknown(const struct notes *notes, const char *label, const struct strings *unknown) {
  char names[MSG_SIZE];
  text_join(names, sizeof names, (const char *const *)unknown->items, unknown->count);
  if (unknown->count != 0) add_note(notes, label, "known of one side only, so not compared: %s.", names);
}

static void note_run(const struct notes *notes, const struct compare_run *run, size_t index) {
  const char *label = notes->compare->run_count > 1 ? run->label : NULL;
  const bool force = notes->compare->options.force;
  const size_t ratios = run->outcomes[AGAINST_BOTH];
  if (run->against->unlike_count != 0 && run->judged)
    add_note(notes, label, "The runs are not alike; --force judges them anyway.");
  note_yardsticks(notes, label, index);
  if (run->same_files)
    add_note(notes, label,
             "The plugin files are the same on both sides: a difference is due to the machine or to chance.");
  note_assumed(notes, label, run, index);
  if (run->contended != 0)
    add_note(notes, label, "%zu of %zu ratios have a side that was measured on a busy machine%s", run->contended,
             ratios, force ? "; --force judges them anyway." : ": they get no verdict.");
  if (run->from_rows != 0)
    add_note(notes, label,
             "%zu of %zu ratios are of the rows' medians and intervals, as there are no samples on a side.",
             run->from_rows, ratios);
  note_unknown(notes, label, &run->unknown);
}

static void note_data(const struct notes *notes, const char *label, const struct run_data *data, bool quick) {
  const char *conditions = run_data_get(data, "conditions");
  if (conditions != NULL && strncmp(conditions, "ok", 2) != 0) add_note(notes, label, "conditions: %s", conditions);
  if (data->run_count > 1)
    add_note(notes, label, "%zu runs in one; where several have a row, the last counts.", data->run_count);
  if (quick) add_note(notes, label, "a quick run: a look, not a measurement.");
  for (size_t i = 0; i < data->notes.count; i++)
    add_note(notes, label, "%s", data->notes.items[i]);
}

void compare_notes(const struct compare *compare, bool own, struct strings *to) {
  const struct notes notes = {compare, to};
  /* true if the notes are stored with the compared run (`own` is false) and that run says itself that it was quick; the
   * base then gets no such note */
  bool known = !own;
  if (compare->lost != 0)
    add_note(
        &notes, NULL,
        "%zu of %zu comparisons %s undecided among so many: those of a bench share an error of %g%% (Holm's rule).",
        compare->lost, compare->compared, compare->lost == 1 ? "is" : "are", 100 * STATS_FAMILY_ERROR);
  for (size_t i = 0; i < compare->run_count; i++) {
    known = known && conditions_quick(compare->runs[i].data);
    note_run(&notes, &compare->runs[i], i);
  }
  note_data(&notes, compare->base_label, compare->base, conditions_quick(compare->base) && !known);
  for (size_t i = 0; i < compare->run_count && own; i++)
    note_data(&notes, compare->runs[i].label, compare->runs[i].data, conditions_quick(compare->runs[i].data));
}

/* ---- The first sentence of a comparison: its verdict and the reasons for it ---- */

enum { NAMED_MAX = 3 };

/* ---- Naming rows ---- */

static bool cell_has_word(const struct compare_cell *cell, enum against_outcome outcome, enum verdict word) {
  return cell->outcome == outcome && (outcome != AGAINST_BOTH || (cell->beyond && cell->word == word));
}

static void say_figure(FILE *out, const struct compare_cell *cell) {
  char text[160];
  if (cell->outcome != AGAINST_BOTH) {
    fprintf(out, " %s", row_status_words(row_status_of(cell->row)));
  } else if (cell->word == VERDICT_SLOWER) {
    compare_change(&cell->ratio, text, sizeof text);
    fprintf(out, " by %s", text);
  } else {
    fprintf(out, " %s", compare_speedup(&cell->ratio).text);
  }
}

/* Writes the rows with this outcome and verdict: ": flash at gpt2-1k by 9.7% [9.1, 10.3], ... and 4 more". */
static void say_rows(FILE *out, const struct compare *compare, size_t run, enum against_outcome outcome,
                     enum verdict word) {
  size_t named = 0, left = 0;
  for (size_t i = 0; i < compare->row_count; i++) {
    const struct compare_cell *cell = &compare->rows[i].cells[run];
    if (!cell_has_word(cell, outcome, word)) continue;
    if (named == NAMED_MAX) {
      left++;
      continue;
    }
    fputs(named++ == 0 ? ": " : ", ", out);
    compare_where(out, compare, &compare->rows[i]);
    say_figure(out, cell);
  }
  if (left != 0) fprintf(out, " and %zu more", left);
}

/* ---- Rows that are not judged ---- */

/* Writes why rows are not judged: " (busy machine)" or " (2 busy machine, 1 too noisy)". */
static void say_gaps(FILE *out, const struct compare_run *run) {
  size_t all = compare_unjudged(run);
  const char *between = " (";
  for (enum gap gap = GAP_NONE; gap < GAPS; gap++) {
    if (run->gaps[gap] == 0) continue;
    fputs(between, out);
    if (run->gaps[gap] != all) fprintf(out, "%zu ", run->gaps[gap]);
    fputs(gap_name(gap), out);
    between = ", ";
  }
  if (all != 0) fputc(')', out);
}

/* Writes the beginning of a sentence: with a capital letter if it is the first, otherwise after the run's label. */
static void say_first(FILE *out, bool first, const char *text) {
  fputc(first ? text[0] - 'a' + 'A' : text[0], out);
  fputs(text + 1, out);
}

static void say_unlike(FILE *out, const struct against *against) {
  fputs(", the runs differ in ", out);
  for (size_t i = 0; i < against->unlike_count; i++) {
    const char *between = i + 1 == against->unlike_count ? " and " : ", ";
    fprintf(out, "%s%s", i == 0 ? "" : between, against->differences[i].what);
  }
}

/* Adds the range of the ratios: "; 14 ratios from 0.800x to 1.000x". */
static void say_range(FILE *out, const struct compare *compare, size_t index) {
  size_t count = compare->runs[index].outcomes[AGAINST_BOTH];
  double lo = HUGE_VAL, hi = 0;
  for (size_t i = 0; i < compare->row_count; i++) {
    const struct compare_cell *cell = &compare->rows[i].cells[index];
    if (cell->outcome != AGAINST_BOTH) continue;
    lo = fmin(lo, cell->ratio.speedup);
    hi = fmax(hi, cell->ratio.speedup);
  }
  if (hi == 0) return;
  const struct number least = number_ratio(lo, lo);
  const struct number most = number_ratio(hi, hi);
  fprintf(out, "; %zu ratio%s", count, count == 1 ? "" : "s");
  fprintf(out, strcmp(least.text, most.text) != 0 ? " from %sx to %sx" : " of %sx", least.text, most.text);
}

static void say_unjudged(FILE *out, const struct compare *compare, size_t index, bool first) {
  const struct compare_run *run = &compare->runs[index];
  say_first(out, first, "not judged");
  if (!run->judged)
    say_unlike(out, run->against);
  else
    say_gaps(out, run);
  say_range(out, compare, index);
  for (enum gap gap = GAP_UNTIMED; gap < GAPS && !run->judged; gap++)
    if (run->gaps[gap] != 0) fprintf(out, "; %zu %s", run->gaps[gap], gap_name(gap));
}

/* ---- Rows that are judged ---- */

static void say_other_verdicts(FILE *out, const struct compare *compare, const struct compare_run *run) {
  static const enum verdict order[] = {VERDICT_SLOWER, VERDICT_FASTER, VERDICT_SAME, VERDICT_UNDECIDED};
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    size_t beyond = order[i] == VERDICT_SLOWER ? run->slower : order[i] == VERDICT_FASTER ? run->faster : 0;
    size_t count = run->words[order[i]] - beyond;
    if (count == 0) continue;
    fprintf(out, "; %zu %s", count, stats_verdict_name(order[i]));
    if (order[i] == VERDICT_SLOWER || order[i] == VERDICT_FASTER)
      fprintf(out, ", not surely by %g%%", 100 * compare->options.threshold);
  }
}

static void say_judged(FILE *out, const struct compare *compare, size_t index, bool first) {
  const struct compare_run *run = &compare->runs[index];
  const size_t unjudged = compare_unjudged(run);
  double percent = 100 * compare->options.threshold;
  if (run->slower != 0)
    fprintf(out, "%zu", run->slower);
  else
    say_first(out, first, unjudged != 0 ? "not all judged: none" : "none");
  fprintf(out, " of %zu slower by more than %g%%", run->judged_rows, percent);
  say_rows(out, compare, index, AGAINST_BOTH, VERDICT_SLOWER);
  if (run->faster != 0) fprintf(out, "; %zu faster by more than %g%%", run->faster, percent);
  say_rows(out, compare, index, AGAINST_BOTH, VERDICT_FASTER);
  say_other_verdicts(out, compare, run);
  if (unjudged == 0) return;
  fprintf(out, "; %zu not judged", unjudged);
  say_gaps(out, run);
}

char *compare_sentence(const struct compare *compare, size_t index) {
  const struct compare_run *run = &compare->runs[index];
  struct memory_text sentence;
  FILE *out = memory_text_begin(&sentence);
  bool first = compare->run_count == 1;
  if (!first) fprintf(out, "%s: ", run->label);
  if (run->outcomes[AGAINST_BROKEN] != 0) {
    fprintf(out, "%zu of %zu no longer correct", run->outcomes[AGAINST_BROKEN], run->common);
    say_rows(out, compare, index, AGAINST_BROKEN, VERDICT_NONE);
    fputs("; ", out);
    first = false;
  }
  if (run->common == 0) {
    say_first(out, first, "nothing in common with the base");
  } else if (run->outcomes[AGAINST_BOTH] == 0) {
    say_first(out, first, "nothing compared: none");
    fprintf(out, " of %zu timed in both", run->common);
  } else if (run->judged_rows == 0) {
    say_unjudged(out, compare, index, first);
  } else {
    say_judged(out, compare, index, first);
  }
  fputc('.', out);
  return memory_text_end(&sentence);
}
