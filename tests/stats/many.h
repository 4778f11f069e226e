/* Simulated benches with many comparisons. They test how gpubench's report corrects verdicts for the number of
 * comparisons. */
#ifndef TEST_STATS_MANY_H
#define TEST_STATS_MANY_H

#include <stdbool.h>
#include <stdint.h>

/* Simulates benches of 20 comparisons. Prints which share of the real differences got a verdict, and which share of
 * the verdicts was false. Returns true if a rate is out of its bounds. */
bool many_run(uint64_t trials);

#endif
