/* Random numbers that nothing in a plugin's reach returns or determines before they are drawn. */
#ifndef CASE_DRAW_H
#define CASE_DRAW_H

#include "case/case.h"

/* A new one, from the kernel at this moment; a kernel that gives none ends the process. On a scripted device, where
 * runs are to repeat, it follows from the case's secret. */
uint64_t case_draw(struct gb_case *c);

#endif
