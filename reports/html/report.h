/* The HTML pages: the report as one self-contained file, or with its style sheet and script as separate files; and the
 * page of a comparison. They stay readable if style sheet and script are blocked. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "compare/compare.h"
#include "record/run_data.h"

int html_write(const struct run_data *data, FILE *out, struct err *err);
/* Writes the report as a page that refers to report.css and report.js, which html/assets.h writes. */
int html_write_split(const struct run_data *data, FILE *out, struct err *err);

/* Writes the page of a comparison, in the report's style, without a script. The page shows at most COMPARE_HTML_ROWS
 * rows, those that need attention first, because browsers scroll longer pages badly. */
enum { COMPARE_HTML_ROWS = 2000 };

int compare_html_write(const struct compare *compare, FILE *out, struct err *err);
