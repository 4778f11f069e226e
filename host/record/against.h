/* What a run was compared with: the answers of `gpubench compare` for each of its rows, kept with the run as
 * against.csv, so that its reports can be made without the other run. Nothing is judged here: compare/build.c
 * does that. */
#ifndef RECORD_AGAINST_H
#define RECORD_AGAINST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/pairs.h"
#include "base/text.h"
#include "record/record.h"
#include "stats/gap.h"
#include "stats/stats.h"

/* What a comparison comes to. What has to be judged is each row that the base has timed: a later one weighs more. */
enum against_verdict {
  AGAINST_CLEAR,  /* all of it was judged, and none is slower by more than the threshold */
  AGAINST_PARTLY, /* none of what was judged is slower, but not all was */
  AGAINST_UNJUDGED,
  AGAINST_NOTHING, /* no row was timed in both */
  AGAINST_SLOWER,
  AGAINST_INCORRECT, /* what was ok is wrong, crashed, timed out or in error */
  AGAINST_VERDICTS
};

/* What the base has for a row. */
enum against_fate {
  AGAINST_BOTH,      /* ok and timed in both */
  AGAINST_LOST,      /* ok in the base; wrong, crashed, timed out or in error here */
  AGAINST_MENDED,    /* the reverse */
  AGAINST_UNTIMED,   /* in both, not timed in both */
  AGAINST_ONLY_BASE, /* not among this run's rows */
  AGAINST_ONLY_HERE,
  AGAINST_FATES
};

struct against_row {
  char *case_key, *variant, *mode, *devices;
  enum against_fate fate;
  double base_ns, ns;               /* medians; NaN: not timed */
  double speedup, lo, hi;           /* base time / time here, with its 95% interval; NaN: none */
  enum verdict word;                /* none: there is no ratio, or it may not be judged */
  bool beyond;                      /* by more than the threshold, surely */
  enum gap gap;                     /* why it is not judged though it has to be */
  uint64_t base_restarts, restarts; /* 0: there is no ratio */
  char *note;                       /* why there is no ratio, or what is to be known of it */
};

struct against_difference {
  char *what, *base, *other; /* the values as the runs have them */
  bool counts;               /* the runs are not alike */
};

struct against {
  struct pairs facts;                     /* about the base and the whole: see against_fact() */
  struct against_difference *differences; /* those that make the runs unlike first */
  size_t difference_count, unlike_count;
  struct strings notes;
  struct against_row *rows;
  size_t count, fates[AGAINST_FATES];
  struct map index; /* of rows by case, variant, mode and devices */
};

/* While it is put together. Texts are copied. */
struct against_row *against_add_row(struct against *against, const struct against_row *row);
void against_add_difference(struct against *against, const struct against_difference *difference);

void against_free(struct against *against);

/* "head": what heads the column, as in "vs last"; "run_id" of the base; "base": a line about it; "sentence": the
 * outcome; "verdict": the same in a word; "threshold" in percent; "judged": 1, or 0 where the runs are not alike, so
 * that words are withheld; "allowed": 1 where --allow-unjudged was given; "same_files": 1 where the plugins' files are
 * the same on both sides.
 * "" where it is not known. */
const char *against_fact(const struct against *against, const char *name);
bool against_is_judged(const struct against *against);

/* "no regression", "not judged". */
const char *against_verdict_name(enum against_verdict verdict);
/* Of a file that does not name it: not judged. */
enum against_verdict against_verdict(const struct against *against);

/* The row that stands beside this one, or NULL. */
const struct against_row *against_find(const struct against *against, const struct record *record);

#endif
