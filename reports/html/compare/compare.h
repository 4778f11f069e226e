/* A comparison as one self-contained HTML file, in the report's style: nothing is loaded, nothing runs. */
#ifndef HTML_COMPARE_COMPARE_H
#define HTML_COMPARE_COMPARE_H

#include <stdio.h>

#include "compare/compare.h"
#include "compare/words.h"

/* More rows would make a page that no browser scrolls well; those that need attention come first. */
enum { COMPARE_HTML_ROWS = 2000 };

int compare_html_write(const struct compare *compare, FILE *out, struct err *err);

/* ---- Its parts ---- */

#endif
