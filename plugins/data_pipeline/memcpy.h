/* The bench `memcpy`: copies within host memory. Its rate is the upper bound for staging, in which data is copied
 * through pinned memory (bench `transfer`). */
#ifndef DATA_PIPELINE_MEMCPY_H
#define DATA_PIPELINE_MEMCPY_H

#include "services.h"

extern const gb_bench memcpy_bench;

#endif
