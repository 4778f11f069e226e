/* The bench "masked" of the softmax plugin. */
#ifndef SOFTMAX_MASKED_H
#define SOFTMAX_MASKED_H

#include "services.h"

extern const gb_bench softmax_masked;

#endif
