/* Marks: notes on rows whose results are correct. A mark says why the row's figures are less reliable than they look,
 * or not comparable with others. Every output uses the same words for a mark. No I/O. */
#pragma once

#include <stddef.h>

#include "record/run_data.h"
#include "summary/bench.h"

enum mark {
  MARK_APART,
  MARK_GROUPS,
  MARK_MATH,
  MARK_LAUNCH,
  MARK_IMPRECISE,
  MARK_QUICK,
  MARK_THROTTLED,
  MARK_CONDITIONS,
  MARK_CEILING,
  MARK_UNPROVEN,
  MARK_FEW,
  MARK_DERIVED,
  MARK_UNVERIFIED,
  MARK_REUSE,
  MARK_COUNT,
};

const char *mark_word(enum mark mark);    /* returns the mark's short name: "not interleaved" */
const char *mark_meaning(enum mark mark); /* returns a sentence that explains the mark */

/* Returns the marks of a row as bits 1 << mark; 0 for a row that was not timed. */
unsigned marks_of(const struct run_data *data, const struct run_case *point, const struct record *row);
/* Writes the names of these marks, "mixed math, quick"; empty for 0. */
void marks_text(unsigned marks, char *to, size_t size);
/* Returns true if one of these marks says the same as the message of a row that has it, so that the message need not be
 * printed. */
bool marks_cover_message(unsigned marks);

/* The functions below write marks with their figures: "imprecise: +-1.2%", "conditions: clocks differ: standard 1911,
 * flash 1813 MHz". They do so for a row, a case or a whole bench, so that a text that several rows share is written
 * once. */

/* The rows that a text is about: those of the bench; if `point` is not NULL, only those of this case; if `row` is not
 * NULL, only that row. */
struct mark_scope {
  const struct run_data *data;
  const struct run_bench *bench;
  const struct run_case *point;
  const struct record *row;
};

/* marks_rows() returns the number of timed rows in the scope, marks_count() the number of those that have this mark. */
size_t marks_rows(const struct mark_scope *scope);
size_t marks_count(const struct mark_scope *scope, enum mark mark);
/* Returns each mark that at least one row of the bench has. Rows that other programs measured count as well. */
unsigned marks_seen(const struct run_data *data, const struct run_bench *bench);
/* Returns the marks that all timed rows of the scope have; 0 if none was timed. */
unsigned marks_shared(const struct mark_scope *scope);
/* Writes the names of these marks, each with the figures of those rows of the scope that have it. Writes "" if `marks`
 * is 0. Parts of the text are from plugins, so a caller must escape it. */
void marks_tell(const struct mark_scope *scope, unsigned marks, char *to, size_t size);
/* Returns that one of these marks which makes a row's figures least reliable; MARK_COUNT if `marks` is 0. */
enum mark marks_worst(unsigned marks);
