/* A GPU at its power limit lowers its clock under load for 10 ms or longer, and by how much depends on all that ran
 * before. On an H200 a bf16 matrix product of size 8192 took 1533 us (1354 to 1594) in consecutive slots of 5 ms, and
 * 1350 us if the device rested half as long as it worked.
 *
 * Compared with times after 0.2 s of rest, times were longer by up to 0.5% after cooldowns of 2 times the work, and by
 * 0.2 to 0.3% after 4, 8 and 16 times. So 4 times is the shortest cooldown that cannot be told from longer ones. Below
 * 0.9 of the power limit no variant was slower without cooldowns. */
#include "measure/pace.h"

#include <math.h>

#include "base/clock.h"

static const double power_near = 0.9;

/* A driver samples the power every 100 ms (readings of an H200 under driver 580.159 change at that interval). Until the
 * work has lasted this long (in seconds), a reading may still show the power of the case before: for a kernel of 6 us
 * that draws 240 W it showed the 627 W of the batches before. */
static const double sampled_s = 0.15;

/* Length of a cooldown (a pause of the device), as a multiple of the time for which it worked before. */
static const double rest_times = 4;

/* Longest cooldown in seconds. Work that takes longer than this lowers the clock itself, so a longer rest before it
 * would not let it finish at the clock of a rested device. */
static const double rest_most_s = 0.1;

void pace_begin(struct pace *pace, bool on, double limit_w, double cooldown) {
  *pace = (struct pace){
      .on = on, .limit_w = limit_w, .cooldown = on && cooldown > 0 ? rest_times : 0, .begun_ns = clock_now_ns()};
}

void pace_worked(struct pace *pace, int64_t ns, double power_w) {
  pace->worked_s += (double)ns * 1e-9;
  if (clock_seconds_since(pace->begun_ns) >= sampled_s) pace->most_w = fmax(pace->most_w, power_w);
}

double pace_rested_s(double work_s) {
  return work_s + fmin(rest_times * work_s, rest_most_s);
}

bool pace_rest(struct pace *pace, bool may) {
  if (!pace->on) return false;
  const bool begins = may && pace->cooldown == 0 && pace->most_w >= power_near * pace->limit_w;
  if (begins) pace->cooldown = rest_times;
  const double idle_s = clock_seconds_since(pace->rested_ns) - pace->worked_s;
  const double rest_s = fmin(pace->cooldown * pace->worked_s, rest_most_s) - idle_s;
  if (rest_s > 0) clock_pause(rest_s);
  pace->rested_ns = clock_now_ns();
  pace->worked_s = 0;
  return begins;
}
