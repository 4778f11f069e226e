/* Stores the comparison of a run with a baseline run, and looks up its rows. */
#include "record/against.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { KEY_PARTS = 4 };

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
  against->outcomes[row->outcome]++;
  if (row->outcome != AGAINST_ONLY_BASE) map_put(&against->index, key, KEY_PARTS, at);
  return to;
}

void against_add_difference(struct against *against, const char *what, const char *base, const char *other,
                            bool counts) {
  against->differences = xgrow(against->differences, against->difference_count, sizeof *against->differences);
  against->differences[against->difference_count++] =
      (struct against_difference){xstrdup(what), xstrdup(base), xstrdup(other), counts};
  against->unlike_count += counts;
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

const char *against_fact(const struct against *against, const char *name) {
  return text_or_empty(pairs_get(&against->facts, name));
}

bool against_is_judged(const struct against *against) {
  return strcmp(against_fact(against, "judged"), "1") == 0;
}

const char *against_outcome_name(enum against_outcome outcome) {
  static const char *const names[AGAINST_OUTCOMES] = {"both", "broken", "fixed", "untimed", "only_base", "only_here"};
  return names[outcome];
}

const char *against_verdict_name(enum against_verdict verdict) {
  static const char *const names[AGAINST_VERDICTS] = {"no regression",    "not all judged", "not judged",
                                                      "nothing compared", "slower",         "no longer correct"};
  return names[verdict];
}

enum against_verdict against_verdict(const struct against *against) {
  const char *name = against_fact(against, "verdict");
  for (enum against_verdict verdict = AGAINST_CLEAR; verdict < AGAINST_VERDICTS; verdict++)
    if (strcmp(name, against_verdict_name(verdict)) == 0) return verdict;
  return AGAINST_UNJUDGED;
}

const struct against_row *against_find(const struct against *against, const struct record *record) {
  const char *const key[KEY_PARTS] = {text_or_empty(record->case_key), text_or_empty(record->variant),
                                      text_or_empty(record->mode), text_or_empty(record->devices)};
  size_t at = against != NULL ? map_get(&against->index, key, KEY_PARTS) : MAP_NONE;
  return at != MAP_NONE ? &against->rows[at] : NULL;
}
