/* Receives the results of a measurement as they are known. */
#pragma once

#include "model/order.h"

struct measure_sink {
  void *user;
  /* A variant's final report. */
  void (*report)(void *user, const struct variant_report *report);
  /* The case's report, complete, before the case is taken down; may be NULL. */
  void (*whole)(void *user, const struct case_report *report);
  /* The samples of a slot, in one or more portions of at most SLOT_SAMPLES_MAX. */
  void (*slot)(void *user, uint32_t variant, uint32_t round, const struct slot_state *state, const double *ns,
               uint32_t count);
  /* The values of a variant's metrics, and its spans; may be NULL. */
  void (*metrics)(void *user, uint32_t variant, const struct metric_result *results, uint32_t count);
  void (*timeline)(void *user, uint32_t variant, const struct timeline *timeline);
  /* Says that an ordered case is ready, and waits for the order. NULL: cases are not ordered. */
  void (*await)(void *user, const struct ready_message *ready, struct order_message *order);
  /* Sends a mark of the outside clock at once. NULL: there is no outside clock. */
  void (*mark)(void *user, const struct mark_message *mark);
  /* Says at once that an untimed callback begins or ends. May be NULL. */
  void (*untimed)(void *user, const struct untimed_message *message);
};
