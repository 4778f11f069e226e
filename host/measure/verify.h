/* Are the variants right? Before anything is timed. */
#ifndef MEASURE_VERIFY_H
#define MEASURE_VERIFY_H

#include "measure/measurement.h"

/* Judges a first run of every variant on the inputs as they were filled. -1: the device failed. */
int measure_verify(struct measurement *m, struct err *err);

/* One run whose outputs are judged; where they hold integers one with either poison. `held`: nothing may have reached
 * them while the stream was held back. -1: the device failed. */
int verify_outputs(struct measurement *m, struct contestant *k, bool held, struct err *err);

/* The bench's expectations of these inputs. Its failure ends the case for all; -1: the device failed. */
int verify_reference(struct measurement *m, struct err *err);

/* How outputs are looked at. */
struct look {
  const char *where; /* comes before the reason that a variant is dropped for */
  double share;      /* of the stated elements; from 1 on: all */
  bool timed;        /* a timed slot has left them */
};

/* Judges the outputs as they lie there. They are final first; then `reference` is entered where its expectations are of
 * other inputs, or of places that somebody may know by now; then they are compared. -1: the device failed. */
int verify_look(struct measurement *m, struct contestant *k, const struct look *look, struct err *err);

/* For other inputs: refreshes a variant, or releases and prepares it; it is dropped where it cannot be. -1: the device
 * failed. */
int verify_prepare_again(struct measurement *m, struct contestant *k, struct err *err);

#endif
