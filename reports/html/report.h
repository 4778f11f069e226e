/* The pages, each one self-contained HTML file: the report, or it with its style sheet and script beside it, and a
 * comparison's. They read well where both are blocked. */
#ifndef HTML_REPORT_H
#define HTML_REPORT_H

#include <stdio.h>

#include "base/err.h"
#include "compare/compare.h"
#include "record/run_data.h"

int html_write(const struct run_data *data, FILE *out, struct err *err);
/* Names report.css and report.js, which html/assets.h writes. */
int html_write_split(const struct run_data *data, FILE *out, struct err *err);

/* A comparison, in the report's style: nothing is loaded, nothing runs. More rows would make a page that no browser
 * scrolls well; those that need attention come first. */
enum { COMPARE_HTML_ROWS = 2000 };

int compare_html_write(const struct compare *compare, FILE *out, struct err *err);

#endif
