/* All nights and all series, in memory. */
#ifndef HISTORY_SERIES_H
#define HISTORY_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "history/store.h"
#include "stats/nights.h"

/* A run that was put into the history. */
struct history_night {
  char *run_id, *started, *commit, *fault, *verdict, *sentence;
  char *drivers, *clocks, *hosts, *uuids; /* of all its devices, in their order: "580.65, 550.54" */
  size_t rows, timed;
};

struct history_point {
  double ns, lo, hi, sd; /* NaN: not known; the first three: not timed */
  double again_ns, step; /* NaN */
  uint32_t restarts;
  uint32_t unproven; /* bits of model/proof/unproven.h */
  bool there, contended, quick, accepted;
  enum verdict confirmed;
  const char *status; /* a row's status; NULL: no row in that night */
  size_t build;       /* of the variant's plugin; SIZE_MAX: not known */
};

struct history_build {
  size_t night;
  char *plugin, *version, *sha256;
};

struct history_series {
  char *device, *uuid; /* uuid: "" unless series are told apart by it */
  char *plugin, *bench, *case_key, *variant, *mode;
  uint32_t bound; /* of the newest row that knows it: 0 not known, 1 memory, 2 compute, 3 latency */
  bool yardstick;
  struct history_point *points; /* one for each night */
};

struct history_data {
  struct history_night *nights; /* oldest first */
  size_t night_count;
  struct history_series *series; /* by bench, case, variant, mode, device */
  size_t series_count;
  struct history_build *builds;
  size_t build_count;
  struct strings damaged; /* nights that cannot be read, or cannot have begun when they say, as sentences */
  struct history_point *all;
};

/* `by_uuid`: each device has its own series. Globs may be empty: all. */
struct history_choice {
  bool by_uuid;
  const struct strings *benches, *variants;
};

int history_read(const struct history *history, const struct history_choice *choice, struct history_data *data,
                 struct err *err);
void history_data_free(struct history_data *data);

#endif
