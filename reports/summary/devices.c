/* Finds devices whose rates differ by more than 3% from the median of the devices of the same model. With three or more
 * devices of a model, the one that differs can be named. With two, either may be the faulty one. */
#include "summary/devices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "record/run_data.h"
#include "summary/summary.h"

static const double LIMIT = 0.03;

static const struct {
  const char *contract, *name, *unit, *verb;
  bool bytes;
} kinds[DEVICE_RATES] = {
    {"gpubench.org/calibrate/copy/1", "copy", "GB/s", "copies", true},
    {"gpubench.org/calibrate/read/1", "read", "GB/s", "reads", true},
    {"gpubench.org/calibrate/write/1", "write", "GB/s", "writes", true},
    {"gpubench.org/calibrate/fma/1", "fp32", "TFLOP/s", "computes fp32", false},
    {"gpubench.org/calibrate/tensor/1", "bf16 tensor", "TFLOP/s", "computes bf16 on tensor cores", false},
};

const char *device_rate_name(size_t rate) {
  return kinds[rate].name;
}

const char *device_rate_unit(size_t rate) {
  return kinds[rate].unit;
}

/* ---- Collecting the rates of the devices ---- */

static struct device_outlier *device_of(struct device_outliers *outliers, const struct run_data *data,
                                        const struct record *record) {
  for (size_t i = 0; i < outliers->count; i++)
    if (strcmp(outliers->devices[i].id, record->devices) == 0) return &outliers->devices[i];
  outliers->devices = xrealloc(outliers->devices, outliers->count + 1, sizeof *outliers->devices);
  struct device_outlier *added = &outliers->devices[outliers->count++];
  *added = (struct device_outlier){.id = record->devices, .name = text_or_empty(record->device_name), .speed = NAN};
  devices_label(data, record, added->label, sizeof added->label);
  for (size_t i = 0; i < DEVICE_RATES; i++)
    added->rates[i] = NAN;
  return added;
}

/* Records the row's rates for its device, unless another row reached higher ones on that device. */
static void take_device_rates(struct device_outliers *outliers, const struct run_data *data,
                              const struct record *record) {
  if (record->devices == NULL) return;
  struct device_outlier *device = device_of(outliers, data, record);
  for (size_t i = 0; i < DEVICE_RATES; i++) {
    double rate = kinds[i].bytes ? record->gb_per_s : record->tflops;
    if (strcmp(text_or_empty(record->contract), kinds[i].contract) != 0 || !(rate > 0) || !isfinite(rate)) continue;
    device->rates[i] = fmax(device->rates[i], rate); /* fmax() ignores NaN */
    outliers->known[i] = true;
  }
}

/* ---- Finding devices that differ ---- */

/* Collects the rates of all devices of the same model as `like`, except `except`. Returns how many there are. */
static size_t rates_of(const struct device_outliers *outliers, const struct device_outlier *like, size_t rate,
                       const struct device_outlier *except, double *to) {
  size_t count = 0;
  for (size_t i = 0; i < outliers->count; i++) {
    const struct device_outlier *device = &outliers->devices[i];
    if (device == except || strcmp(device->name, like->name) != 0 || isnan(device->rates[rate])) continue;
    to[count++] = device->rates[rate];
  }
  return count;
}

static struct text device_rate(size_t rate, double value) {
  struct text text;
  bool tera = kinds[rate].bytes && value >= 1000;
  snprintf(text.text, sizeof text.text, "%.31s %s", number_significant(tera ? value / 1000 : value, 3).text,
           tera ? "TB/s" : kinds[rate].unit);
  return text;
}

static void name_odd(struct device_outliers *outliers, struct device_outlier *device, size_t rate, double *room) {
  size_t count = rates_of(outliers, device, rate, NULL, room);
  if (count < 3 || isnan(device->rates[rate])) return;
  if (fabs(device->rates[rate] / stats_median(room, count) - 1) <= LIMIT) return;
  count = rates_of(outliers, device, rate, device, room);
  double off = device->rates[rate] / stats_median(room, count) - 1;
  strings_print(&outliers->sentences, "%s %s at %s, %s%% %s the others' median", device->label, kinds[rate].verb,
                device_rate(rate, device->rates[rate]).text, number_significant(100 * fabs(off), 2).text,
                off < 0 ? "below" : "above");
  device->outliers[rate] = outliers->named = true;
}

