/* The run command: DESCRIBE, PLAN, RUN, ANALYSE, RECORD, REPORT in order. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "options/options.h"

/* Returns the exit code; when `err` is set, its text is for the user. --resume completes the options from the run. */
int run_command(struct options *options, int argc, char **argv, struct err *err);

/* The device that --device means: decides `auto`. `why` says how. Exit 4 where a GPU is meant and this build has no
 * CUDA. */
int run_choose_device(const char *option, char *spec, size_t size, char *why, size_t why_size, struct err *err);

#endif
