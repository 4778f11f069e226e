/* `gpubench report`, and the end of every run: outputs of stored runs, made from nothing but what is stored. */
#ifndef COMMANDS_REPORT_H
#define COMMANDS_REPORT_H

#include "base/err.h"
#include "commands/against.h"
#include "options/options.h"

/* Writes DIR/report.html (not with --no-save), the outputs that are asked for, and the table to stdout unless an output
 * went there. A file is replaced as a whole or not at all. Compared with the base where one is loaded; then,
 * when all is written, --fail-on decides: commands/gate.h. */
int report_run(const char *dir, const struct base_run *base, const struct options *options, struct err *err);

/* The same of a run that another command has put there; --against is looked up here. */
int report_stored(const char *dir, const struct options *options, struct err *err);

/* `gpubench report RUN...`: the same of stored runs, of several as one, which have no report.html of their own. Returns
 * the exit code. */
int report_command(const struct options *options, struct err *err);

#endif
