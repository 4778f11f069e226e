/* The reference of "backward". */
#ifndef ATTENTION_BACKWARD_REFERENCE_H
#define ATTENTION_BACKWARD_REFERENCE_H

#include "reference.h"

/* Tells the host the expected values of the three gradients, in rows that this function chooses. */
gb_status attention_backward_reference(const gb_sdk *sdk, gb_case *c, const struct shape *shape);

#endif
