/* Learns which tensors and how much work a bench declares for a case, by calling its `setup` in a worker. No tensor is
 * allocated and no variant is called. */
#pragma once

#include "case/case.h"
#include "model/message.h"

/* Sets the case up by the bench's `setup`, passes each declared tensor to the sink and takes the case down. Fills in
 * only the declared work and `tensor_bytes` of the report. -1 with exit code 3 and the bench's reason: the bench does
 * not support the case's parameters, or its `setup` failed. */
int declare_case(struct gb_case *c, void (*sink)(const struct tensor_desc *tensor), struct case_report *report,
                 struct err *err);

/* Writes what `setup` declared into the report. */
void declare_note(const struct gb_case *c, struct case_report *report);
