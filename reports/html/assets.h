/* The style sheet and the script: inside the page, or beside it. */
#ifndef HTML_ASSETS_H
#define HTML_ASSETS_H

#include <stdio.h>

#include "html/report.h"

/* The page's Content-Security-Policy: nothing is loaded, and nothing runs but these two. */
void html_policy(FILE *out, enum html_assets assets);
void html_style(FILE *out, enum html_assets assets);
void html_script(FILE *out, enum html_assets assets);

#endif
