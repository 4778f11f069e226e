/* Writes a comparison as text: figures, cells, names, notes, and the first sentence. */
#include "compare/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "model/proof/unproven.h"
#include "summary/sentence.h"

/* Writes where a row belongs, "flash at gpt2-1k", with bench, mode and device if rows differ in them. */
static void compare_where(const struct compare_voice *voice, const struct compare *compare,
                          const struct compare_row *row) {
  compare_say(voice, "%s at ", text_or_empty(row->base->variant));
  if (compare->many_benches) compare_say(voice, "%s ", text_or_empty(row->base->bench));
  compare_say(voice, "%s", row->label);
  if (compare->many_modes) compare_say(voice, ", %s", text_or_empty(row->base->mode));
  if (compare->many_devices) compare_say(voice, " on %s", text_or_empty(row->base->devices));
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

void compare_speedup(const struct compare_ratio *ratio, char *to, size_t size) {
  const struct number interval = number_interval(ratio->lo95, ratio->hi95, ratio->speedup);
  snprintf(to, size, "%sx%s%s", number_ratio(ratio->speedup, ratio->speedup).text, interval.text[0] != '\0' ? " " : "",
           interval.text);
}

static void compare_left(const struct compare_ratio *ratio, char *to, size_t size) {
  const struct ratio *less = &ratio->less;
  const struct compare_ratio left = {.speedup = less->speedup, .lo95 = less->lo95, .hi95 = less->hi95};
  snprintf(to, size, "not known");
  if (less->speedup > 0) compare_speedup(&left, to, size);
}

void compare_run_line(const struct compare_voice *voice, const char *name, const struct run_data *data,
                      const struct compare_range *restarts) {
  const char *started = run_data_get(data, "started_utc"), *device = run_data_get(data, "device_name");
  if (device == NULL && data->count != 0) device = data->records[0].device_name;
  compare_say(voice, "%s", name);
  if (started != NULL) compare_say(voice, ", %s", started);
  if (device != NULL) compare_say(voice, ", on %s", device);
  fprintf(voice->out, ", %zu row%s", data->count, data->count == 1 ? "" : "s");
  if (restarts->most == 0) return;
  fputs(", ", voice->out);
  if (restarts->least != restarts->most) fprintf(voice->out, "%zu to ", restarts->least);
  fprintf(voice->out, "%zu restart%s", restarts->most, restarts->most == 1 ? "" : "s");
}

bool compare_restarts_vary(const struct compare_run *run) {
  return run->base_restarts.least != run->base_restarts.most || run->restarts.least != run->restarts.most;
}

/* ---- Cells --------------------------------------------------------------------------------------------------- */

static void say_message(const struct compare_voice *voice, const struct record *record) {
  if (record == NULL || record->message == NULL) return;
  compare_say(voice, ": %.200s", record->message);
  if (strlen(record->message) > 200) fputs("...", voice->out);
}

void compare_status(const struct compare_voice *voice, const struct record *base, const struct compare_cell *cell) {
  enum row_status before = row_status_of(base), after = cell->row != NULL ? row_status_of(cell->row) : ROW_UNKNOWN;
  if (cell->outcome == AGAINST_ONLY_BASE) {
    fputs("not in this run", voice->out);
  } else if (cell->outcome == AGAINST_FIXED) {
    fprintf(voice->out, "correct again, was %s", row_status_words(before));
    say_message(voice, base);
  } else if (after != ROW_OK) {
    fprintf(voice->out, "%s%s", before == after ? "in both " : "", row_status_words(after));
    say_message(voice, cell->row);
  } else if (before != ROW_OK) {
    fprintf(voice->out, "was %s", row_status_words(before));
    say_message(voice, base);
  } else {
    fputs("correct, not timed in both", voice->out);
  }
}

struct mark {
  /* before: the value in the base; after: the value in the compared run; NULL: only `before` is written */
  const char *what, *before, *after;
};

bool compare_marks(const struct compare_voice *voice, const struct record *base, const struct compare_cell *cell) {
  const struct record *row = cell->row;
  size_t count = 0;
  if (cell->outcome != AGAINST_BOTH) return false;
  char left[192] = "", why[MSG_SIZE];
  unproven_words(cell->unproven, why, sizeof why);
  if (cell->ratio.launch_limited) compare_left(&cell->ratio, left, sizeof left);
  const bool otherwise = cell->unlike != NULL && strcmp(cell->unlike, "contract") != 0;
  const struct mark marks[] = {
      {"because", why, NULL},
      {"less the launch overhead", left, NULL},
      {"contract", text_or_empty(base->contract), text_or_empty(row->contract)},
      {"math", text_or_empty(base->math), text_or_empty(row->math)},
      {"base", text_or_empty(base->conditions), NULL},
      {"conditions", text_or_empty(row->conditions), NULL},
      {"another", otherwise ? cell->unlike : "", NULL},
  };
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    const struct mark *mark = &marks[i];
    if (mark->after != NULL ? strcmp(mark->before, mark->after) == 0 : mark->before[0] == '\0') continue;
    if (voice == NULL) return true;
    fprintf(voice->out, "%s%s ", count++ ? "; " : "", mark->what);
    compare_say(voice, "%.300s", mark->before);
    if (mark->after != NULL) compare_say(voice, " -> %.120s", mark->after);
  }
  return count != 0;
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
  const struct compare_voice *voice;
  const struct compare *compare;
  const char *before, *behind;
};

