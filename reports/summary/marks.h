/* What has to be said of a row that is ok: in which way its figures are weaker than they look, or not comparable. Every
 * output uses these words. Pure. */
#ifndef SUMMARY_MARKS_H
#define SUMMARY_MARKS_H

#include <stddef.h>

#include "record/run_data.h"
#include "summary/bench.h"

enum mark {
  MARK_APART,
  MARK_GROUPS,
  MARK_MATH,
  MARK_FLOOR,
  MARK_IMPRECISE,
  MARK_QUICK,
  MARK_THROTTLED,
  MARK_CONDITIONS,
  MARK_ROOF,
  MARK_UNPROVEN,
  MARK_FEW,
  MARK_DERIVED,
  MARK_UNSEEN,
  MARK_REUSE,
  MARK_COUNT,
};

const char *mark_word(enum mark mark);    /* "not interleaved" */
const char *mark_meaning(enum mark mark); /* a sentence */

/* Bits 1 << mark. None for a row that was not timed. */
unsigned marks_of(const struct run_data *data, const struct run_case *point, const struct record *row);
/* "mixed math, quick" of those bits; empty for none. */
void marks_text(unsigned marks, char *to, size_t size);
/* Does a mark say what the row's message says? */
bool marks_cover_message(unsigned marks);

#endif
