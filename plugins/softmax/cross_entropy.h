/* The bench "cross_entropy" of the softmax plugin. */
#ifndef SOFTMAX_CROSS_ENTROPY_H
#define SOFTMAX_CROSS_ENTROPY_H

#include "services.h"

extern const gb_bench softmax_cross_entropy;

#endif