/* Begins a note about the run with this label. */
static FILE *begin_about(const struct notes *notes, const char *label) {
  FILE *out = notes->voice->out;
  fputs(notes->before, out);
  compare_say(notes->voice, "%s: ", label);
  return out;
}

static FILE *begin_note(const struct notes *notes, const struct compare_run *run) {
  if (notes->compare->run_count > 1) return begin_about(notes, run->label);
  fputs(notes->before, notes->voice->out);
  return notes->voice->out;
}

static void end_note(const struct notes *notes) {
  fputs(notes->behind, notes->voice->out);
}

static void note_assumed(const struct notes *notes, const struct compare_run *run, size_t index) {
  double lo = HUGE_VAL, hi = 0;
  if (run->assumed == 0) return;
  for (size_t i = 0; i < notes->compare->row_count; i++) {
    const struct compare_cell *cell = &notes->compare->rows[i].cells[index];
    if (cell->outcome != AGAINST_BOTH || isnan(cell->ratio.assumed_sd)) continue;
    lo = fmin(lo, cell->ratio.assumed_sd);
    hi = fmax(hi, cell->ratio.assumed_sd);
  }
  FILE *out = begin_note(notes, run);
  char least[32], most[32];
  snprintf(least, sizeof least, "%.2g", 100 * lo);
  snprintf(most, sizeof most, "%.2g", 100 * hi);
  fprintf(out, "%zu of %zu ratios have fewer than 3 restarts on a side: ", run->assumed, run->outcomes[AGAINST_BOTH]);
  if (strcmp(least, most) == 0)
    fprintf(out, "noise of %s%% between restarts is assumed there", least);
  else
    fprintf(out, "noise of %s%% to %s%% between restarts is assumed there, by what is known of each case", least, most);
  fputs(". Runs with --restarts 3 measure it.", out);
  end_note(notes);
}

static void note_rows(const struct notes *notes, const struct compare_run *run) {
  if (run->from_rows == 0) return;
  FILE *out = begin_note(notes, run);
  fprintf(out, "%zu of %zu ratios are of the rows' medians and intervals, as there are no samples on a side.",
          run->from_rows, run->outcomes[AGAINST_BOTH]);
  end_note(notes);
}

static void note_contended(const struct notes *notes, const struct compare_run *run) {
  if (run->contended == 0) return;
  FILE *out = begin_note(notes, run);
  fprintf(out, "%zu of %zu ratios have a side that was measured on a busy machine%s", run->contended,
          run->outcomes[AGAINST_BOTH],
          notes->compare->options.force ? "; --force judges them anyway." : ": they get no verdict.");
  end_note(notes);
}

