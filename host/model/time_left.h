/* Divides a run's time among its cases: first every row gets the samples without which it is useless, then rows become
 * more precise. The functions do no I/O and use no global state. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Largest factor by which the estimated time of a run is increased on a busy machine. */
#define TIME_BUSIEST 4.0

/* Returns by what factor, from 1 to TIME_BUSIEST, work takes longer than on an idle machine. `share`: the share of the
 * processors that this process gets; `load`: how many other threads ran on average, NaN if not known. */
double time_busy(double share, double load, double processors);

/* The time of a run before one of its cases begins. */
struct time_left {
  double left_s;         /* seconds until measuring should end */
  double own_s, after_s; /* seconds that are promised to the case (own_s) and to all cases after it (after_s) */
  /* the part of own_s and of after_s without which the rows would be useless */
  double own_least_s, after_least_s;
  double times;  /* factor by which work takes longer than was estimated */
  double kept_s; /* part of left_s that is reserved for own_least_s and after_least_s */
};

/* Returns the seconds that the case should take. Usually that is its share of the time that is left, in proportion to
 * the promised seconds. If more time is left than was promised to all cases, it may be more: the seconds promised to
 * the case and half of the time left over. It is less if later cases would otherwise not have the minimum that their
 * rows need. If not all minima fit, the time is divided in proportion to them. */
double time_part_s(const struct time_left *time);

/* Returns the seconds that the case may take at most if its rows would be useless otherwise. For later cases it keeps
 * the seconds promised to them or, if that is more, the minimum that their rows need, scaled by `times`. But it never
 * keeps more than the later cases' share of the time that is left. */
double time_last_s(const struct time_left *time);

/* Marks variants of a case as left out, longest first, until the others fit into `left_s` seconds. The variants that
 * others are compared with, which are marked in `bases`, stay if half of the other variants fit as well. If no variant
 * would remain, the quickest one is measured nevertheless; but not if other cases wait for the time, or if less than a
 * third of the time that it needs is left. needs_s = 0: the variant has failed. */
void time_leave_out(const double *needs_s, const bool *bases, size_t count, double left_s, bool others_wait,
                    bool *left_out);
