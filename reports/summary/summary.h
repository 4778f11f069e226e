/* What the rows say together: cases in the order of their appearance, the fastest of each, counts. Every output shows
 * these same answers. Pure. Pointers are into the run_data, which must outlive the summary. */
#ifndef SUMMARY_SUMMARY_H
#define SUMMARY_SUMMARY_H

#include "record/run_data.h"
#include "summary/bench.h"

void summary_build(const struct run_data *data, struct run_summary *summary);
void summary_free(struct run_summary *summary);

/* Does it fail the run? Also a skip that --require forbids (environment key "require": globs). Not a yardstick's. */
bool summary_failed(const struct run_data *data, const struct run_summary *summary, const struct record *record);

#endif
