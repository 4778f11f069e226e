/* A trend for other programs. */
#ifndef EXPORT_TREND_H
#define EXPORT_TREND_H

#include <stdio.h>

#include "base/err.h"
#include "trend/trend.h"

/* A row per series, the largest changes first. */
int trend_csv_write(const struct trend *trend, FILE *out, struct err *err);
/* The sentence, the nights, and of each series its levels. */
int trend_json_write(const struct trend *trend, FILE *out, struct err *err);

/* What of a night asks for a confirmation, as JSON. */

/* `rows`: the night's own. `baseline`: a night whose binaries are the old ones; SIZE_MAX: what the rule names for each.
 */
int suspects_json_write(const struct as_of *as_of, const struct run_data *rows, size_t baseline, FILE *out,
                        struct err *err);

#endif
