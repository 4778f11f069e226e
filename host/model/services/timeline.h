/* Timelines, gb.span/1: the times at which parts of one iteration of a variant began and ended, drawn as bars on lanes.
 * The functions do no I/O and use no global state. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { TIMELINE_SPANS_MAX = 4096, TIMELINE_LANES_MAX = 32, TIMELINE_PORTION = 128 };

/* Name of a lane that gpubench adds: the device's power during the energy measurement. Its spans have labels such as
 * "650 W" and times that count from the first reading, not from the start of an iteration. A variant that reports a
 * timeline itself does not get this lane. */
#define TIMELINE_POWER "gpubench/power"

struct timeline_span {
  char lane[ID_SIZE];
  char label[TEXT_SIZE];    /* empty: the name of the lane */
  int64_t begin_ns, end_ns; /* since the start of the iteration */
};

struct timeline {
  struct timeline_span *spans; /* owned */
  uint32_t count, lane_count;
  uint64_t dropped; /* number of spans that were dropped because a limit was reached */
};

/* Appends a copy. Returns false and counts the span as dropped if there are too many spans or lanes. */
bool timeline_add(struct timeline *timeline, const struct timeline_span *span);
void timeline_free(struct timeline *timeline);

/* Checks a span that came from a process with foreign code: terminates its texts and makes them printable. Returns
 * false if it is not valid. */
bool timeline_check(struct timeline_span *span);
