/* A run from selection to rows: DESCRIBE, PLAN, RUN, ANALYSE, RECORD in order. What becomes of the rows is a command's
 * business. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "run/state.h"

/* Begins `run`, to be freed whatever happens; then `recorded` says whether there are rows. When `err` is set, its text
 * is for the user. --resume completes the options from the run. */
int run_to_rows(struct run_state *run, struct options *options, int argc, char **argv, struct err *err);

/* Of a run that has ended with `rc`, as have the outputs made of it. */
int run_exit_code(const struct run_state *run, int rc, const struct err *err);

/* Why it ends with this code, where neither an error says so nor the lines that rows have in a quiet run. */
void run_say_why(const struct run_state *run, int code, struct err *err);
void run_free(struct run_state *run);

#endif
