/* results.csv and run.ini of a run; they append to the last run of `data`. `name` is what messages call the file.
 */
#ifndef RECORD_RUN_LOAD_H
#define RECORD_RUN_LOAD_H

#include <stdio.h>

#include "record/run_data.h"

/* Columns may come in any order; unknown ones (a newer schema) are ignored, what missing ones say is not
 * known; without the essential ones it is no results.csv. */
int run_file_results(FILE *in, const char *name, struct run_data *data, struct err *err);

/* The sections [environment] and [tags], values percent-decoded; the selections beside them are not looked at. The text
 * is kept. */
int run_file_ini(FILE *in, const char *name, struct run_data *data, struct err *err);

/* record_check.c: -1 for values that no run can have had, since files are edited by hand and come from other programs:
 * times and speedups that are negative or infinite, quantiles and intervals that are not in order. "column p25_ns: '9'
 * is above p75_ns, '5'". What is not known is no fault. */
int record_check(const struct record *record, struct err *err);

#endif
