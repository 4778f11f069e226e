/* Compares the time that a nightly run measured with the times of the nights before: computes the expected time and the
 * deviation from it. The functions do no I/O and use no global state. */
#pragma once

#include "stats/nights.h"

/* The state of a series while its nights are judged. Times are natural logarithms. */
struct nights_track {
  const struct nights_series *series;
  struct night_judgement *judgements; /* judgements of all nights; those before tonight are final */
  /* ln of the times of all nights, without the part that changes of the machine caused; NaN: not timed */
  double *values;
  bool *good; /* for each night, whether later nights are compared with it */
  /* begin: first night of the present segment (consecutive nights at one level); timed: number of nights with a time */
  size_t begin, timed;
  /* difference in the time since `begin` that is due to changes of the machine */
  double machine;
  /* the level before the last change; a time that returns to this level is not suspect. NaN: there is no such level */
  double former;
  /* standard deviation between the nights at the level before the present one; NaN: there is none */
  double sd;
  double fixed; /* level at which a regression would count as fixed; NaN: there is no regression */
  size_t since;
};

enum { LOOK_LEVELS = 3 };

struct nights_look {
  size_t baseline;            /* number of earlier nights that tonight is compared with; 0: nothing is expected */
  double spread;              /* measured standard deviation; NaN with fewer than 3 nights */
  double levels[LOOK_LEVELS]; /* the levels of the time that earlier nights show, the usual one first */
  size_t level_count;
  double centre; /* the level nearest to tonight's value */
  /* in ln: standard deviation, threshold of suspicion, and tonight's deviation from `centre`; if tonight's time was
   * measured twice, the smaller of its two deviations */
  double sd, threshold, step;
  /* few: there are fewer than NIGHTS_FEW earlier nights; elsewhere: the time is at another level than the night before;
   * slower, faster: the night is suspected to be slower or faster */
  bool few, elsewhere, slower, faster;
};

/* Fills in the members of `look` that can be computed without the time of `night`, such as the known levels. */
void nights_look_back(const struct nights_track *track, size_t night, struct nights_look *look);

/* Adds to `look` how the time of `night` differs from the times of earlier nights. `prior` is the suite's standard
 * deviation; NaN: not known. */
void nights_look_at(const struct nights_track *track, size_t night, double prior, struct nights_look *look);

/* Finds the nights before `night` in which the series was timed, newest first: at most `most` of them, and none before
 * track->begin. Writes their indices (in track->series->nights) to `found`. Returns how many there are. */
size_t nights_before(const struct nights_track *track, size_t night, size_t most, size_t *found);

/* Sorts the values and returns a robust standard deviation, 1.4826 times the median of their distances from the median;
 * NaN with fewer than 3. */
double nights_spread(double *values, size_t count);
