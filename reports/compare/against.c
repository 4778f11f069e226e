/* From a comparison to what is kept of it, and looking it up. */
#include "compare/against.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "compare/words.h"
#include "summary/summary.h"

enum { KEY_PARTS = 4, HEAD_MOST = 24 /* characters of a column's heading */ };

/* ---- Putting together ---------------------------------------------------------------------------------------- */

struct against_row *against_add_row(struct against *against, const struct against_row *row) {
  const char *const key[KEY_PARTS] = {row->case_key, row->variant, row->mode, row->devices};
  size_t at = against->count;
  against->rows = xgrow(against->rows, at, sizeof *against->rows);
  struct against_row *to = &against->rows[against->count++];
  *to = *row;
  to->case_key = xstrdup(row->case_key);
  to->variant = xstrdup(row->variant);
  to->mode = xstrdup(row->mode);
  to->devices = xstrdup(row->devices);
  to->note = xstrdup(row->note);
  against->fates[row->fate]++;
  if (row->fate != AGAINST_ONLY_BASE) map_put(&against->index, key, KEY_PARTS, at);
  return to;
}

void against_add_difference(struct against *against, const struct compare_difference *difference) {
  against->differences = xrealloc(against->differences, against->difference_count + 1, sizeof *against->differences);
  against->differences[against->difference_count++] = (struct compare_difference){.what = xstrdup(difference->what),
                                                                                  .base = xstrdup(difference->base),
                                                                                  .other = xstrdup(difference->other),
                                                                                  .counts = difference->counts};
  against->unlike_count += difference->counts;
}

void against_free(struct against *against) {
  if (against == NULL) return;
  for (size_t i = 0; i < against->count; i++) {
    char *texts[] = {against->rows[i].case_key, against->rows[i].variant, against->rows[i].mode,
                     against->rows[i].devices, against->rows[i].note};
    for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++)
      free(texts[j]);
  }
  for (size_t i = 0; i < against->difference_count; i++) {
    free(against->differences[i].what);
    free(against->differences[i].base);
    free(against->differences[i].other);
  }
  free(against->rows);
  free(against->differences);
  pairs_free(&against->facts);
  strings_free(&against->notes);
  map_free(&against->index);
  free(against);
}

/* ---- From a comparison --------------------------------------------------------------------------------------- */

/* What it says is kept as it is; whoever shows it makes it inert. */
static void say_name(const struct compare_voice *voice, const char *text) {
  fputs(text, voice->out);
}

static struct compare_voice begin(struct memory_text *saying) {
  return (struct compare_voice){.out = memory_text_begin(saying), .name = say_name, .utf8 = true};
}

static void add_fact(struct against *against, const char *name, struct memory_text *saying) {
  char *text = memory_text_end(saying);
  pairs_add_text(&against->facts, name, text);
  free(text);
}

/* The user's word for the base, unless it is a path: then the run's own. */
static const char *head_of(const struct compare *compare, const char *asked) {
  if (strchr(asked, '/') == NULL) return asked;
  const char *name = run_data_get(compare->base, "name"), *slash;
  if (name == NULL || name[0] == '\0') name = compare->base_label;
  slash = strrchr(name, '/');
  return slash != NULL && slash[1] != '\0' ? slash + 1 : name;
}

static void make_facts(const struct compare *compare, const char *asked, struct against *against) {
  char run_id[TEXT_SIZE], number[32];
  struct memory_text saying;
  struct compare_voice voice;
  run_data_run_name(compare->base, 0, run_id, sizeof run_id);
  pairs_add_text(&against->facts, "head", head_of(compare, asked));
  pairs_add_text(&against->facts, "run_id", run_id);
  voice = begin(&saying);
  compare_run_line(&voice, run_id, compare->base, &compare->runs[0].base_restarts);
  add_fact(against, "base", &saying);
  voice = begin(&saying);
  compare_sentence(&voice, compare, 0);
  add_fact(against, "sentence", &saying);
  snprintf(number, sizeof number, "%g", 100 * compare->options.threshold);
  pairs_add_text(&against->facts, "threshold", number);
  pairs_add_text(&against->facts, "judged", compare->runs[0].judged ? "1" : "0");
}

static double median_of(const struct record *record) {
  return summary_timed(record) ? record->median_raw_ns : (double)NAN;
}

static enum against_fate fate_of(enum compare_fate fate) {
  static const enum against_fate fates[] = {[COMPARE_ABSENT] = AGAINST_ONLY_BASE,
                                            [COMPARE_BOTH] = AGAINST_BOTH,
                                            [COMPARE_LOST] = AGAINST_LOST,
                                            [COMPARE_MENDED] = AGAINST_MENDED,
                                            [COMPARE_UNTIMED] = AGAINST_UNTIMED};
  return fates[fate];
}

/* The texts belong to the record. */
static struct against_row row_of(const struct record *record, enum against_fate fate) {
  char *texts[KEY_PARTS] = {record->case_key, record->variant, record->mode, record->devices};
  static char none[] = "";
  for (size_t i = 0; i < KEY_PARTS; i++)
    if (texts[i] == NULL) texts[i] = none;
  return (struct against_row){.case_key = texts[0],
                              .variant = texts[1],
                              .mode = texts[2],
                              .devices = texts[3],
                              .fate = fate,
                              .base_ns = NAN,
                              .ns = NAN,
                              .speedup = NAN,
                              .lo = NAN,
                              .hi = NAN,
                              .note = none};
}

