/* What variants have beside their times: joules, metrics, timelines. Pure. */
#ifndef SUMMARY_EXTRAS_H
#define SUMMARY_EXTRAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/services/metric.h"
#include "record/extras.h"
#include "record/record.h"
#include "record/run_data.h"

#define ENERGY_SELFTEST "gpubench.org/energy/selftest/1"

/* Are its joules and its time known? May be NULL. */
bool energy_known(const struct record *record);
/* Was anything said of its joules, be it why there are none? May be NULL. */
bool energy_asked(const struct record *record);

struct energy_point {
  double ns, joules;
  bool front; /* no other is at least as good in both and better in one */
};
void energy_front(struct energy_point *points, size_t count);

/* A load that pulses with the counter's step drew the same in all phases, or it did not. */
enum energy_trust { ENERGY_UNTESTED, ENERGY_AGREES, ENERGY_UNSURE, ENERGY_ALIASES };
struct energy_verdict {
  enum energy_trust trust;
  size_t phases;
  double spread; /* (largest - smallest) / mean of their joules; of several cases the worst */
  double period_ms;
};

/* Are both of the same devices in the same run? */
bool energy_same_device(const struct run_data *data, const struct record *a, const struct record *b);
/* Of the selftest's rows of the devices that `record` was measured on, in its run. */
struct energy_verdict energy_verdict(const struct run_data *data, const struct record *record);
/* "the counter does not alias: 10 phases agree within 0.8%" */
void energy_verdict_text(const struct energy_verdict *verdict, char *to, size_t size);

/* A metric over the processes that a row counts. */
struct metrics_figure {
  const struct metric_desc *desc;
  double value;  /* median over processes */
  double lo, hi; /* their range; of a single process the range of its values */
  double sd;     /* of a single process's values; NaN where there are several */
  uint64_t n;    /* values of all of them */
  size_t epochs;
};

/* Its unit as it is shown: nothing for "1". */
const char *metrics_unit(const struct metric_desc *desc);

/* The next metric of the row, from `*at` = 0 on; false at the end. */
bool metrics_next(const struct run_data *data, const struct record *record, size_t *at, struct metrics_figure *figure);
/* The one of this name; false: it has none. */
bool metrics_find(const struct run_data *data, const struct record *record, const char *name,
                  struct metrics_figure *figure);

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
