/* Compares several devices by the rates that the kernels of the calibrate plugin reached on each, and finds devices
 * that differ from others of the same model. */
#pragma once

#include "base/text.h"
#include "record/run_data.h"

enum { DEVICE_RATES = 5 };

struct device_outlier {
  const char *id, *name; /* id: the value of the column `devices` in the device's rows */
  char label[TEXT_SIZE];
  double rates[DEVICE_RATES];  /* the rates that the device reached; NaN: not measured */
  bool outliers[DEVICE_RATES]; /* for each rate, true if the device's rate differs from those of other devices of its
                                  model */
  double speed; /* speed over all measured cases, relative to the median of the devices of this model; NaN: no other
                   device has the same rows */
};

struct device_outliers {
  struct device_outlier *devices;
  size_t count;
  bool has_speed;           /* true if `speed` is known for some device */
  bool known[DEVICE_RATES]; /* for each rate, true if it was measured on any device */
  struct strings sentences; /* the result in words: "cuda:3 copies at 3.91 TB/s, 8.1% below the others' median" */
  bool alike;               /* true if the only sentence says that no device differs */
  bool named; /* true if a sentence says which device differs; if only two devices of a model differ, either may be the
                 faulty one */
};

/* Return the name of a rate, "copy", and its unit, "GB/s". */
const char *device_rate_name(size_t rate);
const char *device_rate_unit(size_t rate);

/* Finds the outliers. The result is empty with fewer than two devices, or if no rate and no relative speed is known. */
void device_outliers_find(const struct run_data *data, struct device_outliers *outliers);
void device_outliers_free(struct device_outliers *outliers);
