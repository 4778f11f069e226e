/* against.csv. */
#ifndef RECORD_AGAINST_CSV_H
#define RECORD_AGAINST_CSV_H

#include <stdio.h>

#include "record/against.h"
#include "record/run_data.h"

#define AGAINST_FILE "against.csv"

#define AGAINST_CSV_COLUMNS                                                                                       \
  "part,name,base,here,case_key,variant,mode,devices,fate,base_ns,ns,speedup,lo,hi,verdict,beyond,base_restarts," \
  "restarts,note"

int against_csv_write(const struct against *against, FILE *out, struct err *err);

/* Into the last run of `data`. */
int against_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err);

#endif
