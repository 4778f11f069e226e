/* The bench `memcpy`: copies within host memory, the upper bound for staging. */
#ifndef DATA_PIPELINE_MEMCPY_H
#define DATA_PIPELINE_MEMCPY_H

#include "services.h"

extern const gb_bench memcpy_bench;

#endif
