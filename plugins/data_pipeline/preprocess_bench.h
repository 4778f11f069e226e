/* The bench `preprocess`, in which 8-bit images become normalised floats. */
#ifndef DATA_PIPELINE_PREPROCESS_BENCH_H
#define DATA_PIPELINE_PREPROCESS_BENCH_H

#include "services.h"

extern const gb_bench preprocess_bench;

#endif
