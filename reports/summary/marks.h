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

/* Marks with what is behind them: "imprecise: +-1.2%", "conditions: clocks differ: standard 1911, flash 1813 MHz". Of a
 * row, of a case, or of a whole bench, so that what several share is said once. Pure. */

/* The rows that it is about: of the bench; of them, where it is not NULL, those of this case; or this one of it. */
struct mark_scope {
  const struct run_data *data;
  const struct run_bench *bench;
  const struct run_case *point;
  const struct record *row;
};

/* The timed rows, and of them those with this mark. */
size_t marks_rows(const struct mark_scope *scope);
size_t marks_count(const struct mark_scope *scope, enum mark mark);
/* What each of them has; none where none was timed. */
unsigned marks_shared(const struct mark_scope *scope);
/* Those marks, each with the figures of the rows that have it; untrusted text. Empty for none. */
void marks_tell(const struct mark_scope *scope, unsigned marks, char *to, size_t size);
/* The one that says most against the figures; MARK_COUNT for none. */
enum mark marks_worst(unsigned marks);

#endif
