/* fp32 copies of the operands a and b and of the product c, for libraries that do not support the type in which the
 * benchmark stores these matrices. */
#ifndef MATMUL_WIDE_H
#define MATMUL_WIDE_H

#include "vendor.h"

struct matmul_wide {
  float *a, *b, *c; /* fp32 copies of a case's arrays; NULL if the arrays are fp32 */
};

gb_status matmul_wide_claim(const struct matmul_request *r, struct matmul_wide *w);
/* Converts a and b, before the product. */
void matmul_widen(const struct matmul_wide *w, const struct matmul_problem *p);
/* Converts c and applies the epilogue, after the product. */
void matmul_narrow(const struct matmul_wide *w, const struct matmul_problem *p);

/* Return the array that the product reads or writes: the fp32 copy, or the case's own array if it is fp32. */
const void *matmul_wide_a(const struct matmul_wide *w, const struct matmul_problem *p);
const void *matmul_wide_b(const struct matmul_wide *w, const struct matmul_problem *p);
void *matmul_wide_c(const struct matmul_wide *w, const struct matmul_problem *p);

#endif
