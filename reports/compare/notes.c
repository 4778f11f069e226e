/* What the reader of a comparison must know beside the figures. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/words.h"
#include "summary/summary.h"

struct notes {
  const struct compare_voice *voice;
  const struct compare *compare;
  const char *before, *behind;
};

/* A note about the run of this label. */
static FILE *begin_about(const struct notes *notes, const char *label) {
  FILE *out = notes->voice->out;
  fputs(notes->before, out);
  notes->voice->name(notes->voice, label);
  fputs(": ", out);
  return out;
}

static FILE *begin(const struct notes *notes, const struct compare_run *run) {
  if (notes->compare->run_count > 1) return begin_about(notes, run->label);
  fputs(notes->before, notes->voice->out);
  return notes->voice->out;
}

static void end(const struct notes *notes) {
  fputs(notes->behind, notes->voice->out);
}

static void note_assumed(const struct notes *notes, const struct compare_run *run, size_t index) {
  double lo = HUGE_VAL, hi = 0;
  if (run->assumed == 0) return;
  for (size_t i = 0; i < notes->compare->row_count; i++) {
    const struct compare_cell *cell = &notes->compare->rows[i].cells[index];
    if (cell->fate != AGAINST_BOTH || isnan(cell->ratio.assumed_sd)) continue;
    lo = fmin(lo, cell->ratio.assumed_sd);
    hi = fmax(hi, cell->ratio.assumed_sd);
  }
  FILE *out = begin(notes, run);
  char least[32], most[32];
  snprintf(least, sizeof least, "%.2g", 100 * lo);
  snprintf(most, sizeof most, "%.2g", 100 * hi);
  fprintf(out, "%zu of %zu ratios have fewer than 3 restarts on a side: ", run->assumed, run->fates[AGAINST_BOTH]);
  if (strcmp(least, most) == 0)
    fprintf(out, "noise of %s%% between restarts is assumed there", least);
  else
    fprintf(out, "noise of %s%% to %s%% between restarts is assumed there, by what is known of each case", least, most);
  fputs(". Runs with --restarts 3 measure it.", out);
  end(notes);
}

static void note_rows(const struct notes *notes, const struct compare_run *run) {
  if (run->from_rows == 0) return;
  FILE *out = begin(notes, run);
  fprintf(out, "%zu of %zu ratios are of the rows' medians and intervals, as there are no samples on a side.",
          run->from_rows, run->fates[AGAINST_BOTH]);
  end(notes);
}

static void note_contended(const struct notes *notes, const struct compare_run *run) {
  if (run->contended == 0) return;
  FILE *out = begin(notes, run);
  fprintf(out, "%zu of %zu ratios have a side that was measured on a busy machine%s", run->contended,
          run->fates[AGAINST_BOTH],
          notes->compare->options.force ? "; --force judges them anyway." : ": they get no verdict.");
  end(notes);
}

static void note_unknown(const struct notes *notes, const struct compare_run *run) {
  const struct strings *unknown = &run->differences.unknown;
  if (unknown->count == 0) return;
  FILE *out = begin(notes, run);
  fputs("known of one side only, so not compared: ", out);
  for (size_t i = 0; i < unknown->count; i++)
    fprintf(out, "%s%s", i ? ", " : "", unknown->items[i]);
  fputc('.', out);
  end(notes);
}

static void note_forced(const struct notes *notes, const struct compare_run *run) {
  if (run->differences.counting == 0 || !run->judged) return;
  fputs("The runs are not alike; --force judges them anyway.", begin(notes, run));
  end(notes);
}

static void note_same_files(const struct notes *notes, const struct compare_run *run) {
  if (!run->differences.same_files) return;
  fputs("The plugin files are the same on both sides: a difference is due to the machine or to chance.",
        begin(notes, run));
  end(notes);
}

/* The machine's own speed, by what no change of a plugin touches. */
static void note_yardsticks(const struct notes *notes, const struct compare_run *run, size_t index) {
  for (size_t i = 0; i < notes->compare->yardstick_count; i++) {
    const struct compare_row *row = &notes->compare->yardsticks[i];
    const struct compare_cell *cell = &row->cells[index];
    char text[160];
    if (cell->word != VERDICT_SLOWER && cell->word != VERDICT_FASTER) continue;
    if (fabs(log(cell->ratio.speedup)) < log(1.01)) continue;
    FILE *out = begin(notes, run);
    fputs("the machine itself changed: yardstick ", out);
    compare_say_name(notes->voice, "%s %s", text_or_empty(row->base->case_key), text_or_empty(row->base->variant));
    compare_speedup(&cell->ratio, text, sizeof text);
    fprintf(out, " is at %s.", text);
    end(notes);
  }
}

static bool is_quick(const struct run_data *data) {
  for (size_t i = 0; i < data->count; i++)
    if (data->records[i].quick > 0) return true;
  return false;
}

static void note_data(const struct notes *notes, const char *label, const struct run_data *data, bool quick) {
  const char *conditions = run_data_get(data, "conditions");
  if (conditions != NULL && strncmp(conditions, "ok", 2) != 0) {
    fputs("conditions: ", begin_about(notes, label));
    compare_say_name(notes->voice, "%s", conditions);
    end(notes);
  }
  if (data->run_count > 1) {
    fprintf(begin_about(notes, label), "%zu runs in one; where several have a row, the last counts.", data->run_count);
    end(notes);
  }
  if (quick) {
    fputs("a quick run: a look, not a measurement.", begin_about(notes, label));
    end(notes);
  }
  for (size_t i = 0; i < data->notes.count; i++) {
    begin_about(notes, label);
    compare_say_name(notes->voice, "%s", data->notes.items[i]);
    end(notes);
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
  bool known = true; /* where the new runs are quick they say so themselves */
  for (size_t i = 0; i < compare->run_count; i++)
    known = known && is_quick(compare->runs[i].data);
  note_runs(&notes);
  note_data(&notes, compare->base_label, compare->base, is_quick(compare->base) && !known);
}

void compare_notes(const struct compare_voice *voice, const struct compare *compare, const char *before,
                   const char *behind) {
  const struct notes notes = {voice, compare, before, behind};
  note_runs(&notes);
  note_data(&notes, compare->base_label, compare->base, is_quick(compare->base));
  for (size_t i = 0; i < compare->run_count; i++)
    note_data(&notes, compare->runs[i].label, compare->runs[i].data, is_quick(compare->runs[i].data));
}
