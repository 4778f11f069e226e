/* Several devices side by side, by what calibrate's kernels reached on each, and the odd ones out among those of one
 * model. */
#ifndef REPORTS_ODD_H
#define REPORTS_ODD_H

#include "base/text.h"
#include "record/run_data.h"

enum { ODD_RATES = 5 };

struct odd_device {
  const char *id, *name; /* the records' */
  char label[TEXT_SIZE];
  double rates[ODD_RATES]; /* NaN: not measured */
  bool odd[ODD_RATES];
  double speed; /* of all that was asked for, in the devices' median; NaN: no other has the same rows */
};

struct odd {
  struct odd_device *devices;
  size_t count;
  bool has_speed;           /* any of them */
  bool known[ODD_RATES];    /* on any of them */
  struct strings sentences; /* "cuda:3 copies at 3.91 TB/s, 8.1% below the others' median" */
  bool alike;               /* the one sentence says that none is odd */
  bool named;               /* an odd one is: of two no one knows which it is */
};

/* A column: "copy", "GB/s". */
const char *odd_rate_name(size_t rate);
const char *odd_rate_unit(size_t rate);

/* odd_speed.c */
void odd_speeds(const struct run_data *data, struct odd *odd);

/* Empty where there are less than two devices, or no two have anything in common. */
void odd_find(const struct run_data *data, struct odd *odd);
void odd_free(struct odd *odd);

#endif
