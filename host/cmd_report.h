/* `gpubench report`, and the end of every run: reports of a run directory, made from nothing but the directory. */
#ifndef CMD_REPORT_H
#define CMD_REPORT_H

#include <stdbool.h>

#include "err.h"
#include "options.h"

struct report_request {
  const char *dir;   /* a run directory, or a lone results.csv */
  const char *html;  /* a copy of the report; "-": stdout; NULL: none */
  const char *csv;   /* a copy of the rows; the same */
  const char *color; /* auto, always, never; NULL: auto */
  bool quiet;        /* no table */
  bool keep;         /* the directory stays: report.html belongs into it */
};

/* Writes DIR/report.html (a lone results.csv has none), the copies, and the table to stdout unless a copy went there.
 * A file is replaced as a whole or not at all. */
int cmd_report_dir(const struct report_request *request, struct err *err);

/* `gpubench report DIR`. Returns the exit code. */
int report_command(const struct options *options, struct err *err);

#endif
