/* The files of a run directory, one function each; they append to `data`. */
#ifndef REPORTS_RUN_FILES_H
#define REPORTS_RUN_FILES_H

#include "reports/run_data.h"

/* Columns may come in any order; unknown ones (a newer schema) are ignored, what missing ones say is not
 * known; without the essential ones it is no results.csv. */
int run_file_results(const char *path, struct run_data *data, struct err *err);
int run_file_samples(const char *path, struct run_data *data, struct err *err);
/* After the samples: the state of the device in each of their slots. */
int run_file_slots(const char *path, struct run_data *data, struct err *err);

/* The sections [environment] and [tags], values percent-decoded; the selections beside them are not looked at. */
int run_file_ini(const char *path, struct run_data *data, struct err *err);

#endif
