/* The style sheet and the script of pages: inline, or as separate files. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "record/run_data.h"

enum html_assets { HTML_INLINE, HTML_SPLIT };

/* The texts of html/report.css and html/report.js, which the build turns into C. */
extern const char html_css[], html_js[];

/* Writes a page up to its body. Its Content-Security-Policy lets the page load nothing, and run nothing but the script
 * of html_script(). */
void html_page_head(FILE *out, enum html_assets assets, const char *title);
void html_script(FILE *out, enum html_assets assets);

/* Write report.css and report.js, which are the same for all data. */
int html_write_css(const struct run_data *data, FILE *out, struct err *err);
int html_write_js(const struct run_data *data, FILE *out, struct err *err);
