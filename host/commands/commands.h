/* The commands of the program, such as `gpubench run`. Each function returns the exit code; if `err` is set, its text
 * is for the user. */
#pragma once

#include "options/options.h"
#include "record/find.h"

/* Measures, then reports the results. With --resume, options are taken from the resumed run. */
int run_command(struct options *options, int argc, char **argv, struct err *err);
/* Fails if the first word of the command line is neither a command nor a plugin that can be found. If `err` holds an
 * error already, keeps it; otherwise sets it to say that there is no such plugin. If the word may be a mistyped
 * command, the error begins with a sentence that says so. */
int run_check_word(const struct options *options, struct err *err);

/* Prints what plugins offer, and the devices. The plugins are those that the options name or, without such options, all
 * in the plugin directories (plugin/loader.h). */
int list_command(const struct options *options, struct err *err);

/* Checks plugins by the rules of the ABI. Exit code 3 if a rule failed, or if a rule was not checked although
 * --require-all is given. */
int check_command(const struct options *options, struct err *err);

/* Compares stored runs. Returns the exit code of gate_judge() (commands/against.h), or 2 if a run has no row in common
 * with the baseline run. */
int compare_command(const struct options *options, struct err *err);

/* history_command() adds nightly runs to a history folder, lists and removes them, and decides the verdicts on them;
 * trend_command() shows the trend of their times. */
int history_command(const struct options *options, struct err *err);
int trend_command(const struct options *options, struct err *err);

/* Writes DIR/report.html (not with --no-save) and the requested outputs. Prints the table to stdout unless one of the
 * outputs goes there. A file is replaced completely or not at all. If a baseline run is loaded, compares the run
 * with it; after everything is written, --fail-on decides about the exit code (commands/against.h). */
int report_run(const char *dir, const struct base_run *base, const struct options *options, struct err *err);

/* Does the same as report_run() for a run that another command has stored, and also loads the baseline run that
 * --against names. */
int report_stored(const char *dir, const struct options *options, struct err *err);

/* Runs `gpubench report RUN...`: does the same as report_run() for stored runs. Several runs are reported as one, which
 * gets no report.html. Returns the exit code. */
int report_command(const struct options *options, struct err *err);
