/* `gpubench compare BASE NEW...`: what changed between stored runs, and whether that is a regression. */
#ifndef COMMANDS_COMPARE_H
#define COMMANDS_COMPARE_H

#include "base/err.h"
#include "compare/compare.h"
#include "options/options.h"

/* Returns the exit code: that of commands/gate.h, or 2 where a run has nothing in common with the base. */
int compare_command(const struct options *options, struct err *err);

/* --threshold, --force and --allow-unjudged. */
struct compare_options compare_options_of(const struct options *options);

#endif
