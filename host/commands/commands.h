/* The commands. Each returns the exit code; where `err` is set, its text is for the user. */
#ifndef COMMANDS_COMMANDS_H
#define COMMANDS_COMMANDS_H

#include "options/options.h"

/* Measures, then reports what was measured. --resume completes the options from the run. */
int run_command(struct options *options, int argc, char **argv, struct err *err);
/* A first word that is neither a command nor a plugin may be meant as either: says both, before what is in `err`. */
int run_check_word(const struct options *options, struct err *err);

/* Describes plugins and devices, then prints them: plugins that are named, else all that bare names find. */
int list_command(const struct options *options, struct err *err);

/* Plugins held against the rules of the ABI: 3 where a rule failed, or was not checked and --require-all is given. */
int check_command(const struct options *options, struct err *err);

/* What changed between stored runs, and whether that is a regression: the code of commands/gate.h, or 2 where a run has
 * nothing in common with the base. */
int compare_command(const struct options *options, struct err *err);

/* Nights into a folder, out of it, and what is there; how times went over them. */
int history_command(const struct options *options, struct err *err);
int trend_command(const struct options *options, struct err *err);

#endif
