/* --foreign: rows that other programs timed, beside those of runs. They are kept in the run directory, so that its
 * reports can be made from it alone. */
#ifndef COMMANDS_FOREIGN_H
#define COMMANDS_FOREIGN_H

#include "base/err.h"
#include "base/text.h"
#include "record/run_data.h"

/* Adds the files' rows to a run's and keeps them in its directory, or to several as rows of them all. */
int foreign_add(const struct strings *files, struct run_data *data, struct err *err);

#endif
