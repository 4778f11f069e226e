/* The style sheet and the script: inside the page, or beside it. */
#ifndef HTML_ASSETS_H
#define HTML_ASSETS_H

#include <stdio.h>

#include "base/err.h"
#include "record/run_data.h"

enum html_assets { HTML_INLINE, HTML_SPLIT };

/* A page up to its body. Its Content-Security-Policy: nothing is loaded, and nothing runs but these two. */
void html_page_head(FILE *out, enum html_assets assets, const char *title);
void html_script(FILE *out, enum html_assets assets);

/* report.css and report.js. They are the same for all data. */
int html_write_css(const struct run_data *data, FILE *out, struct err *err);
int html_write_js(const struct run_data *data, FILE *out, struct err *err);

#endif
