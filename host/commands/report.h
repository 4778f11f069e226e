/* `gpubench report`, and the end of every run: writes the outputs of stored runs, using only stored data. */
#pragma once

#include "base/err.h"
#include "commands/against.h"
#include "options/options.h"

/* Writes DIR/report.html (not with --no-save), the requested outputs, and the table to stdout unless an output goes
 * there. A file is replaced completely or not at all. Compares with the baseline run if one is loaded; after everything
 * is written, --fail-on decides (commands/gate.h). */
int report_run(const char *dir, const struct base_run *base, const struct options *options, struct err *err);

/* Does the same for a run that another command has stored; looks up --against itself. */
int report_stored(const char *dir, const struct options *options, struct err *err);

/* `gpubench report RUN...`: does the same for stored runs. Several are reported as one and get no report.html. Returns
 * the exit code. */
int report_command(const struct options *options, struct err *err);
