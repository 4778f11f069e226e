/* Data of rows other than their times: energy (joules), metrics, timelines. No I/O. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/services/metric.h"
#include "record/extras.h"
#include "record/record.h"
#include "record/run_data.h"

#define ENERGY_SELFTEST "gpubench.org/energy/selftest/1"

/* Returns true if the row's joules and time are known. The row may be NULL. */
bool energy_known(const struct record *record);
/* Returns true if the row has joules, or states why it has none. The row may be NULL. */
bool energy_asked(const struct record *record);

struct energy_point {
  double ns, joules;
  bool front; /* true if no other point is at least as good in both time and joules, and better in one */
};
void energy_front(struct energy_point *points, size_t count);

/* Whether the energy counter of a device can be trusted. It is tested with a load that pulses with the period of the
 * counter: the load must draw the same energy whatever its phase. */
enum energy_trust { ENERGY_UNTESTED, ENERGY_AGREES, ENERGY_UNSURE, ENERGY_ALIASES };
struct energy_verdict {
  enum energy_trust trust;
  size_t phases;
  double spread; /* (largest - smallest) / mean of the joules measured at different phases of the load; if several cases
                    were tested, that of the case with the worst result */
  double period_ms;
};

/* Returns true if both rows are of the same devices and the same run. */
bool energy_same_device(const struct run_data *data, const struct record *a, const struct record *b);
/* Returns the verdict on the counter of the device that measured `record`, from the rows of energy/selftest in the same
 * run. */
struct energy_verdict energy_verdict(const struct run_data *data, const struct record *record);
/* Writes the verdict in words: "the counter does not alias: 10 phases agree within 0.8%". */
void energy_verdict_text(const struct energy_verdict *verdict, char *to, size_t size);

/* The value of a metric (a figure that a variant reports besides its time), combined over the worker processes that
 * measured the row. */
struct metrics_figure {
  const struct metric_desc *desc;
  double value;  /* median of the values of the processes */
  double lo, hi; /* range over processes; if there is one process, the range of its values */
  double sd;     /* standard deviation of the values of a single process; NaN with several processes */
  uint64_t n;    /* number of values in all processes */
  size_t epochs;
};

/* Returns the metric's unit for display: "" instead of "1". */
const char *metrics_unit(const struct metric_desc *desc);

/* Gets the next metric of the row. `*at` must be 0 for the first call. Returns false at the end. */
bool metrics_next(const struct run_data *data, const struct record *record, size_t *at, struct metrics_figure *figure);
/* Gets the metric of this name. Returns false if the row has none. */
bool metrics_find(const struct run_data *data, const struct record *record, const char *name,
                  struct metrics_figure *figure);

struct lane {
  const char *name;
  int64_t busy_ns;           /* time in which the lane is busy; overlapping spans count once */
  int64_t first_ns, last_ns; /* first_ns: begin of the first span; last_ns: end of the last span */
  size_t spans;
  size_t levels; /* the largest number of spans at the same time, at most LANE_LEVELS */
};

enum { LANES_MAX = 32, LANE_LEVELS = 4 };

/* A span of a timeline (work from one time to another), and the level (row of bars) on which it is drawn. */
struct lane_bar {
  const struct extras_span *span;
  size_t level;
};

struct timeline_lanes {
  struct lane items[LANES_MAX]; /* in the order in which their first spans begin */
  size_t count;
  struct lane_bar *bars; /* the bars of all lanes, sorted by lane and then by time */
  size_t bar_count;
  int64_t begin_ns, end_ns; /* begin_ns: begin of the iteration, or of the first span if that is earlier; end_ns: end of
                               the last span */
  size_t longest;           /* index of the lane that was busy longest */
};

/* Returns true if the span is a power reading of the device (TIMELINE_POWER), which is not a part of an iteration. */
bool timeline_is_power(const struct extras_series *series, const struct extras_span *span);
/* Gets the timeline of the row: the spans that its processes recorded. Returns false if there are none. */
bool timeline_build(const struct extras_series *series, const struct record *record, struct timeline_lanes *lanes);
void timeline_lanes_free(struct timeline_lanes *lanes);

/* timeline_share() returns the share of the whole time that a lane was busy. timeline_overlap() returns the sum of the
 * busy times of all lanes divided by the whole time; it is above 1 if lanes were busy at the same time. */
double timeline_share(const struct timeline_lanes *lanes, const struct lane *lane);
double timeline_overlap(const struct timeline_lanes *lanes);

/* Writes the result in words: "bottleneck: h2d, busy 97% of 41.20 ms; overlap 2.31 (sum of busy times / whole)". */
void timeline_sentence(const struct timeline_lanes *lanes, char *to, size_t size);
