/* Describes a slot (consecutive samples of one variant) to a device, as functions that the device calls: they run an
 * iteration of the variant, or change its tensors between iterations. */
#pragma once

#include "measure/slot_task.h"

/* The context of the functions that a device calls during a slot. `status` is what the variant's last callback
 * returned, for call_end(). */
struct iteration {
  struct contestant *k;
  struct slot_task *task; /* NULL while iterations are captured into a graph */
  gb_status status;
  struct err err; /* an error of the host's own code */
  uint32_t calls;
  const char *escaped; /* name of an output that was written while the stream was held back; NULL: none */
  /* 0, unless calls are too slow for the time left, in which ROUNDS_LEAST rounds must fit. Then the slot ends, and this
   * is the time in ns of the faster of the last two calls. */
  double slow_ns;
};

/* Returns the number of iterations in a sample. */
uint32_t iterations_of(const struct contestant *k, enum timing timing);

/* Returns the iterations whose samples are kept. */
struct kept iterations_kept(const struct contestant *k, const struct slot_task *task, uint32_t replicas);

/* Builds the slot that `iteration->task` asks for, with `iteration` as its context. */
struct slot_request iteration_slot(struct iteration *iteration);

/* Builds a request for a capture, where `iteration->task` is NULL. */
struct slot_request iteration_capture(struct iteration *iteration, enum timing timing);
