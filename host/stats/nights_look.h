/* A night held against the nights before it: what was expected, and by how much it is off. Pure. */
#ifndef STATS_NIGHTS_LOOK_H
#define STATS_NIGHTS_LOOK_H

#include "stats/nights.h"

/* A series as far as it has been judged; times as ln. */
struct nights_track {
  const struct nights_series *series;
  struct night_judgement *judgements; /* of all nights; those before tonight are done */
  double *values;                     /* of all nights, the machine's part taken out; NaN: not timed */
  bool *good;                         /* counts in the centre */
  size_t begin, timed;                /* the segment's first night; nights with a time in all */
  double machine;                     /* by which the machine is off since the segment began */
  double former;                      /* level before the last change, where nothing confirmed it; NaN: none */
  double sd;                          /* of the segment before; NaN: none */
  double mended;                      /* level at which a regression would be mended; NaN: there is none */
  size_t since;
};

enum { LOOK_LEVELS = 3 };

struct nights_look {
  size_t baseline;            /* nights; 0: nothing is known */
  double spread;              /* their deviation as it is; NaN with fewer than 3 */
  double levels[LOOK_LEVELS]; /* that are known, the usual one first */
  size_t level_count;
  double centre;                       /* the level that tonight is nearest to */
  double sd, threshold, step;          /* in ln; step: of what was measured twice the lesser */
  bool few, elsewhere, slower, faster; /* elsewhere: not at the level of the night before; slower, faster: suspect */
};

/* What the nights before `night` show. */
void nights_look_back(const struct nights_track *track, size_t night, struct nights_look *look);

/* And tonight beside it. `prior`: the suite's standard deviation; NaN: not known. */
void nights_look_at(const struct nights_track *track, size_t night, double prior, struct nights_look *look);

/* Timed nights before `night` in its segment, the newest first; up to `most`. */
size_t nights_before(const struct nights_track *track, size_t night, size_t most, size_t *found);

/* 1.4826 times the median distance from the median, of values in any order, which it sorts; NaN with fewer than 3. */
double nights_spread(double *values, size_t count);

#endif
