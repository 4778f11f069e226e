#include "ask/outside.h"

#include <math.h>

#include "base/clock.h"
#include "worker/wire.h"

enum { ITERATIONS_MOST = 1 << 24 };
static const double heard_late = 0.02;

/* Of batches that hold nothing, what it took at most to tell of one. */
static void take_empty(struct epoch *e, double ns) {
  e->telling_ns = fmax(e->telling_ns, ns);
}

/* A batch of whose end the parent heard late took longer than it did, and one of whose begin it did, less: of those
 * that did not take less than is claimed the shortest holds. */
static void take_batch(struct epoch *e, const struct mark_message *mark, double ns) {
  struct variant_result *v = epoch_result(e, mark->variant);
  if (v == NULL || mark->iterations == 0 || mark->iterations > ITERATIONS_MOST) return;
  if (!(mark->claimed_ns >= 0 && isfinite(mark->claimed_ns))) return;
  const double iterations = (double)mark->iterations, each = ns / iterations;
  const double excess = fmax(0, (ns - mark->claimed_ns - e->telling_ns) / fmax(ns, 1));
  if (ns < mark->claimed_ns * (1 - heard_late)) return;
  const double least = fmin(excess, v->outside.excess); /* fmin() ignores NaN */
  if (!(each >= v->outside.ns))
    v->outside = (struct outside){.ns = each,
                                  .claimed_ns = mark->claimed_ns / iterations,
                                  .slack_ns = e->telling_ns / iterations,
                                  .queued = mark->queued != 0};
  v->outside.excess = least;
}

void outside_take(struct epoch *e, const struct message *message) {
  const int64_t now = clock_now_ns();
  const struct mark_message *mark = wire_as(message, sizeof *mark);
  if (mark == NULL) return;
  const bool ends = mark->begins == 0 && e->mark_ns != 0 && e->mark_variant == mark->variant;
  if (ends && mark->variant == UINT32_MAX)
    take_empty(e, (double)(now - e->mark_ns));
  else if (ends)
    take_batch(e, mark, (double)(now - e->mark_ns));
  e->mark_ns = mark->begins != 0 ? now : 0;
  e->mark_variant = mark->variant;
}
