/* Math modes: how exact a variant computes. Pure. */
#ifndef MODEL_PRECISION_H
#define MODEL_PRECISION_H

#include <stddef.h>

/* Significant bits of a product in this math; 0: "native", or not known. */
int precision_bits(const char *math);

/* The name of mode `index`, NULL behind the last: "fp64" ... "native". */
const char *precision_name(size_t index);

#endif
