/* The report: one self-contained HTML file without scripts. It reads well with style sheets blocked. */
#ifndef REPORTS_HTML_H
#define REPORTS_HTML_H

#include <stdio.h>

#include "host/err.h"
#include "reports/run_data.h"

int html_write(const struct run_data *data, FILE *out, struct err *err);

#endif
