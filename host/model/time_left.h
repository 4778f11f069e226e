/* Who gets what of a run's time: each row its one sample set first, then precision. Pure. */
#ifndef MODEL_TIME_LEFT_H
#define MODEL_TIME_LEFT_H

#include <stdbool.h>
#include <stddef.h>

/* By how much longer than on an idle machine things take where `share` of the processors is there for us, with `load`
 * threads (NaN: not known) beside us on average: from 1 to 4. */
double time_busy(double share, double load, double processors);

/* Before a case begins. */
struct time_left {
  double left_s;                     /* until measuring is to end */
  double own_s, after_s;             /* what it, and those after it, are promised */
  double own_least_s, after_least_s; /* what their rows cannot stand without */
  double times;                      /* so many times as long do these things take now */
  double kept_s;                     /* what of the time left is for nothing but what rows cannot stand without */
};

/* What it may take. Who needs less than its part leaves it to the others, who needs a little more does not take it from
 * them; half of what nobody is promised is on top of its own, while there is some; and what later rows cannot stand
 * without is theirs. */
double time_part_s(const struct time_left *time);

/* What it may take at most, whatever its rows cannot stand without: those after it keep what they are promised, and
 * what their rows need as things go now, but no more than their share of what is left. */
double time_last_s(const struct time_left *time);

/* Marks the variants of a case for which there is no time, the longest first, until the others fit. Those that `bases`
 * names, by which others are divided, stay where half of the others fit beside them. The last variant stays too, unless
 * other cases wait for the time, or measuring it would end much too early. A variant that needs 0 s has failed. */
void time_leave_out(const double *needs_s, const bool *bases, size_t count, double left_s, bool others_wait,
                    bool *left_out);

#endif
