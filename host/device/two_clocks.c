#include "device/two_clocks.h"

#include <time.h>

#include "base/clock.h"

/* Limits for comparing the two clocks. The library's clock may show less time than the processor's counter by up to
 * share_allowed of the time plus ns_allowed, because the clocks are not more precise than that. A larger difference is
 * a sign of manipulation. The rate of the counter is computed once ns_least have passed since the first reading, when
 * it can be computed to about one millionth. */
static const double share_allowed = 0.002, ns_allowed = 500, ns_least = 2e6;

static struct ticks_mark first;

static int64_t raw_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void two_clocks_open(void) {
  if (first.ticks == 0 && ticks_are_steady()) first = ticks_mark();
}

struct two_clocks two_clocks_begin(struct clock_doubt *doubt) {
  struct two_clocks clocks = {.doubt = doubt};
  if (doubt == NULL) return clocks;
  *doubt = (struct clock_doubt){0};
  if (first.ticks == 0 || !ticks_are_steady()) return clocks;
  const struct ticks_mark now = ticks_mark();
  const double ns = (double)(now.ns - first.ns), ticks = (double)(now.ticks - first.ticks);
  if (ns > ns_least && ticks > 0) clocks.ns_per_tick = ns / ticks;
  return clocks;
}

void two_clocks_start(struct two_clocks *clocks) {
  clocks->started_ns = raw_now_ns();
  clocks->started = ticks_now();
}

double two_clocks_stop(struct two_clocks *clocks) {
  const uint64_t ticks = ticks_now() - clocks->started;
  const double shown = (double)(raw_now_ns() - clocks->started_ns), passed = (double)ticks * clocks->ns_per_tick;
  if (clocks->doubt != NULL && shown < passed * (1 - share_allowed) - ns_allowed) {
    clocks->doubt->samples++;
    clocks->doubt->shown_ns = shown;
    clocks->doubt->passed_ns = passed;
  }
  return shown;
}
