/* The summary of all rows: cases in the order of appearance, the fastest of each, counts. Every output shows the same
 * summary. No I/O. Pointers in it lead into the run_data, which must live longer. */
#pragma once

#include "record/run_data.h"
#include "summary/bench.h"

void summary_build(const struct run_data *data, struct run_summary *summary);
void summary_free(struct run_summary *summary);

/* Returns true if the row makes the run fail. A skipped row makes it fail if --require names its variant (globs under
 * the environment key "require"). A yardstick never does. */
bool summary_failed(const struct run_data *data, const struct run_summary *summary, const struct record *record);
