/* Foreign rows, which are results of other programs, in the tables of runs: the case that each belongs to, and its
 * figures. They were timed by another program at another time, so a median can only be divided by the baseline's.
 * Pure. */
#pragma once

#include "record/run_data.h"
#include "summary/bench.h"

enum { FOREIGN_COLUMNS_MAX = 16 /* columns of a bench; rows beyond the last are only counted */ };

/* Places the rows in the cases of a summary whose benches and cases are complete. Called by summary_build(). */
void foreign_place(const struct run_data *data, struct run_summary *summary);
void foreign_place_free(struct run_bench *bench);

/* Returns the row of this case in that column, or NULL. */
const struct foreign_row *foreign_at(const struct run_case *point, size_t column);

/* Returns the baseline's median divided by this median; NaN if there is no baseline. It has no interval: the difference
 * between two programs and two times was not measured. */
double foreign_ratio(const struct run_case *point, const struct foreign_row *row);
/* Returns the rate: the case's nominal work divided by this median. */
double foreign_rate(enum rate rate, const struct run_bench *bench, const struct run_case *point,
                    const struct foreign_row *row);
/* Returns true if its arithmetic is known to differ from the baseline's, unless it has more significant bits. */
bool foreign_is_mixed(const struct run_case *point, const struct foreign_row *row);
/* Writes "sdpa-flash", or "sdpa-flash (PyTorch 2.11)" if another column has the same name. */
void foreign_name(const struct run_bench *bench, size_t column, char *to, size_t size);

/* Writes "8 rows timed by PyTorch 2.11.0, not interleaved: in no count, mean or verdict"; empty if there are none. */
void foreign_sentence(const struct run_data *data, char *to, size_t size);

/* Writes a sentence on rows without a column; empty if all have one. */
void foreign_left_out(const struct run_bench *bench, char *to, size_t size);
