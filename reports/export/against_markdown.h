/* What a run was compared with, as Markdown. */
#ifndef EXPORT_AGAINST_MARKDOWN_H
#define EXPORT_AGAINST_MARKDOWN_H

#include <stdio.h>

#include "compare/against_words.h"

/* Of one run: heading, outcome, what is not alike, and a table of the rows that need attention first. Nothing where it
 * was compared with nothing. */
void against_markdown(const struct run_data *data, size_t run, FILE *out);

#endif
