/* Ends a case. */
#ifndef CASE_CLEAR_H
#define CASE_CLEAR_H

#include "case/case.h"

void case_clear(struct gb_case *c); /* frees all that the case holds and zeroes it */

#endif
