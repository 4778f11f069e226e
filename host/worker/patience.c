/* What it does is looked at from half of the limit on. */
#include "worker/patience.h"

#include <math.h>

#include "base/clock.h"
#include "machine/thread_time.h"

static const double working_factor = 10, working_share = 0.25;

static double seconds_since(int64_t ns) {
  return (double)(clock_now_ns() - ns) * 1e-9;
}

void patience_heard(struct patience *p) {
  p->moved_ns = clock_now_ns();
  p->looked_ns = 0;
}

void patience_begin(struct patience *p) {
  *p = (struct patience){.seen = {.variant = -1}, .changed_ns = clock_now_ns()};
  patience_heard(p);
}

bool patience_look(struct patience *p, const struct phase_page *page) {
  struct phase_mark now;
  if (!phase_read(page, &now)) return false;
  if (now.phase == p->seen.phase && now.variant == p->seen.variant && now.since_ns == p->seen.since_ns) return true;
  p->seen = now;
  patience_heard(p);
  p->changed_ns = p->moved_ns;
  return true;
}

/* Does it use a processor? Not known is yes. */
static bool works(const struct patience *p, int pid) {
  double worked_s = thread_time_s(pid) - p->worked_s;
  return !(worked_s < working_share * seconds_since(p->looked_ns));
}

/* For a processor. Not known is never. */
static double waited_s(const struct patience *p, int pid) {
  return fmax(thread_waited_s(pid) - p->waited_s, 0);
}

static void look_closer(struct patience *p, int pid) {
  if (p->looked_ns != 0) return;
  p->looked_ns = clock_now_ns();
  p->worked_s = thread_time_s(pid);
  p->waited_s = thread_waited_s(pid);
}

bool patience_is_over(struct patience *p, int pid, double limit_s) {
  const bool idle = p->seen.phase == PHASE_IDLE;
  const double still_s = seconds_since(idle ? p->moved_ns : p->changed_ns);
  if (still_s >= limit_s / 2) look_closer(p, pid);
  if (still_s < limit_s) return false;
  if (still_s >= working_factor * limit_s) return true;
  return idle ? !works(p, pid) : still_s - waited_s(p, pid) >= limit_s;
}
