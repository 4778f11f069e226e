/* --against: what comparing with the base says. */
#ifndef COMMANDS_AGAINST_H
#define COMMANDS_AGAINST_H

#include "base/err.h"
#include "options/options.h"
#include "record/base_run.h"
#include "record/run_data.h"

/* Compares the runs of `data`, which were read from `path`, with the base and puts the answers there; where they have a
 * directory, into its against.csv too. What --fail-on says of them goes into `verdict`. */
int against_add(struct run_data *data, const char *path, const struct base_run *base, const struct options *options,
                struct err *verdict, struct err *err);

#endif
