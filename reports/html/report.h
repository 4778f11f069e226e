/* The report: one self-contained HTML file, or one with its style sheet and script beside it. It reads well where both
 * are blocked. */
#ifndef HTML_REPORT_H
#define HTML_REPORT_H

#include <stdio.h>

#include "base/err.h"
#include "record/run_data.h"

enum html_assets { HTML_INLINE, HTML_SPLIT };

int html_write(const struct run_data *data, FILE *out, struct err *err);
/* Names report.css and report.js, which these write. */
int html_write_split(const struct run_data *data, FILE *out, struct err *err);
int html_write_css(const struct run_data *data, FILE *out, struct err *err);
int html_write_js(const struct run_data *data, FILE *out, struct err *err);

#endif
