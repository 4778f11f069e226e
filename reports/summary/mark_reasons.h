/* Marks with what is behind them: "imprecise: +-1.2%", "conditions: clocks differ: standard 1911, flash 1813 MHz". Of a
 * row, of a case, or of a whole bench, so that what several share is said once. Pure. */
#ifndef SUMMARY_MARK_REASONS_H
#define SUMMARY_MARK_REASONS_H

#include "summary/marks.h"

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
