/* A run from selections to rows: DESCRIBE, PLAN, RUN, ANALYSE, RECORD in order. The commands decide what happens with
 * the rows. */
#pragma once

#include "run/state.h"

/* Begins `run`, which must be freed in any case. Afterwards run->recording tells whether there are rows. If `err` is
 * set, its text is for the user. --resume completes the options from the run. */
int run_to_rows(struct run_state *run, struct options *options, int argc, char **argv, struct err *err);

/* Returns the exit code of a run that ended with `rc`, after its outputs were made. */
int run_exit_code(const struct run_state *run, int rc, const struct err *err);

/* Writes why the run ends with this code, unless an error or the lines of failed rows have said so. */
void run_say_why(const struct run_state *run, int code, struct err *err);
void run_free(struct run_state *run);
