/* gpubench doctor --deep: measures yardsticks by a short run of the bundled plugin calibrate, and compares them with
 * what this device model showed in a history folder, or with the table in deep.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Returns a reference time in nanoseconds; NaN: not known. `device` and `what` are as in struct doctor_yardstick. */
double doctor_reference_ns(const char *device, const char *what);

enum { YARDSTICKS_MOST = 64 };

struct doctor_yardstick {
  char what[KEY_SIZE];    /* "calibrate/copy[bytes=1073741824] pack, cold" */
  char device[TEXT_SIZE]; /* as in a history: "NVIDIA H200, 150 GB, 700 W" */
  char wrong[TEXT_SIZE];  /* its status and message if it failed; then it has no time; else "" */
  double ns;              /* NaN: no time, or other processes used the device */
  double shown_ns;        /* the median over the nights; without nights the reference of this model; NaN: not known */
  int64_t nights;
};

struct doctor_deep {
  bool asked;
  char fault[TEXT_SIZE]; /* why nothing was measured; "" if it was */
  bool refused;          /* this machine has no such device */
  int64_t count;
  struct doctor_yardstick yardsticks[YARDSTICKS_MOST];
};

/* Takes about 15 s. `device` as for --device; `history` is a folder or NULL. */
void doctor_deep_read(const char *device, const char *history, struct doctor_deep *deep);
