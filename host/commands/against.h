/* --against: what comparing with the base says. */
#ifndef COMMANDS_AGAINST_H
#define COMMANDS_AGAINST_H

#include "base/err.h"
#include "commands/gate.h"
#include "compare/compare.h"
#include "options/options.h"
#include "record/find.h"
#include "record/run_data.h"

/* Compares the runs of `data`, which were read from `path`, with the base and puts the answers there; where they have a
 * directory, into its against.csv too. The gate counts them. */
int against_add(struct run_data *data, const char *path, const struct base_run *base, const struct options *options,
                struct gate *gate, struct err *err);

/* --threshold, --force and --allow-unjudged. */
struct compare_options compare_options_of(const struct options *options);

#endif
