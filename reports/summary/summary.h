/* The summary of all rows: cases in the order of appearance, the fastest of each, counts. Every output shows these same
 * answers. Pure. Pointers lead into the run_data, which must outlive the summary. */
#pragma once

#include "record/run_data.h"
#include "summary/bench.h"

void summary_build(const struct run_data *data, struct run_summary *summary);
void summary_free(struct run_summary *summary);

/* Returns true if the row fails the run; a skip does if --require forbids it (environment key "require": globs). A
 * yardstick's row does not. */
bool summary_failed(const struct run_data *data, const struct run_summary *summary, const struct record *record);
