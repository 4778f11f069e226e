/* What a timeline comes to: how long each lane was busy, and which one longest. Pure. */
#ifndef SUMMARY_TIMELINE_H
#define SUMMARY_TIMELINE_H

#include "record/extras.h"

struct lane {
  const char *name;
  int64_t busy_ns;           /* spans that overlap count once */
  int64_t first_ns, last_ns; /* begin of the first, end of the last */
  size_t spans;
  size_t levels; /* spans of it at once, at most LANE_LEVELS */
};

enum { LANES_MAX = 32, LANE_LEVELS = 4 };

/* A span where it is drawn. */
struct lane_bar {
  const struct extras_span *span;
  size_t level;
};

struct timeline_lanes {
  struct lane items[LANES_MAX]; /* in the order in which they begin */
  size_t count;
  struct lane_bar *bars; /* lane by lane, each in order of time */
  size_t bar_count;
  int64_t begin_ns,
      end_ns;     /* the whole: from the iteration's begin, or a span before it, to the end of the last span */
  size_t longest; /* the lane that was busy longest */
};

/* Is it one of the device's power (TIMELINE_POWER), and so none of an iteration? */
bool timeline_is_power(const struct extras_series *series, const struct extras_span *span);
/* Of the spans of an iteration that count for the row. False: there are none. */
bool timeline_build(const struct extras_series *series, const struct record *record, struct timeline_lanes *lanes);
void timeline_lanes_free(struct timeline_lanes *lanes);

/* Share of the whole that a lane was busy; sum of all busy times over the whole, 1 where nothing overlaps. */
double timeline_share(const struct timeline_lanes *lanes, const struct lane *lane);
double timeline_overlap(const struct timeline_lanes *lanes);

/* "bottleneck: h2d, busy 97% of 41.20 ms; overlap 2.31 (sum of busy times / whole)" */
void timeline_sentence(const struct timeline_lanes *lanes, char *to, size_t size);

#endif
