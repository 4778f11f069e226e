/* The worker's side of cases that are ordered (model/order.h): what it says before it waits, and what it takes over
 * from the others with an order. */
#ifndef MEASURE_ORDERS_H
#define MEASURE_ORDERS_H

#include "measure/measurement.h"
#include "model/order.h"

/* Returns whether this process measures the case in turn with others. */
bool orders_given(const struct measurement *m);

/* These wait, with nothing left to do on the device. The time until the order does not count as the case's. -1: the
 * device failed. */
int orders_sizes(struct measurement *m, double *fastest_ns, double *slowest_ns, struct err *err);
int orders_level(struct measurement *m, uint32_t *slot_least, struct err *err);
int orders_slot(struct measurement *m, struct order_message *order, struct err *err);

#endif
