/* What to run, as it was asked for: by the command line or by a section of a suite. Pure. */
#ifndef OPTIONS_SELECTION_H
#define OPTIONS_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Numbers: NaN where not given. */
struct selection {
  char *origin;                   /* "command line" or "nightly.ini [attention]", for messages */
  const struct selection *narrow; /* the command line over a suite's section: filters of both apply; not owned */
  struct strings plugins; /* files or bare names, as typed; those of a suite with '/' are relative to its file */
  struct strings benches, variants, excludes, presets; /* globs; a comma separates several */
  struct strings cases;                                /* exact keys */
  struct strings axes;                                 /* "NAME=VALUES", "BENCH.NAME=VALUES", "NAME[pow2]=VALUES" */
  struct strings requires;                             /* globs over variants */
  struct strings modes;                                /* names of modes; none: the default of the variants */
  struct strings settings;                             /* "PLUGIN.NAME=VALUE" */
  struct strings baselines;                            /* globs over variants; the fastest of each case is divided by */
  double precision, case_time_s, max_time_s;
  uint32_t restarts; /* fresh processes per case; 0: not given */
  bool quick;        /* the command line has --quick: what is not given is less */
};

/* What a case has whose selection gives none. */
double selection_usual_precision(bool quick);
double selection_usual_case_time_s(bool quick);

void selection_init(struct selection *selection, const char *origin);
/* Shares nothing with `from` but what it is narrowed by. */
void selection_copy(struct selection *to, const struct selection *from);
void selection_free(struct selection *selection);

/* The command line over a suite's section: filters of both apply (`under->narrow`, so `over` outlives `under`), -a
 * comes after the section's axes, --case replaces what the section chooses; baseline, precision and times are copied
 * where given. Plugins stay apart: the section's own benches, with guests of both. */
void selection_override(struct selection *under, const struct selection *over);

#endif
