/* The report: one self-contained HTML file, or one with its style sheet and script beside it. It reads well where both
 * are blocked. */
#ifndef HTML_REPORT_H
#define HTML_REPORT_H

#include <stdio.h>

#include "base/err.h"
#include "record/run_data.h"

int html_write(const struct run_data *data, FILE *out, struct err *err);
/* Names report.css and report.js, which html/assets.h writes. */
int html_write_split(const struct run_data *data, FILE *out, struct err *err);

#endif
