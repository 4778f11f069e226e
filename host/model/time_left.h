/* Divides a run's time among its cases. First the row of each variant gets the fewest samples that make it useful; time
 * that is left makes rows more precise. The functions do no I/O and use no global state. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Largest factor by which the estimated time of a run is increased on a busy machine. */
#define TIME_BUSIEST 4.0

/* Returns by what factor, from 1 to TIME_BUSIEST, work takes longer than on an idle machine. `share`: the share of the
 * processors that this process gets; `load`: how many other threads ran on average, NaN if not known. */
double time_busy(double share, double load, double processors);

/* The time that remains in a run before one of its cases begins, and how it is planned. */
struct time_left {
  double left_s;         /* seconds until measuring should end */
  double own_s, after_s; /* seconds planned for the case (own_s) and for all later cases (after_s) */
  /* the part of own_s and of after_s without which the rows would be useless */
  double own_least_s, after_least_s;
  double times;  /* factor by which work takes longer than was estimated */
  double kept_s; /* part of left_s that is reserved for own_least_s and after_least_s */
};

/* Returns the seconds that the case should take:
 * (1) Usually its share of the remaining time, in proportion to the planned seconds of the case and of all later ones.
 * (2) If more time remains than is planned for all of them: its planned seconds and half of the surplus, if that is
 *     more than (1).
 * (3) Less than (1) and (2) if later cases would otherwise get less than after_least_s.
 * (4) If own_least_s and after_least_s do not fit together, its share in proportion to these. */
double time_part_s(const struct time_left *time);

/* Returns how many seconds the case may take at most. It takes more than time_part_s() only if its rows would be
 * useless otherwise. The result is left_s without a reserve for the later cases. The reserve is after_s or `times` *
 * after_least_s, whichever is more. But it is at most the later cases' share of left_s, in proportion to the planned
 * seconds or to the minima, whichever share is larger. */
double time_last_s(const struct time_left *time);

/* Marks variants of a case as left out, longest first, until the others fit into `left_s` seconds. Variants that others
 * are compared with (marked in `bases`) stay if at least half of the other variants fit as well. If no variant fits,
 * the quickest one stays, unless other cases wait for the time or less than a third of the time that it needs is left.
 * needs_s[i]: seconds that variant i needs; 0: it has failed. */
void time_leave_out(const double *needs_s, const bool *bases, size_t count, double left_s, bool others_wait,
                    bool *left_out);
