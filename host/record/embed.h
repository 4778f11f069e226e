/* The run data inside an HTML report: the texts of results.csv, run.ini, foreign.csv and against.csv of each run, each
 * in a <pre> element. All code that writes and finds these elements is in embed.c. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "record/record.h"
#include "record/run_data.h"

/* Write the <pre> elements of run number `run`: embed_results() writes its rows as `<pre id="results-csv">`,
 * embed_ini() `<pre id="run-ini">`, and embed_foreign() `<pre id="foreign-csv">` if there are foreign rows (timed by
 * other programs) for the run's cases. The ids of the second run end in "-2": "results-csv-2". The caller writes the
 * page around the elements. */
int embed_results(FILE *out, size_t run, const struct record *records, size_t count, struct err *err);
void embed_ini(FILE *out, size_t run, const char *ini);
int embed_foreign(FILE *out, size_t run, const struct run_data *data, struct err *err);
/* Writes the comparison of the run with its baseline run as `<pre id="against-csv">`. */
int embed_against(FILE *out, size_t run, const struct against *against, struct err *err);

/* The texts of one run as they are in the page, with their XML escapes. */
struct embed_files {
  char *results, *ini, *foreign, *against; /* `results` is never NULL; the others are NULL if the page lacks them */
};

/* Finds the texts of all runs, in the order of the page; *count is 0 if there are none. The caller frees the list,
 * which points into `page`. */
struct embed_files *embed_locate(char *page, size_t *count);
/* Replaces XML entities by their characters, in place, up to the end of the <pre> element, and adds a NUL. Call it only
 * after embed_locate(), because decoded text may look like such an element. Fails with a message that quotes the place
 * if the page was truncated or changed there. */
int embed_decode(char *text, size_t *length, struct err *err);
