/* Readers of results.csv and run.ini of a run, which append to the last run of `data`. `name` is the file's name in
 * messages. */
#pragma once

#include <stdio.h>

#include "record/run_data.h"

/* Columns may be in any order. Unknown ones, of a newer schema, are ignored; missing ones are "not known", but without
 * the essential ones it is no results.csv. */
int run_file_results(FILE *in, const char *name, struct run_data *data, struct err *err);

/* Reads the sections [environment] and [tags] and decodes their values; ignores the selections. Keeps the text. */
int run_file_ini(FILE *in, const char *name, struct run_data *data, struct err *err);

/* Checks values that no run can produce, because files are edited by hand and come from other programs: negative or
 * infinite times and speedups, quantiles and intervals in the wrong order. -1 with a message: "column p25_ns: '9' is
 * above p75_ns, '5'". Unknown values are accepted. */
int record_check(const struct record *record, struct err *err);
