/* gb.span/1: the spans of the one iteration that is asked for them. Threads of a variant come here at once. */
#include <pthread.h>

#include "base/clock.h"
#include "case/calls.h"
#include "case/services/optional.h"
#include "plugin/abi.h"

static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static int32_t span_wanted(gb_case *c) {
  if (!case_is(c, "gb.span/1 wanted")) return 0;
  if (c->phase != PHASE_RUN) {
    case_misuse(c, "gb.span/1 wanted is for run, not %s", phase_name(c->phase));
    return 0;
  }
  c->timeline_asked = true;
  return c->timeline != NULL;
}

static int64_t span_now(void) {
  return clock_now_ns();
}

/* Times from the begin of the iteration; what runs over is refused with what lies too far off. */
static bool shift(struct timeline_span *span, int64_t origin_ns) {
  return !__builtin_sub_overflow(span->begin_ns, origin_ns, &span->begin_ns) &&
         !__builtin_sub_overflow(span->end_ns, origin_ns, &span->end_ns) && timeline_check(span);
}

static bool take(gb_case *c, const gb_span *theirs) {
  struct err err = {0};
  struct timeline_span span;
  if (c->timeline == NULL) return true;
  if (abi_span(theirs, &span, &err) != 0)
    case_misuse(c, "%s", err.text);
  else if (!shift(&span, c->iteration_ns))
    case_misuse(c, "span on '%s' lies days away from now: its times are on the clock of gb.span/1 now", span.lane);
  else
    return timeline_add(c->timeline, &span), true;
  return false;
}

static gb_status span_add(gb_case *c, const gb_span *theirs) {
  if (!case_is(c, "gb.span/1 add")) return GB_EINVAL;
  bool taken = false;
  pthread_mutex_lock(&adding);
  if (c->phase != PHASE_RUN)
    case_misuse(c, "gb.span/1 add is for run, not %s", phase_name(c->phase));
  else if (theirs == NULL)
    case_misuse(c, "gb.span/1 add: span is NULL");
  else
    taken = take(c, theirs);
  pthread_mutex_unlock(&adding);
  return taken ? GB_OK : GB_EINVAL;
}

const gb_span_ext services_span = {
    .struct_size = sizeof(gb_span_ext),
    .wanted = span_wanted,
    .now = span_now,
    .add = span_add,
};
