/* What limits a row, in words, by the ceilings that its run measured. Pure. */
#ifndef SUMMARY_BOUND_H
#define SUMMARY_BOUND_H

#include <stdint.h>

#include "record/run_data.h"

/* All bytes along the arrows of what a variant launches. Sums of what plugins state stay at the largest number. */
uint64_t bound_traffic(const struct run_graph *graph);
/* "memory", "compute", "neither: far from both roofs"; "" where it is not known. Of a variant that states the bytes it
 * moves it is by these, else by the nominal ones of its case. */
const char *bound_words(const struct run_data *data, const struct record *row);

#endif
