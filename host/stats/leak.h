/* Does memory grow from call to call? Pure. */
#ifndef STATS_LEAK_H
#define STATS_LEAK_H

#include <stddef.h>
#include <stdint.h>

enum { LEAK_POINTS = 128, LEAK_FEWEST = 3, LEAK_MANY = 8 };

/* Memory in use as calls go by. Only growth within a stretch counts: between stretches others allocate. */
struct leak {
  double calls[LEAK_POINTS], bytes[LEAK_POINTS];
  size_t count, step, skipped; /* when the points are full every second one is kept */
  double total_calls, total_bytes, base_bytes;
};

/* A stretch of calls begins with this much in use. */
void leak_begin(struct leak *leak, uint64_t bytes);
/* After so many more calls of it this much is in use. */
void leak_note(struct leak *leak, uint64_t calls, uint64_t bytes);

/* Bytes per call, by the median of the slopes between all points (Theil 1950, Sen 1968): one allocation that stays,
 * such as a pool's, is no slope. With fewer than LEAK_MANY points the smallest slope from one to the next, the first
 * from where its stretch began. NaN with fewer than LEAK_FEWEST. */
double leak_slope(const struct leak *leak);

#endif
