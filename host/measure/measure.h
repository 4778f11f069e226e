/* Measures one case in a worker: sets it up, verifies, warms up, samples in interleaved rounds until the times are
 * precise enough, verifies again, takes it down. Reports results as they are known; owns no process and no file. */
#pragma once

#include "case/case.h"
#include "measure/sink.h"

/* Measures the case that `request` asks for. `variants`: the request's variants, in its order. `warm`: this process has
 * run work on the device before. -1: this process cannot be used any more; the variant in `*culprit` ran when the
 * device failed (UINT32_MAX: none did). */
int measure_case(struct gb_case *c, const struct case_request *request, struct variant *const *variants, bool warm,
                 const struct measure_sink *sink, struct case_report *report, uint32_t *culprit, struct err *err);
