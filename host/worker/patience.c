/* What it does is looked at from half of the limit on. */
#include "worker/patience.h"

#include <math.h>

#include "base/clock.h"

static const double working_factor = 10, working_share = 0.25, progress_factor = 60;

static double seconds_since(int64_t ns) {
  return (double)(clock_now_ns() - ns) * 1e-9;
}

void patience_heard(struct patience *p) {
  p->moved_ns = clock_now_ns();
  p->looked_ns = 0;
}

void patience_begin(struct patience *p) {
  *p = (struct patience){.seen = {.variant = -1}, .changed_ns = clock_now_ns()};
  p->entered_ns = p->changed_ns;
  patience_heard(p);
}

bool patience_look(struct patience *p, const struct phase_page *page) {
  struct phase_mark now;
  if (!phase_read(page, &now)) return false;
  if (now.phase == p->seen.phase && now.variant == p->seen.variant && now.since_ns == p->seen.since_ns) return true;
  const bool entered = now.phase != p->seen.phase || now.variant != p->seen.variant;
  p->seen = now;
  patience_heard(p);
  p->changed_ns = p->moved_ns;
  if (entered) p->entered_ns = p->moved_ns;
  return true;
}

/* Returns whether one call has said for too long that it goes on: those that may are entered once, or behind others. */
static bool goes_on_for_ever(const struct patience *p, double limit_s) {
  const enum phase phase = p->seen.phase;
  const bool may = phase == PHASE_SETUP || phase == PHASE_FILL || phase == PHASE_PREPARE;
  return may && seconds_since(p->entered_ns) >= progress_factor * limit_s;
}

/* Does it use a processor, or would it? Not known is yes. */
static bool works(const struct patience *p, const struct thread_time *now) {
  return now->ready || !(now->used_s - p->then.used_s < working_share * seconds_since(p->looked_ns));
}

/* For a processor. Who is ready and has used none has waited all the while. Not known is never. */
static double waited_s(const struct patience *p, const struct thread_time *now) {
  const double told_s = fmax(now->waited_s - p->then.waited_s, 0);
  const double without_s = seconds_since(p->looked_ns) - (now->used_s - p->then.used_s);
  return now->ready ? fmax(told_s, without_s) : told_s;
}

static void look_closer(struct patience *p, int pid) {
  if (p->looked_ns != 0) return;
  p->looked_ns = clock_now_ns();
  thread_time_read(pid, &p->then);
}

bool patience_is_over(struct patience *p, int pid, double limit_s) {
  const bool idle = p->seen.phase == PHASE_IDLE;
  const double still_s = seconds_since(idle ? p->moved_ns : p->changed_ns);
  if (goes_on_for_ever(p, limit_s)) return true;
  if (still_s >= limit_s / 2) look_closer(p, pid);
  if (still_s < limit_s) return false;
  if (still_s >= working_factor * limit_s) return true;
  struct thread_time now;
  thread_time_read(pid, &now);
  return idle ? !works(p, &now) : still_s - waited_s(p, &now) >= limit_s;
}