static void note_unknown(const struct notes *notes, const struct compare_run *run) {
  const struct strings *unknown = &run->differences.unknown;
  if (unknown->count == 0) return;
  FILE *out = begin_note(notes, run);
  fputs("known of one side only, so not compared: ", out);
  for (size_t i = 0; i < unknown->count; i++)
    fprintf(out, "%s%s", i ? ", " : "", unknown->items[i]);
  fputc('.', out);
  end_note(notes);
}

static void note_forced(const struct notes *notes, const struct compare_run *run) {
  if (run->differences.counting == 0 || !run->judged) return;
  fputs("The runs are not alike; --force judges them anyway.", begin_note(notes, run));
  end_note(notes);
}

static void note_same_files(const struct notes *notes, const struct compare_run *run) {
  if (!run->differences.same_files) return;
  fputs("The plugin files are the same on both sides: a difference is due to the machine or to chance.",
        begin_note(notes, run));
  end_note(notes);
}

/* Notes that the machine's own speed changed. This shows in yardsticks, which no change of a plugin affects. */
static void note_yardsticks(const struct notes *notes, const struct compare_run *run, size_t index) {
  for (size_t i = 0; i < notes->compare->yardstick_count; i++) {
    const struct compare_row *row = &notes->compare->yardsticks[i];
    const struct compare_cell *cell = &row->cells[index];
    char text[160];
    if (cell->word != VERDICT_SLOWER && cell->word != VERDICT_FASTER) continue;
    if (fabs(log(cell->ratio.speedup)) < log(1.01)) continue;
    FILE *out = begin_note(notes, run);
    compare_say(notes->voice, "the machine itself changed: yardstick %s %s", text_or_empty(row->base->case_key),
                text_or_empty(row->base->variant));
    compare_speedup(&cell->ratio, text, sizeof text);
    fprintf(out, " is at %s.", text);
    end_note(notes);
  }
}

static void note_data(const struct notes *notes, const char *label, const struct run_data *data, bool quick) {
  const char *conditions = run_data_get(data, "conditions");
  if (conditions != NULL && strncmp(conditions, "ok", 2) != 0) {
    begin_about(notes, label);
    compare_say(notes->voice, "conditions: %s", conditions);
    end_note(notes);
  }
  if (data->run_count > 1) {
    fprintf(begin_about(notes, label), "%zu runs in one; where several have a row, the last counts.", data->run_count);
    end_note(notes);
  }
  if (quick) {
    fputs("a quick run: a look, not a measurement.", begin_about(notes, label));
    end_note(notes);
  }
  for (size_t i = 0; i < data->notes.count; i++) {
    begin_about(notes, label);
    compare_say(notes->voice, "%s", data->notes.items[i]);
    end_note(notes);
  }
}

static void note_many(const struct notes *notes) {
  const struct compare *compare = notes->compare;
  if (compare->lost == 0) return;
  fprintf(
      notes->voice->out,
      "%s%zu of %zu comparisons %s undecided among so many: those of a bench share an error of %g%% (Holm's rule).%s",
      notes->before, compare->lost, compare->compared, compare->lost == 1 ? "is" : "are", 100 * STATS_FAMILY_ERROR,
      notes->behind);
}

static void note_runs(const struct notes *notes) {
  note_many(notes);
  for (size_t i = 0; i < notes->compare->run_count; i++) {
    const struct compare_run *run = &notes->compare->runs[i];
    note_forced(notes, run);
    note_yardsticks(notes, run, i);
    note_same_files(notes, run);
    note_assumed(notes, run, i);
    note_contended(notes, run);
    note_rows(notes, run);
    note_unknown(notes, run);
  }
}

void compare_notes_of_base(const struct compare_voice *voice, const struct compare *compare, const char *before,
                           const char *behind) {
  const struct notes notes = {voice, compare, before, behind};
  bool known = true; /* true if all compared runs are quick; their own notes say that, so the base gets no such note */
  for (size_t i = 0; i < compare->run_count; i++)
    known = known && conditions_quick(compare->runs[i].data);
  note_runs(&notes);
  note_data(&notes, compare->base_label, compare->base, conditions_quick(compare->base) && !known);
}

