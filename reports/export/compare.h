/* A comparison in files, and what is kept of it with a run. */
#ifndef EXPORT_COMPARE_H
#define EXPORT_COMPARE_H

#include <stdio.h>

#include "base/json.h"
#include "compare/against.h"

/* The longest table: what reads it has limits of its own (a comment: 65,536 characters). */
enum { COMPARE_MARKDOWN_ROWS = 100 };

/* GitHub-flavoured, fit for a CI step's summary or a comment. */
int compare_markdown_write(const struct compare *compare, FILE *out, struct err *err);

/* Of one run: heading, outcome, what is not alike, and a table of the rows that need attention first. Nothing where it
 * was compared with nothing. */
void against_markdown(const struct run_data *data, size_t run, FILE *out);

int compare_json_write(const struct compare *compare, FILE *out, struct err *err);
int compare_junit_write(const struct compare *compare, FILE *out, struct err *err);
int compare_ctrf_write(const struct compare *compare, FILE *out, struct err *err);

#endif
