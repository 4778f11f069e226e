/* Examines a bench and one of its variants at a point. Calls their callbacks as a run does, and in ways that no run
 * does, and reports a finding for each rule of model/rule.h that applies. The examination only knows its own process:
 * its caller handles crashes and hangs. */
#pragma once

#include "case/case.h"
#include "model/message.h"

struct exam_host {
  struct gb_case *(*new_case)(void *user,
                              uint64_t seed); /* returns a new case for the request, whose inputs have this seed */
  void (*say)(const struct finding *finding); /* called for each finding as soon as it is known */
  void *user;
};

/* Runs the examination. `variant` NULL: only the bench is examined. A request with `quick` concerns only the variant,
 * because the bench has been examined. On a pretended device no callback of a variant is called. Returns -1 if nothing
 * else must run in this process; the findings so far have been reported. */
int exam_case(const struct exam_host *host, const struct case_request *request, struct variant *variant,
              struct err *err);
