/* Read results.csv and run.ini, two files of a run directory, and add their contents to the last run of `data`. Error
 * messages call the file `name`. */
#pragma once

#include <stdio.h>

#include "record/run_data.h"

/* Reads results.csv. Its columns may be in any order. Unknown columns, from a newer schema, are ignored; missing ones
 * are read as "not known"; a file without the essential columns is rejected. */
int run_file_results(FILE *in, const char *name, struct run_data *data, struct err *err);

/* Reads the sections [environment] and [tags] of run.ini and decodes their values; ignores all other sections. Also
 * stores the whole text of the file in the run. */
int run_file_ini(FILE *in, const char *name, struct run_data *data, struct err *err);

/* Rejects a row with values that no run can produce, because files are edited by hand and come from other programs:
 * negative or infinite times and speedups, quantiles and intervals in the wrong order. Returns -1 with a message:
 * "column p25_ns: '9' is above p75_ns, '5'". Values that are not known are accepted. */
int record_check(const struct record *record, struct err *err);
