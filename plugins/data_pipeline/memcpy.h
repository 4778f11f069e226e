/* The bench `memcpy`: host memory to host memory, what staging cannot exceed. */
#ifndef DATA_PIPELINE_MEMCPY_H
#define DATA_PIPELINE_MEMCPY_H

#include "services.h"

extern const gb_bench memcpy_bench;

#endif
