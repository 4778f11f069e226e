/* A variant on a device that works while the host goes on: its stream is held back, and what it enqueues is captured.
 */
#include <string.h>

#include "exam/stations.h"

static const char *not_a_gpu(const struct sitting *s) {
  return !device_is(s->c->device, DEVICE_QUEUES) ? "on the CPU run returns when its work is done" : NULL;
}

static int capture(struct sitting *s, struct err *err) {
  struct contestant *k = sitting_variant(s);
  s->m.running = k;
  if (contestant_capture(k, (struct mode){TIMING_COLD, LOAD_PLAIN}, err) != 0) return sitting_spoilt(s, err);
  s->m.running = NULL;
  return sitting_goes_on(s, RULE_VALUES) ? 0 : 1;
}

/* Held back first: who waits for the stream is told so, and not that he cannot be captured. */
int station_device(struct sitting *s, struct err *err) {
  struct exam *e = s->exam;
  const uint32_t flags = e->variant->own.flags;
  const char *why = not_a_gpu(s);
  if (why == NULL && (flags & GB_VARIANT_SYNC) != 0) why = "it is GB_VARIANT_SYNC: run returns when its work is done";
  if (why != NULL) {
    exam_skip(e, RULE_STREAM, why);
    exam_skip(e, RULE_ASYNC, why);
    exam_skip(e, RULE_CAPTURE, why);
    exam_skip(e, RULE_ALLOCATION, why);
    return 0;
  }
  const bool captures = (flags & GB_VARIANT_NO_CAPTURE) == 0;
  int rc = sitting_verify(s, true, RULE_REPEAT, err);
  if (rc != 0) return rc;
  exam_pass(e, RULE_ASYNC);
  exam_pass(e, RULE_STREAM);
  if (!captures) exam_skip(e, RULE_CAPTURE, "it is GB_VARIANT_NO_CAPTURE");
  if (!captures) exam_skip(e, RULE_ALLOCATION, "it is GB_VARIANT_NO_CAPTURE: that is seen in a capture");
  if (captures && (rc = capture(s, err)) != 0) return rc;
  if (captures) exam_pass(e, RULE_CAPTURE);
  if (captures) exam_pass(e, RULE_ALLOCATION);
  return 0;
}
