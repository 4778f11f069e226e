/* Where a measurement says what it finds, as it finds it. */
#ifndef MEASURE_SINK_H
#define MEASURE_SINK_H

#include "model/order.h"

struct measure_sink {
  void *user;
  void (*report)(void *user, const struct variant_report *report);
  /* All that there is to say of the case is said, before it is taken down; may be NULL. */
  void (*whole)(void *user, const struct case_report *report);
  /* A slot's samples, in one or more portions of at most SLOT_SAMPLES_MAX. */
  void (*slot)(void *user, uint32_t variant, uint32_t round, const struct slot_state *state, const double *ns,
               uint32_t count);
  /* What a variant's metrics came to, and its spans; may be NULL. */
  void (*metrics)(void *user, uint32_t variant, const struct metric_result *results, uint32_t count);
  void (*timeline)(void *user, uint32_t variant, const struct timeline *timeline);
  /* Says that a case that is ordered is ready, and waits for the order. NULL: none is ordered. */
  void (*await)(void *user, const struct ready_message *ready, struct order_message *order);
  void (*mark)(void *user, const struct mark_message *mark); /* at once; NULL: nobody has a clock of its own */
  /* At once: a callback outside the time begins, or is done. May be NULL. */
  void (*untimed)(void *user, const struct untimed_message *message);
};

#endif
