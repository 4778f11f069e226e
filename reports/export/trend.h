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

#endif
