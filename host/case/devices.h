/* How many devices a case works on. */
#pragma once

#include "case/case.h"

/* Returns the value of the bench's devices_axis, which may be impossible; 1 if it has none. */
int64_t case_devices(const struct gb_case *c);

/* Returns true if there are enough devices. If not, `why` gives the reason. */
bool case_has_devices(const struct gb_case *c, char *why, size_t size);
