/* The functions to which a measurement passes its results as soon as they are known. */
#pragma once

#include "model/order.h"

struct measure_sink {
  void *user;
  /* Takes a variant's final report. */
  void (*report)(void *user, const struct variant_report *report);
  /* Takes the complete report of the case, before the case is taken down; may be NULL. */
  void (*whole)(void *user, const struct case_report *report);
  /* Takes the samples of a slot, in one or more portions of at most SLOT_SAMPLES_MAX. */
  void (*slot)(void *user, uint32_t variant, uint32_t round, const struct slot_state *state, const double *ns,
               uint32_t count);
  /* Take the results of a variant's metrics, and the spans of its timeline; may be NULL. */
  void (*metrics)(void *user, uint32_t variant, const struct metric_result *results, uint32_t count);
  void (*timeline)(void *user, uint32_t variant, const struct timeline *timeline);
  /* For cases that several processes measure in turn: tells the parent that this process is ready for its next step,
   * and waits for the parent's order. NULL: this process measures without orders. */
  void (*await)(void *user, const struct ready_message *ready, struct order_message *order);
  /* Tells the parent at once that a batch of iterations begins or ends, so that the parent can time the batch by its
   * own clock. NULL: batches are not timed by the parent. */
  void (*mark)(void *user, const struct mark_message *mark);
  /* Tells the parent at once that a callback outside the measured time begins or ends. May be NULL. */
  void (*untimed)(void *user, const struct untimed_message *message);
};
