/* A night decided: what a confirmation said of its suspects goes into its decided.csv, then what that makes of it. A
 * confirmation is a run in which builds of plugins took turns, labelled old and new. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/output.h"
#include "commands/history.h"
#include "history/copy.h"
#include "history/decided.h"
#include "history/index.h"
#include "record/find.h"
#include "summary/row.h"
#include "trend/trend.h"

/* ---- What a confirmation said ---- */

/* Is it "X@new" against "X@old"? Sets `bare` to X. */
static bool is_confirmation(const struct record *record, char *bare, size_t size) {
  const char *variant = text_or_empty(record->variant), *base = text_or_empty(record->baseline);
  const char *label = record_label_of(variant), *old = record_label_of(base);
  const size_t length = (size_t)(label - variant);
  if (strcmp(label, "@new") != 0 || strcmp(old, "@old") != 0) return false;
  if ((size_t)(old - base) != length || length >= size || strncmp(variant, base, length) != 0) return false;
  memcpy(bare, variant, length);
  bare[length] = '\0';
  return true;
}

/* What is no word, or one that a busy machine explains, decides nothing. */
static const char *word_of(const struct record *record) {
  const enum verdict verdict = stats_verdict_parse(row_verdict(record));
  return stats_verdict_name(verdict != VERDICT_NONE ? verdict : VERDICT_UNDECIDED);
}

/* The row of the night that a confirmation is of: on the same device where that is there. NULL: none. */
static const struct record *row_of(const struct run_data *night, const struct record *record, const char *variant) {
  const struct record *other = NULL;
  for (size_t i = 0; i < night->count; i++) {
    const struct record *row = &night->records[i];
    if (!text_same(row->case_key, record->case_key) || !text_same(row->variant, variant) ||
        !text_same(row->mode, record->mode))
      continue;
    if (text_same(row->devices, record->devices)) return row;
    other = row;
  }
  return other;
}

struct confirmation {
  const struct as_of *as_of;
  struct run_data run, night;
  struct decided *decided;
};

/* Only what was off is decided: of many rows that were not, one would be called slower by chance. */
static bool was_off(const struct confirmation *confirmation, const struct record *row) {
  for (size_t i = 0; i < confirmation->as_of->trend.count; i++) {
    const struct trend_row *at = &confirmation->as_of->trend.rows[i];
    const enum night_state state = at->now->state;
    if (!text_same(at->series->case_key, row->case_key) || !text_same(at->series->variant, row->variant) ||
        !text_same(at->series->mode, row->mode))
      continue;
    if (at->now->asks || state == NIGHT_MACHINE || state == NIGHT_SUSPECT_SLOWER || state == NIGHT_SUSPECT_FASTER ||
        at->series->points[as_of_index(confirmation->as_of)].confirmed != VERDICT_NONE)
      return true;
  }
  return false;
}

static void take_row(struct confirmation *confirmation, const struct record *record, const struct record *row) {
  struct decided_row *to = decided_at(confirmation->decided, text_or_empty(row->case_key), text_or_empty(row->variant),
                                      text_or_empty(row->mode), text_or_empty(row->devices));
  free(to->verdict);
  to->verdict = xstrdup(word_of(record));
  to->step = record->speedup > 0 ? 1 / record->speedup - 1 : NAN;
}

/* How many rows of the run are of the night. */
static size_t take_rows(struct confirmation *confirmation) {
  size_t met = 0;
  char variant[TEXT_SIZE];
  for (size_t i = 0; i < confirmation->run.count; i++) {
    const struct record *record = &confirmation->run.records[i], *row = NULL;
    if (is_confirmation(record, variant, sizeof variant)) row = row_of(&confirmation->night, record, variant);
    if (row == NULL) continue;
    met++;
    if (was_off(confirmation, row)) take_row(confirmation, record, row);
  }
  return met;
}

static int take_run(const struct history *history, const struct as_of *as_of, const char *what, struct decided *decided,
                    struct err *err) {
  const char *run_id = as_of_night(as_of)->run_id;
  struct confirmation confirmation = {.as_of = as_of, .decided = decided};
  SCOPED char *path = find_run(what, err);
  int rc = path != NULL ? run_data_load(path, &confirmation.run, err) : -1;
  if (rc == 0) rc = history_load(history, run_id, &confirmation.night, err);
  if (rc == 0 && take_rows(&confirmation) == 0)
    rc = err_set(err, EXIT_FAILED,
                 "%s confirms nothing of %s: it has no row of a variant of that night as @new beside @old", path,
                 run_id);
  run_data_free(&confirmation.night);
  run_data_free(&confirmation.run);
  return rc;
}

