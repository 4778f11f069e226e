/* Math modes: the precision in which a variant computes. The functions do no I/O and use no global state. */
#pragma once

#include <stddef.h>

/* Returns how many significant bits the operands of a product have in this mode; 0 for "native" and unknown modes. */
int precision_bits(const char *math);

/* Returns the name of mode `index`, "fp64" ... "native", or NULL after the last. */
const char *precision_name(size_t index);
