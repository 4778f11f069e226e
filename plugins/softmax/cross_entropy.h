/* The bench "cross_entropy" of the softmax plugin. */
#ifndef SOFTMAX_CROSS_ENTROPY_H
#define SOFTMAX_CROSS_ENTROPY_H

#include "gpubench/sugar.h"

extern gb_sdk softmax_gb;
extern const gb_bench softmax_cross_entropy;

#endif
