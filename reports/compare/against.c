/* Turns a comparison into facts that are stored with a run (record/against.h), and stored facts into short texts. */
#include "compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "compare/words.h"
#include "summary/summary.h"

/* Writes names unescaped, because they are stored; each output escapes them later. */
static void write_plain_name(FILE *out, const char *text) {
  fputs(text, out);
}

static struct compare_voice begin_memory_voice(struct memory_text *saying) {
  return (struct compare_voice){memory_text_begin(saying), write_plain_name};
}

static void add_fact(struct against *against, const char *name, struct memory_text *saying) {
  SCOPED char *text = memory_text_end(saying);
  pairs_add_text(&against->facts, name, text);
}

/* Returns the name by which the user referred to the base (`asked`); if that is a path, returns the run's own name. */
static const char *head_of(const struct compare *compare, const char *asked) {
  if (strchr(asked, '/') == NULL) return asked;
  const char *name = run_data_get(compare->base, "name"), *slash;
  if (name == NULL || name[0] == '\0') name = compare->base_label;
  slash = strrchr(name, '/');
  return slash != NULL && slash[1] != '\0' ? slash + 1 : name;
}

static void make_facts(const struct compare *compare, size_t run, const char *asked, struct against *against) {
  char number[32];
  struct memory_text saying;
  struct compare_voice voice;
  const struct text run_id = run_data_run_name(compare->base, 0);
  pairs_add_text(&against->facts, "head", head_of(compare, asked));
  pairs_add_text(&against->facts, "run_id", run_id.text);
  voice = begin_memory_voice(&saying);
  compare_run_line(&voice, run_id.text, compare->base, &compare->runs[run].base_restarts);
  add_fact(against, "base", &saying);
  voice = begin_memory_voice(&saying);
  compare_sentence(&voice, compare, run);
  add_fact(against, "sentence", &saying);
  snprintf(number, sizeof number, "%g", 100 * compare->options.threshold);
  pairs_add_text(&against->facts, "threshold", number);
  pairs_add_text(&against->facts, "judged", compare->runs[run].judged ? "1" : "0");
  pairs_add_text(&against->facts, "verdict", against_verdict_name(compare->runs[run].verdict));
  if (compare->runs[run].differences.same_files) pairs_add_text(&against->facts, "same_files", "1");
  if (compare->options.allow_unjudged) pairs_add_text(&against->facts, "allowed", "1");
}

static double median_of(const struct record *record) {
  return row_timed(record) ? record->median_raw_ns : (double)NAN;
}

/* Makes a stored row for `record`. The row points to the record's texts and does not own them. */
static struct against_row row_of(const struct record *record, enum against_outcome outcome) {
  char *texts[] = {record->case_key, record->variant, record->mode, record->devices};
  static char none[] = "";
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (texts[i] == NULL) texts[i] = none;
  return (struct against_row){.case_key = texts[0],
                              .variant = texts[1],
                              .mode = texts[2],
                              .devices = texts[3],
                              .outcome = outcome,
                              .base_ns = NAN,
                              .ns = NAN,
                              .speedup = NAN,
                              .lo = NAN,
                              .hi = NAN,
                              .note = none};
}

static void make_row(const struct compare_row *from, size_t run, struct against *against) {
  const struct compare_cell *cell = &from->cells[run];
  struct against_row row = row_of(cell->row, cell->outcome);
  struct memory_text saying;
  struct compare_voice voice = begin_memory_voice(&saying);
  row.base_ns = median_of(from->base);
  row.ns = median_of(cell->row);
  row.gap = cell->gap;
  if (cell->outcome == AGAINST_BOTH) {
    row.speedup = cell->ratio.speedup;
    row.lo = cell->ratio.lo95;
    row.hi = cell->ratio.hi95;
    row.word = cell->word;
    row.beyond = cell->beyond;
    row.base_restarts = cell->ratio.base_restarts;
    row.restarts = cell->ratio.other_restarts;
    compare_marks(&voice, from->base, cell);
  } else {
    compare_status(&voice, from->base, cell);
  }
  row.note = memory_text_end(&saying);
  against_add_row(against, &row);
  free(row.note);
}

