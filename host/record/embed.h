/* The data inside a report: results.csv, run.ini and foreign.csv of each of its runs, as text between marks. Only this
 * file writes and finds them. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "record/record.h"
#include "record/run_data.h"

/* Write `<pre id="results-csv">` with these rows, `<pre id="run-ini">`, and `<pre id="foreign-csv">` with the foreign
 * rows of this run's cases, if there are any; for the second run "results-csv-2", "run-ini-2", "foreign-csv-2". The
 * caller writes the page around them: a <details> and the styles for scrolling. */
int embed_results(FILE *out, size_t run, const struct record *records, size_t count, struct err *err);
void embed_ini(FILE *out, size_t run, const char *ini);
int embed_foreign(FILE *out, size_t run, const struct run_data *data, struct err *err);
/* Writes `<pre id="against-csv">`. */
int embed_against(FILE *out, size_t run, const struct against *against, struct err *err);

/* The texts of one run as they are in the page, escaped. */
struct embed_files {
  char *results, *ini, *foreign, *against; /* all but the first: NULL if the page has none */
};

/* Finds the texts of all runs in the page, in its order; *count is 0 if there are none. The caller frees the list,
 * which points into `page`. */
struct embed_files *embed_locate(char *page, size_t *count);
/* Removes the escapes in place, up to the closing mark, and adds a NUL. Call it when all texts are located, because
 * decoded text may look like a mark. Fails with a message that quotes the place if the page was cut or changed there.
 */
int embed_decode(char *text, size_t *length, struct err *err);
