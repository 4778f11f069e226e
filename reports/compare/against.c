/* Turns the comparison of a run with an earlier one into facts that are stored with the run (record/against.h), and
 * stored facts into short texts. */
#include "compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "compare/words.h"
#include "summary/summary.h"

/* Returns a name for the base run: the one that the user typed (`asked`), or the run's own if the user typed a path or
 * nothing. */
static const char *head_of(const struct compare *compare, const char *asked) {
  if (asked == NULL) return compare->base_label;
  if (strchr(asked, '/') == NULL) return asked;
  const char *name = run_data_get(compare->base, "name"), *slash;
  if (name == NULL || name[0] == '\0') name = compare->base_label;
  slash = strrchr(name, '/');
  return slash != NULL && slash[1] != '\0' ? slash + 1 : name;
}

static void add_facts(const struct compare *compare, size_t index, const char *asked) {
  const struct compare_run *run = &compare->runs[index];
  const struct text run_id = run_data_run_name(compare->base, 0);
  struct pairs *facts = &run->against->facts;
  SCOPED char *base = compare_run_line(run_id.text, compare->base, &run->base_restarts);
  SCOPED char *sentence = compare_sentence(compare, index);
  pairs_add_text(facts, "head", head_of(compare, asked));
  pairs_add_text(facts, "run_id", run_id.text);
  pairs_add_text(facts, "base", base);
  pairs_add_text(facts, "sentence", sentence);
  pairs_add(facts, "threshold", "%g", 100 * compare->options.threshold);
  pairs_add_text(facts, "judged", run->judged ? "1" : "0");
  pairs_add_text(facts, "verdict", against_verdict_name(run->verdict));
  if (run->same_files) pairs_add_text(facts, "same_files", "1");
  if (compare->options.allow_unjudged) pairs_add_text(facts, "allowed", "1");
}

static double median_of(const struct record *record) {
  return row_timed(record) ? record->median_raw_ns : (double)NAN;
}

/* Makes a row of the stored comparison, without a ratio. Its texts belong to `record`. */
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
                              .base_ns = outcome == AGAINST_ONLY_BASE ? median_of(record) : (double)NAN,
                              .ns = outcome == AGAINST_ONLY_BASE ? (double)NAN : median_of(record),
                              .speedup = NAN,
                              .lo = NAN,
                              .hi = NAN,
                              .note = none};
}

static void add_common_row(const struct record *base, const struct compare_cell *cell, struct against *against) {
  struct against_row row = row_of(cell->row, cell->outcome);
  row.base_ns = median_of(base);
  row.gap = cell->gap;
  if (cell->outcome == AGAINST_BOTH) {
    row.speedup = cell->ratio.speedup;
    row.lo = cell->ratio.lo95;
    row.hi = cell->ratio.hi95;
    row.word = cell->word;
    row.beyond = cell->beyond;
    row.base_restarts = cell->ratio.base_restarts;
    row.restarts = cell->ratio.other_restarts;
    row.note = compare_marks(base, cell);
  } else {
    row.note = compare_status(base, cell);
  }
  against_add_row(against, &row);
  free(row.note);
}

static void add_rows(const struct compare *compare, size_t index) {
  const struct compare_run *run = &compare->runs[index];
  size_t next = 0;
  for (size_t i = 0; i < compare->row_count; i++)
    if (compare->rows[i].cells[index].row != NULL)
      add_common_row(compare->rows[i].base, &compare->rows[i].cells[index], run->against);
  for (size_t i = 0; i < run->only_base_count; i++) {
    struct against_row row = row_of(run->only_base[i], AGAINST_ONLY_BASE);
    if (compare_asks(run->only_base[i])) row.gap = GAP_ABSENT;
    against_add_row(run->against, &row);
  }
  for (size_t i = 0; i < run->only_new_count; i++) {
    const struct against_row row = row_of(run->only_new[i], AGAINST_ONLY_HERE);
    against_add_row(run->against, &row);
  }
  for (size_t i = 0; i < compare->row_count; i++) /* the list does not grow any more, so its rows can be pointed to */
    if (compare->rows[i].cells[index].row != NULL) compare->rows[i].cells[index].shown = &run->against->rows[next++];
}

void against_fill(struct compare *compare, const char *asked) {
  for (size_t i = 0; i < compare->run_count; i++) {
    add_facts(compare, i, asked);
    add_rows(compare, i);
    compare_notes(compare, false, &compare->runs[i].against->notes);
  }
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

struct text against_word(const struct against *against, const struct against_row *row) {
  struct text word;
  const char *threshold = against_fact(against, "threshold");
  bool beyond = row->beyond && threshold[0] != '\0';
  snprintf(word.text, sizeof word.text, "%s%s%.16s%s", stats_verdict_name(row->word), beyond ? " >" : "",
           beyond ? threshold : "", beyond ? "%" : "");
  return word;
}

struct text against_judgement(const struct against *against, const struct against_row *row) {
  struct text word = against_word(against, row);
  if (row->word == VERDICT_NONE && row->gap != GAP_UNLIKE)
    snprintf(word.text, sizeof word.text, "%s", gap_name(row->gap));
  return word;
}

const char *against_note(const struct against_row *row) {
  if (row == NULL) return "not in this run";
  return row->outcome == AGAINST_ONLY_HERE ? "only here" : row->note;
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
