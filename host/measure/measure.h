/* Measuring one case in a worker: set up, verify, warm up, sample in interleaved rounds until precise enough, verify
 * again, take down. Reports as it goes; owns no process and no file. */
#ifndef MEASURE_MEASURE_H
#define MEASURE_MEASURE_H

#include "case/case.h"
#include "measure/sink.h"

/* `variants` are the request's, in its order. `warm` says whether this process has run on the device before. -1: the
 * device failed while the variant in `*culprit` (UINT32_MAX: none) ran, and this process is of no more use. */
int measure_case(struct gb_case *c, const struct case_request *request, struct variant *const *variants, bool warm,
                 const struct measure_sink *sink, struct case_report *report, uint32_t *culprit, struct err *err);

#endif
