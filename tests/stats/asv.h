/* The step detection of the benchmark tool asv (airspeed velocity), written from its documentation, for comparison with
 * the rule by which gpubench judges nightly runs (stats/nights.h). */
#ifndef ASV_H
#define ASV_H

#include <stdbool.h>
#include <stddef.h>

enum { ASV_NIGHTS = 60, ASV_PIECES = 10 };

/* For each night that reports a new regression, sets first_bad to the first night of the regression; all others get
 * SIZE_MAX. The fit is piecewise constant: it minimises the sum of absolute residuals plus a penalty for each piece.
 * The penalty is the one that minimises 4 ln(n) / n * pieces + ln(sigma0 + mean absolute residual). A regression is a
 * last piece that lies above the one before it by more than `threshold` and by more than both mean absolute residuals.
 * Pieces of a single night do not count. */
void asv_regressions(const double *ns, size_t count, double threshold, size_t *first_bad);

#endif
