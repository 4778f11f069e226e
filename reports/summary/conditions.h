/* What was wrong with a run as a whole, beside what its rows say by themselves. Pure. */
#ifndef SUMMARY_CONDITIONS_H
#define SUMMARY_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "record/run_data.h"
#include "summary/summary.h"

#define CONDITIONS_QUICK "quick run: a look at 5%, not a measurement"

/* Is any of it a quick run's? */
bool conditions_quick(const struct run_data *data);

/* How an isolated run was measured, with what was kept from plugins; empty where it was not. */
void conditions_isolated(const struct run_data *data, char *to, size_t size);
/* "throttled in 2 of 26 results, there in up to 12% of the rounds"; "" where none was. */
void conditions_throttled(const struct run_summary *summary, char *to, size_t size);

#endif
