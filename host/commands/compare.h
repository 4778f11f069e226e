/* `gpubench compare BASE NEW...`: what changed between stored runs, and whether that is a regression. */
#ifndef COMMANDS_COMPARE_H
#define COMMANDS_COMPARE_H

#include "base/err.h"
#include "compare/compare.h"
#include "options/options.h"

/* Returns the exit code: 1 for a confident regression where --fail-on asks for it, 2 where a run has nothing in common
 * with the base. */
int compare_command(const struct options *options, struct err *err);

/* --threshold and --force. */
struct compare_options compare_options_of(const struct options *options);

/* --fail-on: exit 1 where it says so; 2 where a run has nothing in common with the base. */
int compare_gate(const struct compare *compare, const struct options *options, struct err *err);

#endif
