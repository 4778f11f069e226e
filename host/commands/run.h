/* The run command: measures, then reports what was measured. */
#ifndef COMMANDS_RUN_H
#define COMMANDS_RUN_H

#include "options/options.h"

/* Returns the exit code; when `err` is set, its text is for the user. --resume completes the options from the run. */
int run_command(struct options *options, int argc, char **argv, struct err *err);

#endif
