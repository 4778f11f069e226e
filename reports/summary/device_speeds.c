/* How fast each of several devices ran what was asked for, beside the others of its model: over all rows that two of
 * them have, the geometric mean of the devices' median time over its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "stats/stats.h"
#include "summary/device_outliers.h"
#include "summary/summary.h"

struct times {
  const struct device_outliers *outliers;
  struct map groups; /* case, variant, mode, model -> its times, one per device */
  double *ns;        /* NaN: the device has none */
  size_t count;
};

static bool counts(const struct record *record) {
  return record->devices != NULL && row_timed(record) && !row_is_yardstick(record) && isfinite(record->median_raw_ns) &&
         !row_is_calibration(record);
}

static size_t index_of(const struct device_outliers *outliers, const char *id) {
  size_t i = 0;
  while (strcmp(outliers->devices[i].id, id) != 0)
    i++;
  return i;
}

static void add_row(struct times *times, const struct record *record) {
  const size_t devices = times->outliers->count;
  const char *const key[] = {text_or_empty(record->case_key), text_or_empty(record->variant),
                             text_or_empty(record->mode), text_or_empty(record->device_name)};
  size_t group = map_put(&times->groups, key, 4, times->count);
  if (group == times->count) {
    times->ns = xgrow(times->ns, group, devices * sizeof *times->ns);
    for (size_t i = 0; i < devices; i++)
      times->ns[group * devices + i] = NAN;
    times->count++;
  }
  times->ns[group * devices + index_of(times->outliers, record->devices)] = record->median_raw_ns;
}

/* Adds the logarithms of the group's ratios. */
static void add_group(const double *ns, size_t devices, double *sums, size_t *terms, double *room) {
  size_t count = 0;
  for (size_t i = 0; i < devices; i++)
    if (!isnan(ns[i])) room[count++] = ns[i];
  if (count < 2) return;
  double median = stats_median(room, count);
  for (size_t i = 0; i < devices; i++) {
    if (isnan(ns[i])) continue;
    sums[i] += log(median / ns[i]);
    terms[i]++;
  }
}

void device_speeds_find(const struct run_data *data, struct device_outliers *outliers) {
  struct times times = {.outliers = outliers};
  for (size_t i = 0; i < data->count; i++)
    if (counts(&data->records[i])) add_row(&times, &data->records[i]);
  SCOPED double *sums = xcalloc(2 * outliers->count, sizeof *sums);
  SCOPED size_t *terms = xcalloc(outliers->count, sizeof *terms);
  for (size_t i = 0; i < times.count; i++)
    add_group(times.ns + i * outliers->count, outliers->count, sums, terms, sums + outliers->count);
  for (size_t i = 0; i < outliers->count; i++) {
    if (terms[i] == 0) continue;
    outliers->devices[i].speed = exp(sums[i] / (double)terms[i]);
    outliers->has_speed = true;
  }
  map_free(&times.groups);
  free(times.ns);
}
