/* What is right in "backward". */
#ifndef ATTENTION_BACKWARD_REFERENCE_H
#define ATTENTION_BACKWARD_REFERENCE_H

#include "reference.h"

/* States what the three gradients have to be, in the rows that it chooses. */
gb_status attention_backward_reference(const gb_sdk *sdk, gb_case *c, const struct shape *shape);

#endif
