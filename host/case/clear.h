/* The end of a case. */
#ifndef CASE_CLEAR_H
#define CASE_CLEAR_H

#include "case/case.h"

/* Where a warning that concerns no callback goes; NULL: nowhere. Set once by the worker. */
extern void (*case_warn)(const char *text);

void case_clear(struct gb_case *c); /* frees everything it holds */

#endif
