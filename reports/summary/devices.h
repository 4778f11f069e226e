/* Several devices side by side, by what calibrate's kernels reached on each, and the odd ones out among those of one
 * model. */
#ifndef SUMMARY_DEVICES_H
#define SUMMARY_DEVICES_H

#include "base/text.h"
#include "record/run_data.h"

enum { DEVICE_RATES = 5 };

struct device_outlier {
  const char *id, *name; /* the records' */
  char label[TEXT_SIZE];
  double rates[DEVICE_RATES]; /* NaN: not measured */
  bool outliers[DEVICE_RATES];
  double speed; /* of all that was asked for, in the devices' median; NaN: no other has the same rows */
};

struct device_outliers {
  struct device_outlier *devices;
  size_t count;
  bool has_speed;           /* any of them */
  bool known[DEVICE_RATES]; /* on any of them */
  struct strings sentences; /* "cuda:3 copies at 3.91 TB/s, 8.1% below the others' median" */
  bool alike;               /* the one sentence says that none is odd */
  bool named;               /* an odd one is: of two no one knows which it is */
};

/* A column: "copy", "GB/s". */
const char *device_rate_name(size_t rate);
const char *device_rate_unit(size_t rate);

/* Empty where there are less than two devices, or no two have anything in common. */
void device_outliers_find(const struct run_data *data, struct device_outliers *outliers);
void device_outliers_free(struct device_outliers *outliers);

#endif
