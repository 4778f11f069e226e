/* Detects memory that grows from call to call. The functions do no I/O and use no global state. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { LEAK_POINTS = 128, LEAK_FEWEST = 3, LEAK_MANY = 8 };

/* The memory in use over the calls of a variant. Only growth within a stretch of consecutive calls counts, because
 * between stretches other code allocates memory. */
struct leak {
  double calls[LEAK_POINTS], bytes[LEAK_POINTS];
  /* count: number of points; when the arrays are full, every second point is dropped, and `step` is doubled */
  size_t count, step, skipped;
  double total_calls, total_bytes, base_bytes;
};

/* Begins a stretch of consecutive calls; `bytes` of memory are in use now. */
void leak_begin(struct leak *leak, uint64_t bytes);
/* Notes the memory in use after `calls` more calls of the stretch. */
void leak_note(struct leak *leak, uint64_t calls, uint64_t bytes);

/* Returns by how many bytes the memory grows per call: the median of the slopes between all points (Theil 1950, Sen
 * 1968). With fewer than LEAK_MANY points it is the smallest slope from one point to the next, with the start as the
 * first point. NaN with fewer than LEAK_FEWEST points. */
double leak_slope(const struct leak *leak);
