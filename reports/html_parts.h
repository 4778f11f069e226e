/* Parts of the report, in the order of the page. */
#ifndef REPORTS_HTML_PARTS_H
#define REPORTS_HTML_PARTS_H

#include <stdio.h>

#include "host/err.h"
#include "reports/run_data.h"
#include "reports/summary.h"

struct page {
  FILE *out;
  const struct run_data *data;
  struct run_summary summary;
};

/* html_first.c: what the first screen says in words. */
void html_verdict(const struct page *page);
void html_failures(const struct page *page);
void html_conditions(const struct page *page);
void html_trust(const struct page *page);
void html_machine(const struct page *page);

/* html_matrix.c: cases x variants. */
enum matrix { MATRIX_SPEEDUP, MATRIX_TIME, MATRIX_RATE, MATRIX_SHARE };
void html_matrix(const struct page *page, size_t bench, enum matrix kind);

/* html_chart.c */
void html_chart(const struct page *page, size_t bench);

/* html_data.c: further down. */
void html_results(const struct page *page);
void html_environment(const struct page *page);
void html_method(const struct page *page);
int html_data(const struct page *page, struct err *err);

/* Escaped text of printf; our own markup goes through fputs and fprintf. */
void html_text(FILE *out, const char *format, ...) ERR_PRINTF(2, 3);
/* "bench, mode" where benches differ in more than their name. */
void html_bench_name(const struct page *page, size_t bench, char *to, size_t size);
/* A region that scrolls sideways by itself; `label` names it. Closed by </div>. */
void html_scroll(FILE *out, const char *label);
void html_status(FILE *out, enum status status);

#endif
