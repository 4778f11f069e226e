/* The bench `memcpy`: copies within host memory. Copies to a device that pass through pinned host memory (bench
 * `transfer`) cannot be faster than these. */
#ifndef DATA_PIPELINE_MEMCPY_H
#define DATA_PIPELINE_MEMCPY_H

#include "services.h"

extern const gb_bench memcpy_bench;

#endif
