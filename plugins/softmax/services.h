/* The functions that gpubench offers to plugins. plugin.c looks them up, and every file of the softmax plugin uses
 * them. */
#ifndef SOFTMAX_SERVICES_H
#define SOFTMAX_SERVICES_H

#include "gpubench/sugar.h"

extern gb_sdk softmax_gb;

int softmax_dtype(gb_case *c);     /* returns SOFTMAX_FP32, SOFTMAX_BF16 or SOFTMAX_FP16 */
uint64_t softmax_size(gb_case *c); /* returns the size of an element in bytes */

#endif
