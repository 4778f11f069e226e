/* Foreign rows (results of other programs) in the tables of runs: the case that each belongs to, and its figures.
 * Another program timed them at another time, so the only comparison is the baseline's median divided by the foreign
 * row's median. No I/O. */
#pragma once

#include "record/run_data.h"
#include "summary/bench.h"

enum {
  FOREIGN_COLUMNS_MAX = 16 /* limit of foreign columns in a bench; foreign rows beyond these columns are only counted */
};

/* foreign_place() assigns the foreign rows to the cases of the summary. summary_build() calls it at its end. */
void foreign_place(const struct run_data *data, struct run_summary *summary);
void foreign_place_free(struct run_bench *bench);

/* Returns the foreign row of this case in that column, or NULL. */
const struct foreign_row *foreign_at(const struct run_case *point, size_t column);

/* Returns the baseline's median divided by the foreign row's median; NaN if there is no baseline. There is no interval,
 * because the spread between two programs at two times was not measured. */
double foreign_ratio(const struct run_case *point, const struct foreign_row *row);
/* Returns the rate of the foreign row: the number of FLOP or bytes that the plugin declared for the case, divided by
 * the row's median; NaN if the plugin declared none. */
double foreign_rate(enum rate rate, const struct run_bench *bench, const struct run_case *point,
                    const struct foreign_row *row);
/* Returns true if the row's arithmetic is known to differ from the baseline's and is not known to be more precise. */
bool foreign_is_mixed(const struct run_case *point, const struct foreign_row *row);
/* Writes the heading of a column: "sdpa-flash", or "sdpa-flash (PyTorch 2.11)" if another column has the same name. */
void foreign_name(const struct run_bench *bench, size_t column, char *to, size_t size);

/* Writes "8 rows timed by PyTorch 2.11.0, not interleaved: in no count, mean or verdict"; empty if there are none. */
void foreign_sentence(const struct run_data *data, char *to, size_t size);

/* Writes how many foreign rows of the bench are not shown because there was no column left; empty if all are shown. */
void foreign_left_out(const struct run_bench *bench, char *to, size_t size);
