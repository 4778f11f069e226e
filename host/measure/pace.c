/* Under load for about 10 ms and longer a GPU at its power limit lowers its clock, and by how much depends on all that
 * ran before. On an H200 a bf16 product of 8192 takes 1533 us (1354 to 1594) where slots of 5 ms follow each other, and
 * 1350 where the device rests half as long as it works. How much longer it takes than after 0.2 s of rest, by twice,
 * four, 8 and 16 times the work, on another one: cuBLASLt's products of 4096 0.5, -0.3, 0.0 and -0.1%, of 8192 0.2,
 * 0.2, 0.1 and 0.0; own ones 0.5, -0.1, 0.1, 0.1 and 0.1, 0.1, 0.1, 0.0; attention over 4096 keys, three kernels, 0.1
 * to 0.3, 0.0 to 0.2, 0.1 to 0.2, 0.0 to 0.1, and its gradients, two, 0.2, 0.1 to 0.2, 0.0 to 0.3, 0.0 to 0.3. So four
 * times is the shortest that cannot be told from more, and it takes 5/3 of the time that twice does. Below 0.9 of the
 * limit, with 487 to 611 W of 700, none of 8 variants was slower without rest. */
#include "measure/pace.h"

#include <math.h>

#include "base/clock.h"

static const double power_near = 0.9;

/* A driver samples power each 100 ms (an H200 under 580.159: readings change that often, and not at all between): until
 * one is of its own work, a kernel of 6 us that draws 240 W was taken for the batches of 627 W in the case before. */
static const double sampled_s = 0.15;

/* Times what ran before a slot. */
static const double rest_times = 4;

/* After work for longer than this no rest brings the next iteration through at the clock of a rested device: it is
 * timed at the clock that it brings about itself. */
static const double rest_most_s = 0.1;

void pace_begin(struct pace *pace, bool on, double limit_w, double rest) {
  *pace =
      (struct pace){.on = on, .limit_w = limit_w, .rest = on && rest > 0 ? rest_times : 0, .begun_ns = clock_now_ns()};
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
  const bool begins = may && pace->rest == 0 && pace->most_w >= power_near * pace->limit_w;
  if (begins) pace->rest = rest_times;
  const double idle_s = clock_seconds_since(pace->rested_ns) - pace->worked_s;
  const double rest_s = fmin(pace->rest * pace->worked_s, rest_most_s) - idle_s;
  if (rest_s > 0) clock_pause(rest_s);
  pace->rested_ns = clock_now_ns();
  pace->worked_s = 0;
  return begins;
}
