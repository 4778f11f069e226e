/* The columns of the tables that show all that is known of a row, and what stands in them. */
#ifndef HTML_COLUMNS_H
#define HTML_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/number.h"
#include "record/record.h"

enum column_kind {
  COLUMN_TIME,
  COLUMN_TIME_HALF,
  COLUMN_PERCENTAGE,
  COLUMN_NUMBER,
  COLUMN_RATIO,
  COLUMN_COUNT,
  COLUMN_BYTES,
  COLUMN_BYTES_REAL,
  COLUMN_FAULT,
  COLUMN_WORDS
};

struct column {
  const char *head;
  enum column_kind kind;
  size_t at, lo, hi; /* offsets in the record; `lo` and `hi` of an interval, or 0 */
};

struct column_table {
  const char *title;
  const struct column *columns;
  size_t count;
  bool skips; /* does it show rows that were skipped or not run? */
};

enum { COLUMN_ENERGY = 4, COLUMN_TABLES = 9 };
extern const struct column_table column_tables[COLUMN_TABLES];

/* Is this member of the record in one of them, or shown elsewhere on the page? */
bool column_is_placed(size_t offset);
bool column_is_time(const struct column *column);
/* Empty: not known. */
void column_text(const struct column *column, const struct record *row, const struct number_unit *unit, char *to,
                 size_t size);

#endif
