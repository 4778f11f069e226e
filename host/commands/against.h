/* --against: compares runs with a baseline run. */
#pragma once

#include "base/err.h"
#include "commands/gate.h"
#include "compare/compare.h"
#include "options/options.h"
#include "record/find.h"
#include "record/run_data.h"

/* Compares the runs of `data`, which were read from `path`, with the baseline run. Stores the results in `data` and
 * also, if a run has a directory, in its against.csv. Adds the results to the counts of `gate`. */
int against_add(struct run_data *data, const char *path, const struct base_run *base, const struct options *options,
                struct gate *gate, struct err *err);

/* Returns the comparison options that --threshold, --force and --allow-unjudged set. */
struct compare_options compare_options_of(const struct options *options);
