/* Foreign rows beside the cases of runs: which are of what, and what may be said of them. A row was timed by another
 * program, at another time: its median can be divided by the baseline's, and nothing more can be said. Pure. */
#ifndef SUMMARY_FOREIGN_H
#define SUMMARY_FOREIGN_H

#include "record/run_data.h"
#include "summary/bench.h"

enum { FOREIGN_COLUMNS_MAX = 16 /* of a bench; those that come first */ };

/* Puts the rows beside the cases of a summary whose benches and cases are there; summary_build() calls it. */
void foreign_place(const struct run_data *data, struct run_summary *summary);
void foreign_place_free(struct run_bench *bench);

/* The row of this case in that column, or NULL. */
const struct foreign_row *foreign_at(const struct run_case *point, size_t column);

/* The baseline's median / this median; NaN where it has none. No interval: what differs between two programs and two
 * moments nobody has measured. */
double foreign_ratio(const struct run_case *point, const struct foreign_row *row);
/* The case's nominal work over this median. */
double foreign_rate(enum rate rate, const struct run_bench *bench, const struct run_case *point,
                    const struct foreign_row *row);
/* Is it known to compute with other, not more, significant bits than the baseline? */
bool foreign_is_mixed(const struct run_case *point, const struct foreign_row *row);
/* "sdpa-flash", and "sdpa-flash (PyTorch 2.11)" where the name alone would be another column's too. */
void foreign_name(const struct run_bench *bench, size_t column, char *to, size_t size);

/* "8 rows timed by PyTorch 2.11.0, not interleaved: in no count, mean or verdict"; empty where there are none. */
void foreign_sentence(const struct run_data *data, char *to, size_t size);

/* A sentence on the rows that have no column; empty where all have one. */
void foreign_left_out(const struct run_bench *bench, char *to, size_t size);

#endif
