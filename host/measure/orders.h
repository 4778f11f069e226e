/* The worker's side of ordered cases, which several processes measure in turn (model/order.h). Before its turn a
 * process sends a message and waits; the parent's order says what it does next. */
#pragma once

#include "measure/measurement.h"
#include "model/order.h"

/* Returns true if this process measures the case in turn with others. */
bool orders_given(const struct measurement *m);

/* These functions wait until the device has finished all work, and then for an order of the parent. The order tells
 * orders_sizes() from which times to compute the sizes of batches, orders_level() the smallest number of samples per
 * slot, and orders_slot() the next slot. The waiting time does not count as time of the case. -1: the device failed. */
int orders_sizes(struct measurement *m, double *fastest_ns, double *slowest_ns, struct err *err);
int orders_level(struct measurement *m, uint32_t *slot_least, struct err *err);
int orders_slot(struct measurement *m, struct order_message *order, struct err *err);
