/* Where a device's joules come from: a counter, perhaps the power of the moment, and the clock that goes with them. */
#ifndef DEVICE_ENERGY_SOURCE_H
#define DEVICE_ENERGY_SOURCE_H

#include <stdint.h>

#include "base/text.h"

struct energy_source {
  char method[TEXT_SIZE];                         /* "NVML counter" */
  double age_s;                                   /* the counter's value is never older; 0: not known */
  double (*joules)(struct energy_source *source); /* that only grow; NaN: no answer */
  double (*watts)(struct energy_source *source);  /* of the moment; NaN: no answer */
  int64_t (*now)(struct energy_source *source);
  void (*rest)(struct energy_source *source, double seconds); /* nothing is done for so long */
  void (*close)(struct energy_source *source);
};

/* A GPU by its UUID, and the processors; NULL with the reason in `why`. */
struct energy_source *energy_source_nvml(const char *uuid, char *why, size_t size);
struct energy_source *energy_source_rapl(const char *root, char *why, size_t size);

#endif
