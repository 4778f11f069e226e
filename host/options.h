/* The command line. One table drives parsing, --help and the nearest-name message. Suites give selections too. Pure:
 * reads no file but the suites named to suite_load(). */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"
#include "text.h"

enum command { COMMAND_RUN, COMMAND_LIST, COMMAND_REPORT, COMMAND_HELP, COMMAND_VERSION };

/* What to run: the command line's, or one section of a suite. Numbers: NaN where not given. */
struct selection {
  char *origin;                   /* "command line" or "nightly.ini [attention]", for messages */
  const struct selection *narrow; /* the command line over a suite's section: filters of both apply; not owned */
  struct strings plugins; /* files or bare names, as typed; those of a suite with '/' are relative to its file */
  struct strings benches, variants, excludes, presets; /* globs; a comma separates several */
  struct strings cases;                                /* exact keys */
  struct strings axes;                                 /* "NAME=VALUES", "BENCH.NAME=VALUES", "NAME[pow2]=VALUES" */
  struct strings requires;                             /* globs over variants */
  char *baseline;                                      /* variant, or NULL */
  double precision;                                    /* 0.005 */
  double case_time_s, max_time_s;
};

struct options {
  enum command command;
  enum command about; /* of COMMAND_HELP: whose help */
  struct selection cli;
  struct strings suites;
  struct strings arguments; /* of `report`: directories */
  char *device;             /* "auto" */
  char *name, *out, *csv, *html, *color;
  struct strings tags; /* "K=V" */
  double timeout_s;    /* per callback, default 120 */
  uint64_t seed;       /* default 1 */
  bool quick, verify_only, profile, dry_run, no_save, json, quiet;
  int verbosity;
};

/* Parses argv. On --help and --version it sets the command and stops. Exit code 2 on error. */
int options_parse(int argc, char **argv, struct options *options, struct err *err);
void options_free(struct options *options);
void options_help(enum command command, FILE *out);

/* Reads a suite: one selection per section, appended to `*selections`. Sections [environment] and [tags] are what
 * run.ini keeps beside its selections, and are skipped. Unknown or repeated keys, over-long lines and bad values: exit
 * 2 with FILE:LINE and the nearest known key. Lists are split at commas and %XX decoded in their items; a ';' after
 * white space would start a comment and must be written %3B. `case` takes keys as printed, several split at commas
 * outside brackets. */
int suite_load(const char *path, struct selection **selections, size_t *count, struct err *err);
void selection_init(struct selection *selection, const char *origin);
void selection_free(struct selection *selection);

/* The command line over a suite's section: filters of both apply (`under->narrow`, so `over` outlives `under`), -a
 * comes after the section's axes, --case replaces what the section chooses; baseline, precision and times are copied
 * where given. Plugins stay apart: the section's own benches, with guests of both. */
void selection_override(struct selection *under, const struct selection *over);

#endif
