/* The outputs beside the report, one function each, and what they share: their rows, names and sentences. */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/json.h"
#include "compare/compare.h"
#include "record/run_data.h"
#include "summary/summary.h"
#include "trend/trend.h"

typedef int (*export_fn)(const struct run_data *data, FILE *out, struct err *err);

/* Everything: all rows, yardsticks too. */
int export_csv(const struct run_data *data, FILE *out, struct err *err);      /* results.csv of all runs */
int export_csv_wide(const struct run_data *data, FILE *out, struct err *err); /* a column axis.NAME for each axis */
int export_json(const struct run_data *data, FILE *out, struct err *err);     /* schema/report.schema.json */

/* The rows that were asked for, for those who know nothing of gpubench. */
int export_junit(const struct run_data *data, FILE *out, struct err *err);
int export_ctrf(const struct run_data *data, FILE *out, struct err *err);
int export_markdown(const struct run_data *data, FILE *out, struct err *err);
int export_gbench(const struct run_data *data, FILE *out, struct err *err);
int export_bmf(const struct run_data *data, FILE *out, struct err *err);
int export_gh_smaller(const struct run_data *data, FILE *out, struct err *err);
int export_gh_bigger(const struct run_data *data, FILE *out, struct err *err);
int export_openmetrics(const struct run_data *data, FILE *out, struct err *err);

/* A row in the order of benches, cases and variants. Start with all but `data` and `summary` zeroed. */
struct export_row {
  const struct run_data *data;
  const struct run_summary *summary;
  const struct run_bench *bench;
  const struct run_case *point;
  const struct record *record;
  size_t bench_index, case_index, variant_index; /* of the next row */
  char where[TEXT_SIZE], device[TEXT_SIZE];      /* of the bench: what tells it from others of its name; its device */
};

/* The next row that was asked for; false behind the last. */
bool export_next(struct export_row *row);

enum { OUT_NAME_SIZE = 1025 /* Bencher takes 1024 characters */, OUT_SENTENCE_SIZE = 512 };

/* CASE_KEY/VARIANT/MODE, and where it ran if there are several places. A name that is too long is cut and ends in a
 * hash of the whole, so that it is one row's only and the same in every run. */
void export_name(const struct export_row *row, char *to, size_t size);

/* "143.2 us +-0.3%, 180 TFLOP/s, 24% of the ceiling, 1.097x [1.091, 1.103] of standard: faster; marks: imprecise",
 * and why a word was taken from it; of a row that is not timed its status and message. */
void export_sentence(const struct export_row *row, char *to, size_t size);
/* Marks as an array of their words. */
void marks_json(struct json *json, const char *key, unsigned marks);

/* ---- A comparison, and what is kept of it with a run ---- */

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

/* ---- A trend ---- */

/* A row per series, the largest changes first. */
int trend_csv_write(const struct trend *trend, FILE *out, struct err *err);
/* The sentence, the nights, and of each series its levels. */
int trend_json_write(const struct trend *trend, FILE *out, struct err *err);

/* What of a night asks for a confirmation, as JSON. `rows`: the night's own. `baseline`: a night whose binaries are the
 * old ones; SIZE_MAX: what the rule names for each.
 */
int suspects_json_write(const struct as_of *as_of, const struct run_data *rows, size_t baseline, FILE *out,
                        struct err *err);

#endif
