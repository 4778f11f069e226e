/* A bench and one of its variants examined at a point: every callback is entered as a run enters it, and as no run
 * does, and each rule of model/rule.h that can be held against them gets a finding. Knows no process but its own: who
 * asks for it sees to what crashes or hangs. */
#ifndef EXAM_EXAM_H
#define EXAM_EXAM_H

#include "case/case.h"
#include "model/message.h"

struct exam_host {
  struct gb_case *(*new_case)(void *user, uint64_t seed); /* the one that is asked about, with inputs of this seed */
  void (*say)(const struct finding *finding);             /* as soon as it is known */
  void *user;
};

/* `variant` NULL: the bench alone. A request that is `quick` is about the variant alone: the bench is known. On a
 * device that pretends no variant's callback is entered. -1: nobody should run in this process any more; what was found
 * has been said. */
int exam_case(const struct exam_host *host, const struct case_request *request, struct variant *variant,
              struct err *err);

#endif
