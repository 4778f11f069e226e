/* The reference of "backward". */
#ifndef ATTENTION_BACKWARD_REFERENCE_H
#define ATTENTION_BACKWARD_REFERENCE_H

#include "reference.h"

/* Passes the expected values of the three gradients to gpubench, for rows that this function chooses. */
gb_status attention_backward_reference(const gb_sdk *sdk, gb_case *c, const struct shape *shape);

#endif
