/* A comparison as GitHub-flavoured Markdown, fit for a CI step's summary or a comment. */
#ifndef EXPORT_COMPARE_MARKDOWN_H
#define EXPORT_COMPARE_MARKDOWN_H

#include <stdio.h>

#include "compare/compare.h"

/* The longest table: what reads it has limits of its own (a comment: 65,536 characters). */
enum { COMPARE_MARKDOWN_ROWS = 100 };

int compare_markdown_write(const struct compare *compare, FILE *out, struct err *err);

#endif
