/* Modes: how a kernel is timed. Results of different modes are never mixed: each has its own rows and tables. The
 * functions do no I/O and use no global state. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum timing {
  TIMING_COLD,          /* caches flushed before every sample, isolated launch */
  TIMING_HOT,           /* back to back in a queued batch; a sample is the batch's mean */
  TIMING_GRAPH,         /* like hot, but captured in a CUDA graph and replayed */
  TIMING_LATENCY,       /* one call, from submission to completion as the host sees it */
  TIMING_LATENCY_GRAPH, /* like latency, but the call replays a graph of one iteration */
  TIMING_WALL,          /* the host's clock; the whole device is synchronised before it starts and before it stops */
  TIMING_COUNT
};

/* State of the device when a slot (a series of samples of one variant) is timed. */
enum load {
  LOAD_PLAIN,     /* no load is added: the device is in the state in which earlier slots left it */
  LOAD_BURST,     /* the slot lasts 10 ms and comes after an idle pause and 1 ms of the same work */
  LOAD_SUSTAINED, /* the slot comes after 2 s of the same work */
  LOAD_COUNT
};

enum { ROUNDS_LEAST = 3 }; /* a case needs this many rounds, in each of which all variants are sampled */

struct mode {
  uint32_t timing, load; /* enum timing, enum load */
};

/* Returns "hot", "hot+sustained", ...; a static string. */
const char *mode_name(struct mode mode);
/* Finds the mode with the name `text`. Returns false if there is none. */
bool mode_parse(const char *text, struct mode *mode);
/* Parses a list of modes such as "hot,graph" and appends them to `list`. An unknown mode is an error with exit code 2
 * that names the known ones. `what` says in messages which option or key the list comes from. */
int mode_take(struct strings *list, const char *what, const char *text, struct err *err);

/* Returns true if a sample is the mean of a batch of iterations (replicas). */
bool mode_is_batched(struct mode mode);
/* Returns true if a sample replays a captured graph. */
bool mode_replays(struct mode mode);
/* Returns true if mode_is_batched() or mode_replays(): then nothing can be done between the iterations of a sample. */
bool mode_is_unbroken(struct mode mode);

/* Returns true if a sample ends when the host sees that the work is done. */
bool mode_is_by_host(struct mode mode);

/* mode_lead_s() returns how many seconds the mode's load (a pause and work) takes before the first sample of a slot (a
 * series of samples of one variant). mode_slot_s() returns how many seconds the samples of a slot take. Both return 0
 * if the mode does not fix that time. */
double mode_lead_s(struct mode mode);
double mode_slot_s(struct mode mode);
