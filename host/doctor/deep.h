/* gpubench doctor --deep: measures yardsticks (simple kernels such as a copy) by a short run of the bundled plugin
 * calibrate. Compares their times with earlier times of this device model in a history folder, or with the table in
 * deep.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Returns the time of the yardstick in the table of deep.c, in nanoseconds; NaN: the table has none. `device` and
 * `what` are as in struct doctor_yardstick. */
double doctor_reference_ns(const char *device, const char *what);

enum { YARDSTICKS_MOST = 64 };

struct doctor_yardstick {
  char what[KEY_SIZE];    /* key, variant and mode of the yardstick: "calibrate/copy[bytes=1073741824] pack, cold" */
  char device[TEXT_SIZE]; /* the device's model, memory and power limit, as a history names them: "NVIDIA H200, 150 GB,
                             700 W" */
  char wrong[TEXT_SIZE];  /* status and message of the row if it failed, so that there is no time; else "" */
  double ns;              /* measured time; NaN: there is none, or other processes used the device */
  /* time to compare with: median over nightly runs of the history or, if there are none, the time in the table; NaN:
   * not known */
  double shown_ns;
  int64_t nights;
};

struct doctor_deep {
  bool asked;
  char fault[TEXT_SIZE]; /* why nothing was measured; "": something was */
  bool refused;          /* true if this machine has no such device */
  int64_t count;
  struct doctor_yardstick yardsticks[YARDSTICKS_MOST];
};

/* Measures the yardsticks; takes about 15 s. `device` is as for --device; `history` is a folder or NULL. */
void doctor_deep_read(const char *device, const char *history, struct doctor_deep *deep);
