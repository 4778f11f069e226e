/* The comparison of a run with a baseline run: the results of `gpubench compare` for each row, stored with the run as
 * against.csv, so that reports can be made without the baseline run. This code only stores results;
 * reports/compare/build.c computes them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/pairs.h"
#include "base/text.h"
#include "record/record.h"
#include "stats/gap.h"
#include "stats/stats.h"

/* The outcome of a whole comparison. If several enumerators apply, the last of them is taken. A comparison should judge
 * every row that the baseline run has timed. */
enum against_verdict {
  AGAINST_CLEAR,  /* every row that should be judged was, and none is slower by more than the threshold */
  AGAINST_PARTLY, /* no judged row is slower, but not all rows were judged */
  AGAINST_UNJUDGED,
  AGAINST_NOTHING, /* no row was timed in both runs */
  AGAINST_SLOWER,
  AGAINST_INCORRECT, /* a row that was ok is now wrong, crashed, timed out or in error */
  AGAINST_VERDICTS
};

/* In which of the two runs a row is, and how it ended in each. */
enum against_outcome {
  AGAINST_BOTH,      /* the row is ok and timed in both runs */
  AGAINST_BROKEN,    /* ok in the baseline run, but wrong, crashed, timed out or in error in this run */
  AGAINST_FIXED,     /* wrong, crashed, timed out or in error in the baseline run, but ok in this run */
  AGAINST_UNTIMED,   /* both runs have the row, but at most one of them has timed it */
  AGAINST_ONLY_BASE, /* only the baseline run has the row */
  AGAINST_ONLY_HERE,
  AGAINST_OUTCOMES
};

struct against_row {
  char *case_key, *variant, *mode, *devices;
  enum against_outcome outcome;
  /* median times of the row in the baseline run and in this run; NaN: not timed in that run */
  double base_ns, ns;
  /* time in the baseline run / time in this run, and its 95% interval; NaN: there is no ratio */
  double speedup, lo, hi;
  enum verdict word;                /* VERDICT_NONE: there is no ratio, or the ratio must not be judged */
  bool beyond;                      /* true if the row is surely slower or faster by more than the threshold */
  enum gap gap;                     /* why the row has no verdict although it should have one */
  uint64_t base_restarts, restarts; /* number of processes in each run; 0: there is no ratio */
  char *note;                       /* why there is no ratio, or a remark on it */
};

struct against_difference {
  char *what, *base, *other; /* what differs, and its values in both runs */
  bool counts;               /* true if the difference makes the runs incomparable */
};

struct against {
  struct pairs facts; /* facts about the baseline run and the whole comparison: see against_fact() */
  /* differences between the runs; those that make the runs incomparable come first */
  struct against_difference *differences;
  size_t difference_count, unlike_count;
  struct strings notes;
  struct against_row *rows;
  size_t count, outcomes[AGAINST_OUTCOMES];
  struct map index; /* index of the rows by case, variant, mode and devices */
};

/* Add rows and differences to a comparison. The functions copy the texts that they are given. */
struct against_row *against_add_row(struct against *against, const struct against_row *row);
void against_add_difference(struct against *against, const char *what, const char *base, const char *other,
                            bool counts);

void against_free(struct against *against);

/* Returns a fact about the comparison, "" if it is not known. Names of facts: "head", the heading of the comparison's
 * column, such as "vs last"; "run_id", the id of the baseline run; "base", a line that describes the baseline run;
 * "sentence", the outcome as a sentence; "verdict", the outcome as against_verdict_name() names it; "threshold", the
 * threshold in percent; "judged", "0" if there are no verdicts because the runs are incomparable, else "1"; "allowed",
 * "1" if --allow-unjudged was given; "same_files", "1" if both runs used the same plugin files. */
const char *against_fact(const struct against *against, const char *name);
bool against_is_judged(const struct against *against);

/* Returns "both", "broken", ..., as against.csv and the JSON state it. */
const char *against_outcome_name(enum against_outcome outcome);
/* Returns "no regression", "not judged", ... */
const char *against_verdict_name(enum against_verdict verdict);
/* Returns the outcome of the comparison as against.csv states it; AGAINST_UNJUDGED if it states none. */
enum against_verdict against_verdict(const struct against *against);

/* Returns the row that corresponds to this record, or NULL. */
const struct against_row *against_find(const struct against *against, const struct record *record);
