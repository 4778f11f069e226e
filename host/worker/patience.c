#include "worker/patience.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"

/* Constants for the time limits of calls. `_share`: a share of the time that is left to the case. `_times`: a multiple
 * of another limit. `least_s`: the smallest limit in seconds.
 *
 * first_: usual variants. wary_: variants that are suspected of hanging. waiting_: calls that wait for a processor.
 * progress_: callbacks that report progress. working_: the worker's code outside callbacks. */
static const double first_share = 1.0 / 3, wary_share = 1.0 / 6, least_s = 2;
static const double waiting_share = 1.0 / 6;
static const double progress_times = 60, progress_share_times = 1.5;
static const double working_times = 10, working_share = 2.0 / 3;

/* Returns this share of the time that is left to the case; INFINITY if that time is not limited. */
static double part_s(const struct call_limit *limit, int64_t entered_ns, double share) {
  return limit->ends_ns == 0 ? INFINITY : fmax(share * (double)(limit->ends_ns - entered_ns) * 1e-9, 0);
}

static double patience_share(const struct call_limit *limit) {
  return limit->wary ? wary_share : first_share;
}

double call_limit_s(const struct call_limit *limit, int64_t entered_ns) {
  return fmin(limit->most_s, fmax(part_s(limit, entered_ns, patience_share(limit)), least_s));
}

double call_limit_waiting_s(const struct call_limit *limit, int64_t entered_ns) {
  return call_limit_s(limit, entered_ns) + part_s(limit, entered_ns, waiting_share);
}

double call_limit_progress_s(const struct call_limit *limit, int64_t entered_ns) {
  const double part = part_s(limit, entered_ns, progress_share_times * patience_share(limit));
  return fmin(progress_times * limit->most_s, fmax(part, progress_share_times * least_s));
}

double call_limit_working_s(const struct call_limit *limit, int64_t entered_ns) {
  const double own_s = call_limit_s(limit, entered_ns);
  return fmin(working_times * own_s, fmax(part_s(limit, entered_ns, working_share), own_s));
}

void call_limit_text(const struct call_limit *limit, double given_s, bool idle, char *to, size_t size) {
  const char *what = idle ? "progress" : "return";
  if (limit->ends_ns != 0 && given_s < limit->most_s)
    snprintf(to, size, "no %s within %.3g s (--max-time allows more)", what, given_s);
  else
    snprintf(to, size, "no %s within %g s", what, given_s);
}

/* Constants by which a callback is judged to take too long. Its limit is call_limit_s(). The processor time of the
 * worker is counted from half of the limit on.
 * - running_share: a worker runs if it has used at least this share of a processor since then.
 * - longest_times: a callback may take this many times as long as the longest one so far, but at most --timeout.
 * - waiting_times: a callback that only waited for a processor may take this many times its limit.
 * - had_share: a callback that waited may take until call_limit_waiting_s(), and longer if it got less processor time
 *   than this share of its limit. */
static const double running_share = 0.25, longest_times = 4, waiting_times = 10, had_share = 0.25;

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
  if (p->seen.phase != PHASE_IDLE) p->longest_s = fmax(p->longest_s, clock_seconds_since(p->changed_ns));
  const bool entered = now.phase != p->seen.phase || now.variant != p->seen.variant;
  p->seen = now;
  patience_heard(p);
  p->changed_ns = p->moved_ns;
  if (entered) p->entered_ns = p->moved_ns;
  return true;
}

/* Returns true if a callback that may report progress has lasted too long since it began (`entered_ns`), even if it
 * still reports progress. */
static bool goes_on_for_ever(const struct patience *p, const struct call_limit *limit, double *given_s) {
  const enum phase phase = p->seen.phase;
  const bool may = phase == PHASE_SETUP || phase == PHASE_FILL || phase == PHASE_PREPARE;
  *given_s = call_limit_progress_s(limit, p->entered_ns);
  return may && clock_seconds_since(p->entered_ns) >= *given_s;
}

/* Returns true if the worker's first thread runs or is ready to run, or if that is not known. */
static bool thread_works(const struct patience *p, const struct thread_time *now) {
  return now->ready || !(now->used_s - p->then.used_s < running_share * clock_seconds_since(p->looked_ns));
}

/* Returns how long all threads together waited for a processor; 0 if that is not known. If the process is ready to run,
 * all the time in which it used no processor counts as waiting. */
static double waited_s(const struct patience *p, const struct thread_time *all) {
  const double told_s = fmax(all->waited_s - p->all_then.waited_s, 0);
  const double without_s = clock_seconds_since(p->looked_ns) - (all->used_s - p->all_then.used_s);
  return all->ready ? fmax(told_s, without_s) : told_s;
}

static void look_closer(struct patience *p, int pid) {
  if (p->looked_ns != 0) return;
  p->looked_ns = clock_now_ns();
  thread_time_read(pid, &p->then);
  thread_time_read_all(pid, &p->all_then);
}

static bool idles_too_long(struct patience *p, int pid, const struct call_limit *limit, double *given_s) {
  struct thread_time now;
  const double still_s = clock_seconds_since(p->moved_ns);
  *given_s = call_limit_s(limit, p->moved_ns);
  if (still_s >= *given_s / 2) look_closer(p, pid);
  if (still_s < *given_s) return false;
  thread_time_read(pid, &now);
  return !thread_works(p, &now) || still_s >= call_limit_working_s(limit, p->moved_ns);
}

/* Returns true if the worker has exceeded its limit. Uses the worker's processor time to distinguish a callback that
 * works from one that waits for a processor on a busy machine. */
bool patience_is_over(struct patience *p, int pid, const struct call_limit *limit, double *given_s) {
  struct thread_time all;
  if (p->seen.phase == PHASE_IDLE) return idles_too_long(p, pid, limit, given_s);
  if (goes_on_for_ever(p, limit, given_s)) return true;
  const double still_s = clock_seconds_since(p->changed_ns);
  *given_s = fmax(call_limit_s(limit, p->changed_ns), fmin(longest_times * p->longest_s, limit->most_s));
  if (still_s >= *given_s / 2) look_closer(p, pid);
  if (still_s < *given_s) return false;
  if (still_s >= waiting_times * *given_s) return true;
  thread_time_read_all(pid, &all);
  const double had_s = all.used_s - p->all_then.used_s;
  const bool enough = had_s >= had_share * *given_s && still_s >= call_limit_waiting_s(limit, p->changed_ns);
  return enough || still_s - waited_s(p, &all) >= *given_s;
}