static void make_rows(const struct compare *compare, size_t index, struct against *against) {
  const struct compare_run *run = &compare->runs[index];
  for (size_t i = 0; i < compare->row_count; i++)
    if (compare->rows[i].cells[index].row != NULL) make_row(&compare->rows[i], index, against);
  for (size_t i = 0; i < run->only_base_count; i++) {
    struct against_row row = row_of(run->only_base[i], AGAINST_ONLY_BASE);
    row.base_ns = median_of(run->only_base[i]);
    if (compare_asks(run->only_base[i])) row.gap = GAP_ABSENT;
    against_add_row(against, &row);
  }
  for (size_t i = 0; i < run->only_new_count; i++) {
    struct against_row row = row_of(run->only_new[i], AGAINST_ONLY_HERE);
    row.ns = median_of(run->only_new[i]);
    against_add_row(against, &row);
  }
}

/* Writes a line feed within a name as a blank, because each note ends with a line feed. */
static void write_inline(FILE *out, const char *text) {
  for (; *text != '\0'; text++)
    fputc(*text != '\n' ? *text : ' ', out);
}

static void make_notes(const struct compare *compare, struct against *against) {
  struct memory_text saying;
  struct compare_voice voice = begin_memory_voice(&saying);
  voice.escape = write_inline;
  compare_notes_of_base(&voice, compare, "", "\n");
  char *text = memory_text_end(&saying), *rest = text, *note;
  while ((note = strsep(&rest, "\n")) != NULL)
    if (note[0] != '\0') strings_add(&against->notes, note);
  free(text);
}

struct against *against_make(const struct compare *compare, size_t run, const char *asked) {
  struct against *against = xcalloc(1, sizeof *against);
  const struct compare_differences *differences = &compare->runs[run].differences;
  make_facts(compare, run, asked, against);
  for (size_t i = 0; i < differences->count; i++)
    against_add_difference(against, &differences->items[i]);
  make_rows(compare, run, against);
  make_notes(compare, against);
  return against;
}

/* ---- Stored facts as short texts ---- */

enum { HEAD_MOST = 24 /* longest heading of a column */ };

struct text against_head(const struct run_data *data) {
  struct text result;
  const char *head = NULL;
  for (size_t i = 0; i < data->run_count; i++) {
    if (data->runs[i].against == NULL) continue;
    const char *own = against_fact(data->runs[i].against, "head");
    head = head == NULL || strcmp(head, own) == 0 ? own : "base";
  }
  const char *end_of_head = text_or_empty(head);
  for (size_t i = 0; i < HEAD_MOST && *end_of_head != '\0'; i++) {
    size_t length = text_utf8_length(end_of_head);
    end_of_head += length != 0 ? length : 1;
  }
  snprintf(result.text, sizeof result.text, "vs %.*s%s", head != NULL ? (int)(end_of_head - head) : 0,
           text_or_empty(head), *end_of_head != '\0' ? "..." : "");
  return result;
}

struct number against_ratio(const struct against_row *row) {
  struct number ratio = number_ratio(row->speedup, row->speedup);
  if (ratio.text[0] != '\0') strcat(ratio.text, "x");
  return ratio;
}

struct number against_interval(const struct against_row *row) {
  return number_interval(row->lo, row->hi, row->speedup);
}

void against_word_text(const struct against *against, const struct against_row *row, char *to, size_t size) {
  const char *threshold = against_fact(against, "threshold");
  bool beyond = row->beyond && threshold[0] != '\0';
  snprintf(to, size, "%s%s%.16s%s", stats_verdict_name(row->word), beyond ? " >" : "", beyond ? threshold : "",
           beyond ? "%" : "");
}

enum against_verdict against_worst(const struct run_data *data) {
  enum against_verdict worst = AGAINST_CLEAR;
  for (size_t i = 0; i < data->run_count; i++) {
    if (data->runs[i].against == NULL) continue;
    const enum against_verdict verdict = against_verdict(data->runs[i].against);
    if (verdict > worst) worst = verdict;
  }
  return worst;
}
