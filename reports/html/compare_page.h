/* What the parts of a comparison's page share. */
#ifndef HTML_COMPARE_PAGE_H
#define HTML_COMPARE_PAGE_H

#include "compare/compare.h"
#include "compare/words.h"

struct compare_voice compare_html_voice(FILE *out);

/* Rows in the order of attention, a column of ratios for each run. */
void compare_html_table(const struct compare *compare, FILE *out);

/* Speedups and intervals of one run, of the table's first rows. Nothing where there is no ratio. */
void compare_html_chart(const struct compare *compare, size_t run, FILE *out);

#endif
