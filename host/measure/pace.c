/* Under load for about 10 ms and longer a GPU at its power limit lowers its clock, and by how much depends on all that
 * ran before. On an H200 a bf16 product of 8192 takes 1533 us (1354 to 1594) where slots of 5 ms follow each other,
 * 1350 where the device rests half as long as it works, 1342 to 1344 where it rests as long, and 1337 to 1342 with any
 * longer rest; one of 4096 takes 178.2, 172.8, 172.9 and 172.6 to 173.1 us; attention over 4096 keys 815, 811, 812 and
 * 812 us. Below 0.9 of the limit, with 487 to 611 W of 700, none of 8 variants was slower without rest. */
#include "measure/pace.h"

#include <math.h>
#include <time.h>

#include "base/clock.h"

static const double power_near = 0.9;

/* Times what ran before a slot. More than the last is not tried: where a device cannot work at its clock for a quarter
 * of the time, that is what it is. */
static const double rests[] = {0, 2, 4};
enum { RESTS = sizeof rests / sizeof rests[0] };

/* A single reading may be of an instant: so many say that a rest is too short. */
enum { READINGS = 40 };

/* After work for longer than this no rest brings the next iteration through at the clock of a rested device: it is
 * timed at the clock that it brings about itself. */
static const double rest_most_s = 0.1;

void pace_begin(struct pace *pace, bool on, double limit_w, double rest) {
  *pace = (struct pace){.on = on, .limit_w = limit_w};
  while (on && pace->rest < rest && pace->level + 1 < RESTS)
    pace->rest = rests[++pace->level];
}

static bool is_near_limit(const struct pace *pace) {
  const double near_w = power_near * pace->limit_w;
  if (pace->level == 0) return pace->most_w >= near_w;
  return pace->readings >= READINGS && pace->sum_w / pace->readings >= near_w;
}

void pace_worked(struct pace *pace, int64_t ns, double power_w) {
  pace->worked_s += (double)ns * 1e-9;
  if (isnan(power_w)) return;
  pace->most_w = fmax(pace->most_w, power_w);
  pace->sum_w += power_w;
  pace->readings++;
}

static void pause_for(double seconds) {
  struct timespec time = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
  nanosleep(&time, NULL);
}

bool pace_rest(struct pace *pace, bool may) {
  if (!pace->on) return false;
  const bool longer = may && pace->level + 1 < RESTS && is_near_limit(pace);
  if (longer) {
    pace->rest = rests[++pace->level];
    pace->sum_w = 0;
    pace->readings = 0;
  }
  const double idle_s = (double)(clock_now_ns() - pace->rested_ns) * 1e-9 - pace->worked_s;
  const double rest_s = fmin(pace->rest * pace->worked_s, rest_most_s) - idle_s;
  if (rest_s > 0) pause_for(rest_s);
  pace->rested_ns = clock_now_ns();
  pace->worked_s = 0;
  return longer;
}
