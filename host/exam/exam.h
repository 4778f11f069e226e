/* Examines a bench and one of its variants at a point. Callbacks are entered as a run enters them and in ways that no
 * run does, and each applicable rule of model/rule.h gets a finding. It knows only its own process: the caller handles
 * crashes and hangs. */
#pragma once

#include "case/case.h"
#include "model/message.h"

struct exam_host {
  struct gb_case *(*new_case)(void *user,
                              uint64_t seed); /* returns a new case of the request, with inputs of this seed */
  void (*say)(const struct finding *finding); /* called for each finding as soon as it is known */
  void *user;
};

/* Runs the examination. `variant` NULL: the bench alone. A request with `quick` concerns the variant alone, because the
 * bench has been examined. On a pretended device no callback of a variant is entered. Returns -1 if this process must
 * not run anything else; the findings so far have been reported. */
int exam_case(const struct exam_host *host, const struct case_request *request, struct variant *variant,
              struct err *err);
