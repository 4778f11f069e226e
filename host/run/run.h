/* Executes one run of benchmarks. It begins with the selections (the benchmarks that the user asks for) and ends with
 * the rows of results.csv. The steps are: describe the plugins, plan, measure, analyse, record. The commands decide
 * what happens with the rows. */
#pragma once

#include "run/state.h"

/* Begins `run`, which the caller must free in any case, and measures. Afterwards run->recording tells whether there are
 * rows. If `err` is set, its text is for the user. With --resume, options are taken from the resumed run. */
int run_to_rows(struct run_state *run, struct options *options, int argc, char **argv, struct err *err);

/* Returns the exit code of a run after its outputs were made; `rc` and `err` are the result of the run. */
int run_exit_code(const struct run_state *run, int rc, const struct err *err);

/* Prints why the run ends with this exit code, unless an error or the lines about failed rows have said so. */
void run_say_why(const struct run_state *run, int code, struct err *err);
void run_free(struct run_state *run);
