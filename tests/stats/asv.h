/* The step detection of asv (airspeed velocity), as its documentation describes it, to hold the rule for nights
 * against. */
#ifndef ASV_H
#define ASV_H

#include <stdbool.h>
#include <stddef.h>

enum { ASV_NIGHTS = 60, ASV_PIECES = 10 };

/* In each night that reports a regression that the nights before did not, its first night; SIZE_MAX in all others. The
 * fit is piecewise constant and minimises the sum of absolute residuals and a penalty for each piece, whose weight
 * minimises 4 ln(n) / n * pieces + ln(sigma0 + mean absolute residual). A regression is a last piece that lies above
 * the one before it by more than `threshold` and both their mean absolute residuals; pieces of a single night are none.
 */
void asv_regressions(const double *ns, size_t count, double threshold, size_t *first_bad);

#endif
