/* A selection: what a command line or a section of a suite asks to run. No I/O. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* A selection. Numbers are NaN if not given. */
struct selection {
  char *origin; /* "command line" or "nightly.ini [attention]", for messages */
  /* a second selection whose filters must match as well: for a section of a suite, the command line; else NULL. Not
   * owned */
  const struct selection *narrow;
  /* plugins as typed: paths, or names without '/' that plugin directories have; paths in a suite are relative to it */
  struct strings plugins;
  /* globs; one item may hold several of them, separated by commas */
  struct strings benches, variants, excludes, presets;
  struct strings cases;     /* keys of the cases to run, in full */
  struct strings axes;      /* values of axes, each as "NAME=VALUES", "BENCH.NAME=VALUES" or "NAME[pow2]=VALUES" */
  struct strings requires;  /* globs of variants that must run, as of --require */
  struct strings modes;     /* names of modes; empty: the default mode of the variants */
  struct strings settings;  /* values of plugins' options, each as "PLUGIN.NAME=VALUE" */
  struct strings baselines; /* globs of variants; in each case the fastest of them is the baseline */
  double precision, case_time_s, max_time_s;
  uint32_t restarts; /* how many fresh processes measure each case; 0: not given */
  bool quick;        /* true if --quick is given: values that are not set get smaller defaults */
};

/* Return the defaults of a case for values that its selection does not set. */
double selection_usual_precision(bool quick);
double selection_usual_case_time_s(bool quick);

void selection_init(struct selection *selection, const char *origin);
/* Makes a deep copy, except that both share `narrow`. */
void selection_copy(struct selection *to, const struct selection *from);
void selection_free(struct selection *selection);

/* Applies the command line (`over`) to a suite's section (`under`). The filters of both apply: `under->narrow` becomes
 * `over`, which must live longer than `under`. The axes of -a are added after the section's axes. --case replaces the
 * section's choice of cases. Baselines, precision and times replace those of the section if they are given. The lists
 * of plugins are not merged: only benches of the section's plugins run, but plugins of both may bring variants for
 * them. */
void selection_override(struct selection *under, const struct selection *over);
