/* Sorting rows into benches and cases: the first half of summary_build(). */
#ifndef SUMMARY_SORT_ROWS_H
#define SUMMARY_SORT_ROWS_H

#include "record/run_data.h"
#include "summary/bench.h"

void sort_rows(const struct run_data *data, struct run_summary *summary);

#endif
