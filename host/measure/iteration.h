/* Iterations as a device calls them, and what is done to the tensors in between. */
#ifndef MEASURE_ITERATION_H
#define MEASURE_ITERATION_H

#include "measure/turn.h"

/* What a slot calls; the last status stays for call_end. */
struct iteration {
  struct contestant *k;
  struct turn *turn; /* NULL: of a capture */
  gb_status status;
  struct err err; /* of the host's own */
  uint32_t calls;
  const char *escaped; /* an output that was written while the stream was held back */
  double slow_ns;      /* what two calls took each, where time would be over before the rest; 0: there is time */
};

/* How many a sample has. */
uint32_t iterations_of(const struct contestant *k, enum timing timing);

/* Those of a turn whose samples are kept. */
struct kept iterations_kept(const struct contestant *k, const struct turn *turn, uint32_t replicas);

/* A slot as its turn says; `iteration` is its context. */
struct slot_request iteration_slot(struct iteration *iteration);

/* The same without a turn, for a capture. */
struct slot_request iteration_capture(struct iteration *iteration, enum timing timing);

#endif
