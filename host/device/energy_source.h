/* A source of energy readings. It has an energy counter, the present power if it can be read, and the clock to which
 * the times of both refer. */
#pragma once

#include <stdint.h>

#include "base/text.h"

struct energy_source {
  char method[TEXT_SIZE]; /* how the energy is measured, such as "NVML counter" */
  /* a value read from the counter is at most this many seconds old; 0: not known */
  double age_s;
  /* returns the value of the counter, which never decreases; NaN: no answer */
  double (*joules)(struct energy_source *source);
  double (*watts)(struct energy_source *source); /* returns the present power; NaN: no answer */
  int64_t (*now)(struct energy_source *source);
  void (*rest)(struct energy_source *source, double seconds); /* waits for `seconds` without using the device */
  void (*close)(struct energy_source *source);
};

/* Open a source of energy readings: of the GPU with this UUID (by NVML), or of the CPU (by RAPL). On failure they
 * return NULL with the reason in `why`. */
struct energy_source *energy_source_nvml(const char *uuid, char *why, size_t size);
struct energy_source *energy_source_rapl(const char *root, char *why, size_t size);
