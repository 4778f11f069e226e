/* Verifies the variants before anything is timed. */
#pragma once

#include "measure/measurement.h"

/* Verifies the first run of every variant on the inputs as they were filled. -1: the device failed. */
int measure_verify(struct measurement *m, struct err *err);

/* Runs the variant and verifies its outputs; if these hold integers, does so twice, with another poison (pattern that
 * marks unwritten outputs) each time. `held`: also checks that nothing reaches the outputs while the stream is held
 * back. -1: the device failed. */
int verify_outputs(struct measurement *m, struct contestant *k, bool held, struct err *err);

/* Calls the bench's `reference` for the present inputs. A failure ends the case for all variants. -1: the device
 * failed. */
int verify_reference(struct measurement *m, struct err *err);

/* How to verify outputs. */
struct verify_options {
  const char *where; /* text that comes before the reason in the message */
  double share;      /* share of the elements with expected values that is compared; 1 or more: all */
  bool timed;        /* the outputs are those of a timed slot */
};

/* Verifies the present outputs. First they are made final (`after` is called). Then the bench's `reference` is called
 * if the existing expected values belong to other inputs, or if a variant may know by now which elements have expected
 * values. Then outputs and expected values are compared. -1: the device failed. */
int verify_present_outputs(struct measurement *m, struct contestant *k, const struct verify_options *options,
                           struct err *err);

/* After the inputs changed: calls `refresh`, or else `release` and `prepare`, and drops the variant if that fails. -1:
 * the device failed. */
int verify_prepare_again(struct measurement *m, struct contestant *k, struct err *err);
