/* Benches with many verdicts, as the host measures them and as the report corrects them. */
#ifndef TEST_STATS_MANY_H
#define TEST_STATS_MANY_H

#include <stdbool.h>
#include <stdint.h>

/* Prints the shares of verdicts found and of false ones in benches of 20 verdicts. Returns true if a rate is out of
 * its bounds. */
bool many_run(uint64_t trials);

#endif
