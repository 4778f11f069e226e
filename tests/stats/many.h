/* Benches of many words, as the host measures and the report settles them. */
#ifndef TEST_STATS_MANY_H
#define TEST_STATS_MANY_H

#include <stdbool.h>
#include <stdint.h>

/* Prints what is found and what is false in benches of 20 words; true where a rate is out of its bounds. */
bool many_run(uint64_t trials);

#endif
