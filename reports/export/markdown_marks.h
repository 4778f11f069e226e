/* What Markdown says of rows beside their figures: marks, messages, why a row has no time. */
#ifndef EXPORT_MARKDOWN_MARKS_H
#define EXPORT_MARKDOWN_MARKS_H

#include <stdio.h>

#include "record/run_data.h"
#include "summary/summary.h"

/* Of a run as a whole: quick, throttled, the machine's conditions. */
void markdown_conditions(const struct run_data *data, const struct run_summary *summary, FILE *out);
/* Behind a row's figures, but for the marks of every row. */
void markdown_marks(const struct run_data *data, const struct run_case *point, const struct record *row,
                    unsigned of_all, FILE *out);
/* Below a bench's table: the marks of every row, and why rows have no time, each reason once. */
void markdown_reasons(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                      FILE *out);
/* What the marks mean, of those that occur. */
void markdown_legend(const struct run_data *data, const struct run_summary *summary, FILE *out);

#endif
