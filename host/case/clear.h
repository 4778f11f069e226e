/* Ends a case. */
#pragma once

#include "case/case.h"

void case_clear(struct gb_case *c); /* frees all that the case holds and zeroes it */
