/* The bench "masked" of the softmax plugin. */
#ifndef SOFTMAX_MASKED_H
#define SOFTMAX_MASKED_H

#include "gpubench/sugar.h"

extern gb_sdk softmax_gb;
extern const gb_bench softmax_masked;

#endif
