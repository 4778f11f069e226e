/* A selection: what a command line or a section of a suite asks to run. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Numbers are NaN if not given. */
struct selection {
  char *origin;                   /* "command line" or "nightly.ini [attention]", for messages */
  const struct selection *narrow; /* of a suite's section: the command line, whose filters apply too; not owned */
  struct strings plugins; /* files or bare names, as typed; in a suite, names with '/' are relative to its file */
  struct strings benches, variants, excludes, presets; /* globs; commas separate several */
  struct strings cases;                                /* exact case keys */
  struct strings axes;                                 /* "NAME=VALUES", "BENCH.NAME=VALUES", "NAME[pow2]=VALUES" */
  struct strings requires;                             /* globs of variants */
  struct strings modes;                                /* names of modes; empty: the variants' default */
  struct strings settings;                             /* "PLUGIN.NAME=VALUE" */
  struct strings baselines; /* globs of variants; in each case the fastest of them is the denominator */
  double precision, case_time_s, max_time_s;
  uint32_t restarts; /* fresh processes per case; 0: not given */
  bool quick;        /* --quick is given: unset values get smaller defaults */
};

/* Defaults of a case if its selection sets no value. */
double selection_usual_precision(bool quick);
double selection_usual_case_time_s(bool quick);

void selection_init(struct selection *selection, const char *origin);
/* Makes a deep copy, except for `narrow`, which both share. */
void selection_copy(struct selection *to, const struct selection *from);
void selection_free(struct selection *selection);

/* Applies the command line to a suite's section. Filters of both apply (`under->narrow`, so `over` must outlive
 * `under`). -a comes after the section's axes, and --case replaces the section's choice of cases. Baseline, precision
 * and times are copied if given. Plugins are not merged: the section's own benches run, with guests of both. */
void selection_override(struct selection *under, const struct selection *over);
