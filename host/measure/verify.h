/* Verifies the variants before anything is timed. */
#pragma once

#include "measure/measurement.h"

/* Verifies the first run of every variant on the inputs as they were filled. -1: the device failed. */
int measure_verify(struct measurement *m, struct err *err);

/* Runs the variant and verifies its outputs. If these hold integers, does so again with another poison (pattern that
 * marks unwritten outputs). `held`: during the first run the stream, that is the device's queue, is blocked for a
 * while, and the variant is dropped if it writes an output in that time. -1: the device failed. */
int verify_outputs(struct measurement *m, struct contestant *k, bool held, struct err *err);

/* Calls the bench's `reference` for the present inputs. A failure ends the case for all variants. -1: the device
 * failed. */
int verify_reference(struct measurement *m, struct err *err);

/* How to verify outputs. */
struct verify_options {
  const char *where; /* text that precedes the reason in the message about wrong outputs */
  double share;      /* share of the elements with expected values that is compared; 1 or more: all */
  bool timed;        /* the outputs are those of a timed slot */
};

/* Verifies the present outputs. First they are made final (`after` is called). Then the bench's `reference` is called
 * if the existing expected values belong to other inputs, or if a variant may know by now which elements have expected
 * values. Then outputs and expected values are compared. -1: the device failed. */
int verify_present_outputs(struct measurement *m, struct contestant *k, const struct verify_options *options,
                           struct err *err);

/* Prepares the variant for changed inputs: calls its `refresh` or, if it has none, `release` and `prepare`. Drops the
 * variant if that fails. -1: the device failed. */
int verify_prepare_again(struct measurement *m, struct contestant *k, struct err *err);