static void make_row(const struct compare_row *from, struct against *against) {
  const struct compare_cell *cell = &from->cells[0];
  struct against_row row = row_of(cell->row, fate_of(cell->fate));
  struct memory_text saying;
  struct compare_voice voice = begin(&saying);
  row.base_ns = median_of(from->base);
  row.ns = median_of(cell->row);
  if (cell->fate == COMPARE_BOTH) {
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

static void make_rows(const struct compare *compare, struct against *against) {
  const struct compare_run *run = &compare->runs[0];
  for (size_t i = 0; i < compare->row_count; i++)
    if (compare->rows[i].cells[0].row != NULL) make_row(&compare->rows[i], against);
  for (size_t i = 0; i < run->only_base_count; i++) {
    struct against_row row = row_of(run->only_base[i], AGAINST_ONLY_BASE);
    row.base_ns = median_of(run->only_base[i]);
    against_add_row(against, &row);
  }
  for (size_t i = 0; i < run->only_new_count; i++) {
    struct against_row row = row_of(run->only_new[i], AGAINST_ONLY_HERE);
    row.ns = median_of(run->only_new[i]);
    against_add_row(against, &row);
  }
}

/* Notes are said in a row, each ended by a line feed; a name that has one makes no note of its own. */
static void say_inline(const struct compare_voice *voice, const char *text) {
  for (; *text != '\0'; text++)
    fputc(*text != '\n' ? *text : ' ', voice->out);
}

static void begin_note(FILE *out) {
  (void)out;
}

static void end_note(FILE *out) {
  fputc('\n', out);
}

static void make_notes(const struct compare *compare, struct against *against) {
  struct memory_text saying;
  struct compare_voice voice = begin(&saying);
  voice.name = say_inline;
  compare_notes_of_base(&voice, compare, begin_note, end_note);
  char *text = memory_text_end(&saying), *rest = text, *note;
  while ((note = strsep(&rest, "\n")) != NULL)
    if (note[0] != '\0') strings_add(&against->notes, note);
  free(text);
}

struct against *against_make(const struct compare *compare, const char *asked) {
  struct against *against = xcalloc(1, sizeof *against);
  const struct compare_differences *differences = &compare->runs[0].differences;
  make_facts(compare, asked, against);
  for (size_t i = 0; i < differences->count; i++)
    against_add_difference(against, &differences->items[i]);
  make_rows(compare, against);
  make_notes(compare, against);
  return against;
}

/* ---- Looking up ---------------------------------------------------------------------------------------------- */

const char *against_fact(const struct against *against, const char *name) {
  return text_or_empty(pairs_get(&against->facts, name));
}

bool against_is_judged(const struct against *against) {
  return strcmp(against_fact(against, "judged"), "1") == 0;
}

const struct against *against_of(const struct run_data *data, const struct record *record) {
  return data->run_count != 0 ? data->runs[run_data_run_of(data, record)].against : NULL;
}

const struct against_row *against_row_of(const struct run_data *data, const struct record *record) {
  const struct against *against = against_of(data, record);
  const char *const key[KEY_PARTS] = {text_or_empty(record->case_key), text_or_empty(record->variant),
                                      text_or_empty(record->mode), text_or_empty(record->devices)};
  size_t at = against != NULL ? map_get(&against->index, key, KEY_PARTS) : MAP_NONE;
  return at != MAP_NONE ? &against->rows[at] : NULL;
}

bool against_any(const struct run_data *data) {
  for (size_t i = 0; i < data->run_count; i++)
    if (data->runs[i].against != NULL) return true;
  return false;
}

/* ---- Short texts --------------------------------------------------------------------------------------------- */

void against_head(const struct run_data *data, char *to, size_t size) {
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
  snprintf(to, size, "vs %.*s%s", head != NULL ? (int)(end_of_head - head) : 0, text_or_empty(head),
           *end_of_head != '\0' ? "..." : "");
}

void against_ratio_text(const struct against_row *row, char *to, size_t size) {
  char text[64];
  number_ratio(text, sizeof text, row->speedup, row->speedup);
  snprintf(to, size, "%s%s", text, text[0] != '\0' ? "x" : "");
}

void against_interval_text(const struct against_row *row, char *to, size_t size) {
  char lo[64], hi[64];
  number_ratio(lo, sizeof lo, row->lo, row->speedup);
  number_ratio(hi, sizeof hi, row->hi, row->speedup);
  to[0] = '\0';
  if (lo[0] != '\0' && hi[0] != '\0') snprintf(to, size, "[%s, %s]", lo, hi);
}

void against_word_text(const struct against *against, const struct against_row *row, char *to, size_t size) {
  const char *threshold = against_fact(against, "threshold");
  bool beyond = row->beyond && threshold[0] != '\0';
  snprintf(to, size, "%s%s%.16s%s", stats_verdict_name(row->word), beyond ? " >" : "", beyond ? threshold : "",
           beyond ? "%" : "");
}
