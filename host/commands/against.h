/* --against: compares with the baseline run. */
#pragma once

#include "base/err.h"
#include "commands/gate.h"
#include "compare/compare.h"
#include "options/options.h"
#include "record/find.h"
#include "record/run_data.h"

/* Compares the runs of `data`, which were read from `path`, with the baseline run. Keeps the results in `data` and, if
 * a run has a directory, in its against.csv. The gate counts them. */
int against_add(struct run_data *data, const char *path, const struct base_run *base, const struct options *options,
                struct gate *gate, struct err *err);

/* Returns the settings of --threshold, --force and --allow-unjudged. */
struct compare_options compare_options_of(const struct options *options);
