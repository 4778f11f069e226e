/* Timelines, gb.span/1: what went on when within one iteration of a variant, as bars on lanes. Pure. */
#ifndef MODEL_SERVICES_TIMELINE_H
#define MODEL_SERVICES_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum { TIMELINE_SPANS_MAX = 4096, TIMELINE_LANES_MAX = 32, TIMELINE_PORTION = 128 };

/* The lane of the device's power while joules were measured, apart from any iteration: its labels are "650 W", its
 * times count from the first reading. Of a variant that states a timeline of its own there is none. */
#define TIMELINE_POWER "gpubench/power"

struct timeline_span {
  char lane[ID_SIZE];
  char label[TEXT_SIZE];    /* empty: the lane */
  int64_t begin_ns, end_ns; /* from the iteration's begin */
};

struct timeline {
  struct timeline_span *spans; /* owned */
  uint32_t count, lane_count;
  uint64_t dropped; /* beyond the limits */
};

/* A copy at the end; false, and counted, where there are too many, or too many lanes. */
bool timeline_add(struct timeline *timeline, const struct timeline_span *span);
void timeline_free(struct timeline *timeline);

/* What arrives from a process that runs foreign code: false where it is none; texts are ended and made printable. */
bool timeline_check(struct timeline_span *span);

#endif
