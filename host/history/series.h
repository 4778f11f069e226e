/* All nightly runs of a history, and all series (the times of a variant over the nights), in memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "history/store.h"
#include "stats/nights.h"

/* A run that was added to the history. */
struct history_night {
  char *run_id, *started, *commit, *fault, *verdict, *sentence;
  /* facts about the devices of the night, such as "580.65, 550.54"; each value once, in the order of the devices */
  char *drivers, *clocks, *hosts, *uuids;
  size_t rows, timed;
};

struct history_point {
  /* ns: median of the times; lo, hi: its 95% interval; NaN: not timed. sd: standard deviation between processes, as a
   * share of `ns`; NaN: not known */
  double ns, lo, hi, sd;
  double again_ns, step; /* time and relative change by a later run that measured the row again; NaN: none */
  uint32_t restarts;
  /* reasons why the time does not prove that the variant is faster (bits of model/proof/unproven.h) */
  uint32_t unproven;
  bool there, contended, quick, accepted;
  enum verdict confirmed;
  const char *status; /* status of the night's row; NULL: the night has no row of this series */
  size_t build;       /* index of the build of the variant's plugin; SIZE_MAX: not known */
};

struct history_build {
  size_t night;
  char *plugin, *version, *sha256;
};

struct history_series {
  char *device, *uuid; /* uuid: "" if all devices of one kind share a series */
  char *plugin, *bench, *case_key, *variant, *mode;
  /* what limits the variant's speed: 1 memory, 2 compute, 3 latency, taken from the newest row for which it is known;
   * 0: not known for any row */
  uint32_t bound;
  bool yardstick;
  struct history_point *points; /* the results, one for each night */
};

struct history_data {
  struct history_night *nights; /* oldest first */
  size_t night_count;
  struct history_series *series; /* sorted by bench, case, variant, mode, device */
  size_t series_count;
  struct history_build *builds;
  size_t build_count;
  struct strings damaged; /* sentences about nights that cannot be read, or whose time of start is impossible */
  struct history_point *all;
};

/* The choice of the series to read. `by_uuid`: each device has its own series. Empty lists of globs match all. */
struct history_choice {
  bool by_uuid;
  const struct strings *benches, *variants;
};

int history_read(const struct history *history, const struct history_choice *choice, struct history_data *data,
                 struct err *err);
void history_data_free(struct history_data *data);
