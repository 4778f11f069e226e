/* Matrix products with cuBLASLt, which is opened when the first product is prepared. CUDA builds only. */
#ifndef ENERGY_LT_H
#define ENERGY_LT_H

#include <gpubench/sugar.h>

struct energy_lt;

/* Prepares y = a * transposed b, all [n][n]: y is fp32, a and b have `precision` (kernels.h). To be called in the
 * callback `prepare`. Returns GB_SKIP if there is no cuBLASLt, or if it does not support this product. Adds a note with
 * the library's path and version to the variant's row in the results. */
gb_status energy_lt_open(const gb_sdk *gb, gb_case *c, int64_t n, int precision, const void *a, const void *b, void *y,
                         struct energy_lt **lt);
gb_status energy_lt_run(const gb_sdk *gb, gb_case *c, const struct energy_lt *lt);
void energy_lt_close(struct energy_lt *lt); /* NULL is ignored */

#endif
