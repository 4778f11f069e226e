/* How a kernel is timed. Figures of different modes are never mixed: each has its own rows and tables. Pure. */
#ifndef MODEL_MODE_H
#define MODEL_MODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum timing {
  TIMING_COLD,          /* caches emptied before every sample, isolated launch */
  TIMING_HOT,           /* back to back in a queued batch; a sample is a batch's mean */
  TIMING_GRAPH,         /* the same, captured in a CUDA graph and replayed */
  TIMING_LATENCY,       /* per call, submission to completion as the host sees it */
  TIMING_LATENCY_GRAPH, /* the same, the call replaying a graph of one iteration */
  TIMING_WALL,          /* the host's clock, the whole device synchronised at both edges */
  TIMING_COUNT
};

/* What the device has been doing when a slot is timed. */
enum load {
  LOAD_PLAIN,     /* whatever the rounds lead to */
  LOAD_BURST,     /* the first 10 ms after an idle pause and a ramp */
  LOAD_SUSTAINED, /* after 2 s of the same work */
  LOAD_COUNT
};

enum { ROUNDS_LEAST = 3 }; /* of slots, in whatever mode: fewer are no measurement */

struct mode {
  uint32_t timing, load; /* enum timing, enum load */
};

/* "hot", "hot+sustained". The text is valid for ever. */
const char *mode_name(struct mode mode);
/* False where no mode has that name. */
bool mode_parse(const char *text, struct mode *mode);
/* Appends the modes of "hot,graph"; an unknown one is refused with what there is, exit 2. `what` names the option or
 * key. */
int mode_take(struct strings *list, const char *what, const char *text, struct err *err);

/* Does a sample hold many iterations, so that it needs replicas? */
bool mode_is_batched(struct mode mode);
/* Is a captured graph replayed? */
bool mode_replays(struct mode mode);
/* Either, so that nothing can be done before an iteration but once for all. */
bool mode_is_unbroken(struct mode mode);

/* Is a sample over when the host has seen that the work is? */
bool mode_is_by_host(struct mode mode);

/* Seconds that a slot takes before its first sample counts, and those that its samples take, where a load asks for
 * them; 0: as the measurement decides. */
double mode_lead_s(struct mode mode);
double mode_slot_s(struct mode mode);

#endif
