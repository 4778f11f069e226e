/* Checks a variant on a device that works asynchronously. Blocks the variant's stream, to see whether `run` waits for
 * it, and captures the work that the variant enqueues into a graph. */
#include <stdio.h>
#include <string.h>

#include "exam/stations.h"

/* Returns why the variant's work is not captured into a graph; NULL if it is captured. */
static const char *why_uncaptured(const struct sitting *s) {
  if ((s->exam->variant->own.flags & GB_VARIANT_NO_CAPTURE) != 0) return "it is GB_VARIANT_NO_CAPTURE";
  return device_is(s->c->device, DEVICE_HAS_GRAPHS) ? NULL : "the device has no graphs";
}

static int capture_variant(struct sitting *s, struct err *err) {
  struct contestant *k = sitting_variant(s);
  s->m.running = k;
  if (contestant_capture(k, (struct mode){TIMING_COLD, LOAD_PLAIN}, err) != 0) return sitting_spoilt(s, err);
  s->m.running = NULL;
  return sitting_goes_on(s, RULE_VALUES) ? 0 : 1;
}

/* Checks the variant with a blocked stream, then captures its work into a graph. In this order, a variant
 * that waits for its stream is reported for waiting, and not because it cannot be captured. */
int station_device(struct sitting *s, struct err *err) {
  struct exam *e = s->exam;
  const uint32_t flags = e->variant->own.flags;
  const char *why = !device_is(s->c->device, DEVICE_QUEUES) ? "on the CPU run returns when its work is done" : NULL;
  if (why == NULL && (flags & GB_VARIANT_SYNC) != 0) why = "it is GB_VARIANT_SYNC: run returns when its work is done";
  if (why != NULL) {
    exam_skip(e, RULE_STREAM, why);
    exam_skip(e, RULE_ASYNC, why);
    exam_skip(e, RULE_CAPTURE, why);
    exam_skip(e, RULE_ALLOCATION, why);
    return 0;
  }
  const char *uncaptured = why_uncaptured(s);
  char unseen[MSG_SIZE];
  int rc = sitting_verify(s, true, RULE_REPEAT, err);
  if (rc != 0) return rc;
  exam_pass(e, RULE_ASYNC);
  exam_pass(e, RULE_STREAM);
  if (uncaptured != NULL) {
    snprintf(unseen, sizeof unseen, "%s: that is seen in a capture", uncaptured);
    exam_skip(e, RULE_CAPTURE, uncaptured);
    exam_skip(e, RULE_ALLOCATION, unseen);
    return 0;
  }
  if ((rc = capture_variant(s, err)) != 0) return rc;
  exam_pass(e, RULE_CAPTURE);
  exam_pass(e, RULE_ALLOCATION);
  return 0;
}
