/* Sorting rows into benches and cases: the first half of summary_build(). */
#ifndef SUMMARY_SORT_ROWS_H
#define SUMMARY_SORT_ROWS_H

#include "summary/bench.h"

void summary_sort_rows(const struct run_data *data, struct run_summary *summary);

/* Fills what a sorted bench says of its baselines. */
void summary_find_bases(struct run_bench *bench);

#endif