/* ---- Writing it down ---- */

static int write_down(struct history *history, const char *run_id, const struct decided *decided, struct err *err) {
  size_t size = 0;
  bool changed = false;
  char *text = decided_print(decided, &size, err);
  int rc = text != NULL ? history_put_decided(history, run_id, text, size, &changed, err) : -1;
  free(text);
  if (rc == 0 && changed) rc = index_forget(history, run_id, err);
  return rc == 0 ? history_update(history, err) : -1;
}

static const char *verdict_name(enum trend_verdict verdict) {
  static const char *const names[] = {"ok", "unjudged", "unjudged", "regression", "failed"};
  return names[verdict];
}

static int exit_code_of(enum trend_verdict verdict) {
  static const int codes[] = {EXIT_OK, EXIT_UNJUDGED, EXIT_UNJUDGED, EXIT_REGRESSION, EXIT_FAILED};
  return codes[verdict];
}

static void set_verdict(struct decided *decided, const char *verdict, const char *text) {
  free(decided->verdict);
  free(decided->text);
  decided->verdict = verdict != NULL ? xstrdup(verdict) : NULL;
  decided->text = text != NULL ? xstrdup(text) : NULL;
}

/* ---- What it makes of the night ---- */

static void print_row(const struct as_of *as_of, const struct trend_row *row) {
  char said[2 * TREND_NAME], line[4 * TREND_NAME];
  const size_t night = as_of_index(as_of);
  if (trend_regressed(row, night)) {
    trend_regression(&as_of->trend, row, said, sizeof said);
    snprintf(line, sizeof line, "slower: %s", said);
  } else if (row->open != TREND_CLOSED) {
    trend_name(row, said, sizeof said);
    snprintf(line, sizeof line, "open: %s: %s", said, trend_open_word(row->open));
  } else if (row->now->state == NIGHT_CLEARED) {
    trend_name(row, said, sizeof said);
    snprintf(line, sizeof line, "cleared: %s", said);
  } else {
    return;
  }
  escape_terminal(line, output_utf8());
  puts(line);
}

static void print_decision(const struct as_of *as_of, const struct options *options, enum trend_verdict verdict,
                           const char *sentence) {
  char line[4 * TEXT_SIZE];
  snprintf(line, sizeof line, "%s: %s", trend_verdict_word(verdict), sentence);
  escape_terminal(line, output_utf8());
  puts(line);
  for (size_t i = 0; i < as_of->trend.count && !options->common.quiet; i++)
    print_row(as_of, &as_of->trend.rows[i]);
}

static int judge(struct history *history, const struct options *options, struct decided *decided, struct err *err) {
  const char *run_id = options->arguments.items[2];
  struct as_of as_of;
  char sentence[1000]; /* that is what decided.csv keeps */
  if (as_of_open(history, history_by_uuid(options), run_id, &as_of, err) != 0) return -1;
  const enum trend_verdict verdict = trend_judged(&as_of.trend, as_of_index(&as_of));
  trend_decision(&as_of.trend, sentence, sizeof sentence);
  set_verdict(decided, verdict_name(verdict), sentence);
  const int rc = write_down(history, run_id, decided, err);
  if (rc == 0) print_decision(&as_of, options, verdict, sentence);
  as_of_close(&as_of);
  return rc == 0 && output_finish(err) == 0 ? exit_code_of(verdict) : -1;
}

static int take(struct history *history, const struct options *options, struct decided *decided, struct err *err) {
  const char *run_id = options->arguments.items[2];
  struct as_of as_of;
  if (as_of_open(history, history_by_uuid(options), run_id, &as_of, err) != 0) return -1;
  SCOPED char *path = history_path(history, run_id, HISTORY_DECIDED_FILE);
  int rc = decided_read(path, decided, err);
  if (rc == 0 && options->arguments.count > 3)
    rc = take_run(history, &as_of, options->arguments.items[3], decided, err);
  as_of_close(&as_of);
  if (rc != 0) return -1;
  set_verdict(decided, NULL, NULL); /* it is judged by the rows alone */
  return write_down(history, run_id, decided, err);
}

int decide_command(struct history *history, const struct options *options, struct err *err) {
  struct decided decided = {0};
  int code = take(history, options, &decided, err);
  if (code == 0) code = judge(history, options, &decided, err);
  decided_free(&decided);
  return code >= 0 ? code : err->exit_code;
}
