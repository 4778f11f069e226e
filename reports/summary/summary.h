/* The summary of a run's rows: the cases in order of appearance, the fastest variant of each case, and counts of rows.
 * Every output (terminal, HTML, Markdown) shows the same summary. No I/O. Pointers in the summary lead into the
 * run_data, which must live longer. */
#pragma once

#include "record/run_data.h"
#include "summary/bench.h"

void summary_build(const struct run_data *data, struct run_summary *summary);
void summary_free(struct run_summary *summary);

/* Returns true if the row makes the run fail. A skipped row does so only if --require named its variant (run.ini has
 * the globs of --require). A row of the calibrate plugin that the user did not ask for never does. */
bool summary_failed(const struct run_data *data, const struct run_summary *summary, const struct record *record);
