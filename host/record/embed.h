/* The data inside a report: results.csv, run.ini and foreign.csv of each of its runs, as text between marks. They are
 * written and found here and nowhere else. */
#ifndef RECORD_EMBED_H
#define RECORD_EMBED_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "record/record.h"
#include "record/run_data.h"

/* `<pre id="results-csv">` with these rows, `<pre id="run-ini">`, and `<pre id="foreign-csv">` with the rows of this
 * run's cases, nothing where it has none; those of the second run are "results-csv-2", "run-ini-2", "foreign-csv-2".
 * The page around them is the caller's: a <details>, and what it takes to scroll. */
int embed_results(FILE *out, size_t run, const struct record *records, size_t count, struct err *err);
void embed_ini(FILE *out, size_t run, const char *ini);
int embed_foreign(FILE *out, size_t run, const struct run_data *data, struct err *err);
/* `<pre id="against-csv">` */
int embed_against(FILE *out, size_t run, const struct against *against, struct err *err);

/* Of one run, as it lies in the page: escaped. */
struct embed_files {
  char *results, *ini, *foreign, *against; /* all but the first: NULL where the page has none */
};

/* The files of all runs in the page, whose order they keep; *count is 0 where there are none. The caller frees the
 * list, which points into `page`. */
struct embed_files *embed_locate(char *page, size_t *count);
/* Takes the escapes away, in place, up to the closing mark; a NUL follows. To be called when all are located, as what
 * comes out may look like a mark. A page that was cut or changed there is an error that says where. */
int embed_decode(char *text, size_t *length, struct err *err);

#endif
