/* Counts how often an event occurred in a number of trials, and compares that rate with bounds. */
#ifndef TEST_STATS_RATE_H
#define TEST_STATS_RATE_H

#include <stdbool.h>
#include <stddef.h>

struct rate {
  size_t count, of;
};

void rate_note(struct rate *rate, bool yes);

/* Prints the rate as a percentage, with its 95% interval unless `brief`. Returns true if the rate is wrong: the whole
 * interval lies below `least` or above `most`. */
bool rate_show(const struct rate *rate, double least, double most, bool brief);

#endif
