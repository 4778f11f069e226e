/* Yardsticks, measured now by a short run of the bundled plugin calibrate, beside what this model of device has shown
 * in a history folder, or in reference.c. */
#ifndef DOCTOR_DEEP_H
#define DOCTOR_DEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Nanoseconds; NaN: not known. Both as struct doctor_yardstick has them. */
double doctor_reference_ns(const char *device, const char *what);

enum { YARDSTICKS_MOST = 64 };

struct doctor_yardstick {
  char what[KEY_SIZE];    /* "calibrate/copy[bytes=1073741824] pack, cold" */
  char device[TEXT_SIZE]; /* as a history calls it: "NVIDIA H200, 150 GB, 700 W" */
  char wrong[TEXT_SIZE];  /* not empty: its status and message; then it has no time */
  double ns;              /* NaN: none, or others used the device */
  double shown_ns;        /* the median over the nights; of none, what this model is known for; NaN: not known */
  int64_t nights;
};

struct doctor_deep {
  bool asked;
  char fault[TEXT_SIZE]; /* why nothing was measured; "": it was */
  bool refused;          /* for its device is none of this machine */
  int64_t count;
  struct doctor_yardstick yardsticks[YARDSTICKS_MOST];
};

/* About 15 s. `device` as of --device; `history`: a folder, or NULL. */
void doctor_deep_read(const char *device, const char *history, struct doctor_deep *deep);

#endif
