/* The run command: measures, then reports what was measured. */
#ifndef COMMANDS_RUN_H
#define COMMANDS_RUN_H

#include "options/options.h"

/* Returns the exit code; when `err` is set, its text is for the user. --resume completes the options from the run. */
int run_command(struct options *options, int argc, char **argv, struct err *err);

/* A first word that is neither a command nor a plugin may be meant as either: says both, before what is in `err`. */
int run_check_word(const struct options *options, struct err *err);

#endif
