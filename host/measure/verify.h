/* Are the variants right? Before anything is timed. */
#ifndef MEASURE_VERIFY_H
#define MEASURE_VERIFY_H

#include "measure/measurement.h"

/* Judges a first run of every variant on the inputs as they were filled. -1: the device failed. */
int measure_verify(struct measurement *m, struct err *err);

/* One run whose outputs are judged; where they hold integers one with either poison. `held`: nothing may have reached
 * them while the stream was held back. -1: the device failed. */
int verify_outputs(const struct measurement *m, struct contestant *k, bool held, struct err *err);

/* The bench's expectations of these inputs. Its failure ends the case for all; -1: the device failed. */
int verify_reference(struct measurement *m, struct err *err);

/* For other inputs: refreshes a variant, or releases and prepares it; it is dropped where it cannot be. -1: the device
 * failed. */
int verify_prepare_again(struct measurement *m, struct contestant *k, struct err *err);

#endif
