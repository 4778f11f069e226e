/* Shares of what is left. */
#include "worker/call_limit.h"

#include <math.h>
#include <stdio.h>

static const double first_share = 1.0 / 3, wary_share = 1.0 / 6, least_s = 2;
static const double waiting_share = 1.0 / 6;
static const double progress_times = 60, progress_share_times = 1.5;
static const double working_times = 10, working_share = 2.0 / 3;

/* Of what is left; INFINITY: no end is known. */
static double part_s(const struct call_limit *limit, int64_t entered_ns, double share) {
  return limit->ends_ns == 0 ? INFINITY : fmax(share * (double)(limit->ends_ns - entered_ns) * 1e-9, 0);
}

static double share_of(const struct call_limit *limit) {
  return limit->wary ? wary_share : first_share;
}

double call_limit_s(const struct call_limit *limit, int64_t entered_ns) {
  return fmin(limit->most_s, fmax(part_s(limit, entered_ns, share_of(limit)), least_s));
}

double call_limit_waiting_s(const struct call_limit *limit, int64_t entered_ns) {
  return call_limit_s(limit, entered_ns) + part_s(limit, entered_ns, waiting_share);
}

double call_limit_progress_s(const struct call_limit *limit, int64_t entered_ns) {
  const double part = part_s(limit, entered_ns, progress_share_times * share_of(limit));
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