/* Adds a sentence about two devices of one model: "cuda:0 and cuda:1 differ: copy 4.25 TB/s and 3.91 TB/s, 8%
 * apart". */
static void name_pair(struct device_outliers *outliers, const struct device_outlier *a, size_t rate) {
  const struct device_outlier *b = a + 1, *end = outliers->devices + outliers->count;
  while (b < end && (strcmp(a->name, b->name) != 0 || isnan(b->rates[rate])))
    b++;
  if (b == end || isnan(a->rates[rate])) return;
  double off = 1 - fmin(a->rates[rate], b->rates[rate]) / fmax(a->rates[rate], b->rates[rate]);
  if (off <= LIMIT) return;
  strings_print(&outliers->sentences, "%s and %s differ: %s %s and %s, %.2g%% apart", a->label, b->label,
                kinds[rate].name, device_rate(rate, a->rates[rate]).text, device_rate(rate, b->rates[rate]).text,
                100 * off);
}

/* Returns the largest relative difference of a device from the median of its model; NaN: no model has two devices. */
static double widest_rate_deviation(const struct device_outliers *outliers, double *room) {
  double most = NAN;
  for (size_t d = 0; d < outliers->count; d++)
    for (size_t rate = 0; rate < DEVICE_RATES; rate++) {
      size_t count = rates_of(outliers, &outliers->devices[d], rate, NULL, room);
      if (count > 1 && !isnan(outliers->devices[d].rates[rate]))
        most = fmax(most, fabs(outliers->devices[d].rates[rate] / stats_median(room, count) - 1));
    }
  return most;
}

static void find_outliers(struct device_outliers *outliers) {
  SCOPED double *room = xcalloc(outliers->count, sizeof *room);
  for (size_t d = 0; d < outliers->count; d++)
    for (size_t rate = 0; rate < DEVICE_RATES; rate++) {
      struct device_outlier *device = &outliers->devices[d];
      if (rates_of(outliers, device, rate, NULL, room) == 2)
        name_pair(outliers, device, rate);
      else
        name_odd(outliers, device, rate, room);
    }
  double most = widest_rate_deviation(outliers, room);
  if (outliers->sentences.count == 0 && !isnan(most)) {
    strings_print(&outliers->sentences, "the %zu devices' ceilings are within %s%% of their median", outliers->count,
                  number_significant(100 * most, 2).text);
    outliers->alike = true;
  }
}

void device_outliers_free(struct device_outliers *outliers) {
  free(outliers->devices);
  strings_free(&outliers->sentences);
  *outliers = (struct device_outliers){0};
}

struct times {
  const struct device_outliers *outliers;
  /* maps case, variant, mode and model to the index of a group: the times of one row on several devices */
  struct map groups;
  double *ns; /* for each group, the time of each device; NaN: the device has none */
  size_t count;
};

static bool is_device_row(const struct record *record) {
  return record->devices != NULL && row_timed(record) && !row_is_yardstick(record) && isfinite(record->median_raw_ns) &&
         !row_is_calibration(record);
}

static size_t device_index(const struct device_outliers *outliers, const char *id) {
  size_t i = 0;
  while (strcmp(outliers->devices[i].id, id) != 0)
    i++;
  return i;
}

static void add_device_time(struct times *times, const struct record *record) {
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
  times->ns[group * devices + device_index(times->outliers, record->devices)] = record->median_raw_ns;
}

/* Adds ln(median time of the group / time of the device) to the sum of each device in the group. */
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

/* Finds how fast each device ran all cases, compared with other devices of its model: the geometric mean, over all rows
 * that at least two devices have, of the devices' median time divided by the device's own time. */
static void device_speeds_find(const struct run_data *data, struct device_outliers *outliers) {
  struct times times = {.outliers = outliers};
  for (size_t i = 0; i < data->count; i++)
    if (is_device_row(&data->records[i])) add_device_time(&times, &data->records[i]);
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

void device_outliers_find(const struct run_data *data, struct device_outliers *outliers) {
  bool any = false;
  *outliers = (struct device_outliers){0};
  for (size_t i = 0; i < data->count; i++)
    take_device_rates(outliers, data, &data->records[i]);
  for (size_t i = 0; i < DEVICE_RATES; i++)
    any = any || outliers->known[i];
  if (outliers->count > 1) device_speeds_find(data, outliers);
  if (outliers->count > 1 && any) find_outliers(outliers);
  if (outliers->count < 2 || !(any || outliers->has_speed)) device_outliers_free(outliers);
}
