/* Examines a bench and one of its variants with one case. The callbacks are called as in a run, and also in ways that
 * do not occur in a run. A finding is reported for each rule of model/rule.h that applies. The examination runs in one
 * process; its caller handles crashes and hangs of that process. */
#pragma once

#include "case/case.h"
#include "model/message.h"

struct exam_host {
  struct gb_case *(*new_case)(void *user,
                              uint64_t seed); /* returns a new case for the request, whose inputs have this seed */
  void (*say)(const struct finding *finding); /* called for each finding as soon as it is known */
  void *user;
};

/* Runs the examination. `variant` NULL: only the bench is examined. If the request has `quick` set, only the variant is
 * examined, because the bench has been examined before; if it has `verify_only` set, the variant is only run and
 * verified, because it has been examined with another case. On a pretended device (one that does not exist) no callback
 * of a variant is called. Returns -1 if nothing more may run in this process; the findings so far have been reported.
 */
int exam_case(const struct exam_host *host, const struct case_request *request, struct variant *variant,
              struct err *err);
