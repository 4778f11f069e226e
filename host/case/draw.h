/* Random numbers that no plugin can predict: nothing within a plugin's reach determines them before they are drawn. */
#pragma once

#include "case/case.h"

/* Returns a new number from the kernel. Ends the process if the kernel gives none. On a scripted device, whose runs
 * must repeat, the number follows from the case's secret. */
uint64_t case_draw(struct gb_case *c);
