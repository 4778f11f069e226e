/* The machine-readable outputs: a function for each, and the rows, names and sentences that they share. */
#pragma once

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

/* These functions write all rows, including yardsticks (rows for comparison only, such as a plain copy). */
/* writes the columns of results.csv for the rows of all runs */
int export_csv(const struct run_data *data, FILE *out, struct err *err);
int export_csv_wide(
    const struct run_data *data, FILE *out,
    struct err *err); /* as export_csv(), with a further column for each axis (axis.NAME) and metric (metric.NAME) */
int export_json(const struct run_data *data, FILE *out, struct err *err); /* see schema/report.schema.json */

/* These functions write only the rows that the user selected, without yardsticks (rows for comparison only), for
 * programs that know nothing of gpubench. */
int export_junit(const struct run_data *data, FILE *out, struct err *err);
int export_ctrf(const struct run_data *data, FILE *out, struct err *err);
int export_markdown(const struct run_data *data, FILE *out, struct err *err);
int export_gbench(const struct run_data *data, FILE *out, struct err *err);
int export_bmf(const struct run_data *data, FILE *out, struct err *err);
int export_gh_smaller(const struct run_data *data, FILE *out, struct err *err);
int export_gh_bigger(const struct run_data *data, FILE *out, struct err *err);
int export_openmetrics(const struct run_data *data, FILE *out, struct err *err);

/* An iterator over rows, in the order of benches, cases and variants. Before the first call of export_next(), all
 * members except `data` and `summary` must be zero. */
struct export_row {
  const struct run_data *data;
  const struct run_summary *summary;
  const struct run_bench *bench;
  const struct run_case *point;
  const struct record *record;
  size_t bench_index, case_index, variant_index; /* position of the next row */
  char where[TEXT_SIZE], device[TEXT_SIZE];      /* where the bench ran, from title_where() and title_device() */
};

/* Moves to the next row of the benches that the user selected. Skips yardsticks (rows for comparison only, such as a
 * plain copy). Returns false after the last. */
bool export_next(struct export_row *row);

/* Calls `write` for each row of the selection that has a time, with the row's name from export_name(). */
void export_timed(const struct run_data *data, struct json *json,
                  void (*write)(struct json *json, const struct export_row *row, const char *name));

enum { OUT_NAME_SIZE = 1025 /* Bencher accepts names of 1024 characters */, OUT_SENTENCE_SIZE = 512 };

/* Writes a name for the row: CASE_KEY/VARIANT/MODE, and where the bench ran if that is needed to distinguish it. A name
 * that is too long is cut and ends in a hash of the whole name, so that it is unique and the same in every run. */
void export_name(const struct export_row *row, char *to, size_t size);

/* Writes the row's result in a sentence: "143.2 us +-0.3%, 180 TFLOP/s, 24% of the ceiling, 1.097x [1.091, 1.103] of
 * standard: faster; marks: imprecise". If the row's verdict was withdrawn, says why. For a row without a time, writes
 * the row's status and message. */
void export_sentence(const struct export_row *row, char *to, size_t size);
/* Writes marks (notes on weak figures), given as bits 1 << enum mark, as an array of their names. */
void marks_json(struct json *json, const char *key, unsigned marks);

/* ---- Comparisons, as made by `gpubench compare` and as stored with a run ---- */

/* The largest number of rows in a table. Readers have limits: a comment on GitHub takes 65,536 characters. */
enum { COMPARE_MARKDOWN_ROWS = 100 };

/* Writes a comparison in GitHub-flavoured Markdown, for the summary of a CI step or for a comment on a pull request. */
int compare_markdown_write(const struct compare *compare, FILE *out, struct err *err);

/* Writes the comparison that is stored with a run: heading, outcome, differences in conditions, and a table of rows,
 * those that need attention first. Writes nothing if the run was not compared. */
void against_markdown(const struct run_data *data, size_t run, FILE *out);

int compare_json_write(const struct compare *compare, FILE *out, struct err *err);
int compare_junit_write(const struct compare *compare, FILE *out, struct err *err);
int compare_ctrf_write(const struct compare *compare, FILE *out, struct err *err);

/* ---- A trend: how times developed over nightly runs ---- */

/* Writes a line for each series (the times of one case and variant over the nights), the largest changes first. */
int trend_csv_write(const struct trend *trend, FILE *out, struct err *err);
/* Writes the summary sentence, the nights, and each series with its levels (stretches of nights without a change). */
int trend_json_write(const struct trend *trend, FILE *out, struct err *err);

/* Writes as JSON the series of a night that need a confirmation (a measurement of the old and the new code in turns).
 * `rows`: the night's rows. `baseline`: index of the night whose binaries are the old ones; SIZE_MAX: for each series,
 * the newest night whose binaries surely do not have the change. */
int suspects_json_write(const struct as_of *as_of, const struct run_data *rows, size_t baseline, FILE *out,
                        struct err *err);