void compare_notes(const struct compare_voice *voice, const struct compare *compare, const char *before,
                   const char *behind) {
  const struct notes notes = {voice, compare, before, behind};
  note_runs(&notes);
  note_data(&notes, compare->base_label, compare->base, conditions_quick(compare->base));
  for (size_t i = 0; i < compare->run_count; i++)
    note_data(&notes, compare->runs[i].label, compare->runs[i].data, conditions_quick(compare->runs[i].data));
}

/* ---- The first sentence of a comparison: its verdict and the reasons for it ---- */

enum { NAMED_MAX = 3 };

/* ---- Naming rows ---- */

static bool cell_has_word(const struct compare_cell *cell, enum against_outcome outcome, enum verdict word) {
  return cell->outcome == outcome && (outcome != AGAINST_BOTH || (cell->beyond && cell->word == word));
}

static void say_figure(const struct compare_voice *voice, const struct compare_cell *cell) {
  char text[160];
  if (cell->outcome != AGAINST_BOTH) {
    fprintf(voice->out, " %s", row_status_words(row_status_of(cell->row)));
  } else if (cell->word == VERDICT_SLOWER) {
    compare_change(&cell->ratio, text, sizeof text);
    fprintf(voice->out, " by %s", text);
  } else {
    compare_speedup(&cell->ratio, text, sizeof text);
    fprintf(voice->out, " %s", text);
  }
}

/* Writes the rows with this outcome and verdict: ": flash at gpt2-1k by 9.7% [9.1, 10.3], ... and 4 more". */
static void say_rows(const struct compare_voice *voice, const struct compare *compare, size_t run,
                     enum against_outcome outcome, enum verdict word) {
  size_t named = 0, left = 0;
  for (size_t i = 0; i < compare->row_count; i++) {
    const struct compare_cell *cell = &compare->rows[i].cells[run];
    if (!cell_has_word(cell, outcome, word)) continue;
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

/* ---- Rows that are not judged ---- */

/* Writes why rows are not judged: " (busy machine)" or " (2 busy machine, 1 too noisy)". */
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

/* Writes the beginning of a sentence: with a capital letter if it is the first, otherwise after the run's label. */
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

/* Adds the range of the ratios: "; 14 ratios from 0.800x to 1.000x". */
static void say_range(const struct compare_voice *voice, const struct compare *compare, size_t index) {
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

/* ---- Rows that are judged ---- */

static void say_other_verdicts(const struct compare_voice *voice, const struct compare *compare,
                               const struct compare_run *run) {
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
  say_other_verdicts(voice, compare, run);
  if (unjudged == 0) return;
  fprintf(voice->out, "; %zu not judged", unjudged);
  say_gaps(voice, run);
}

void compare_sentence(const struct compare_voice *voice, const struct compare *compare, size_t index) {
  const struct compare_run *run = &compare->runs[index];
  bool first = compare->run_count == 1;
  if (!first) compare_say(voice, "%s: ", run->label);
  if (run->common == 0) {
    say_first(voice, first, "nothing in common with the base.");
    return;
  }
  if (run->outcomes[AGAINST_BROKEN] != 0) {
    fprintf(voice->out, "%zu of %zu no longer correct", run->outcomes[AGAINST_BROKEN], run->common);
    say_rows(voice, compare, index, AGAINST_BROKEN, VERDICT_NONE);
    fputs("; ", voice->out);
    first = false;
  }
  if (run->outcomes[AGAINST_BOTH] == 0) {
    say_first(voice, first, "nothing compared: none");
    fprintf(voice->out, " of %zu timed in both", run->common);
  } else if (run->judged_rows == 0) {
    say_unjudged(voice, compare, index, first);
  } else {
    say_judged(voice, compare, index, first);
  }
  fputc('.', voice->out);
}
