/* How many devices a case works on. */
#ifndef CASE_DEVICES_H
#define CASE_DEVICES_H

#include "case/case.h"

/* The value of its bench's devices_axis, which need not be possible; 1 where it has none. */
int64_t case_devices(const struct gb_case *c);

/* Are there as many? Otherwise `why` says what is wrong. */
bool case_has_devices(const struct gb_case *c, char *why, size_t size);

#endif
