/* Prints lines to stdout before the results of a device, when its measurement begins. */
#pragma once

#include "budget/time_budget.h"
#include "record/find.h"
#include "run/devices.h"
#include "run/isolate.h"
#include "run/planning.h"

void announce_header(const struct planning *planning, const struct run_devices *devices);
/* Prints the lines about the present device and its conditions, and about the baseline run unless these were printed
 * with an earlier device (`planned`). */
void announce_device(const struct run_devices *devices, const struct base_run *against, bool planned, bool color);
void announce_yardsticks(const struct yardsticks *yardsticks, const struct ceilings *ceilings,
                         const struct pairs *device);
void announce_plan(const struct planning *planning, const struct time_budget *budget,
                   const struct run_isolation *isolation);
void announce_cases(const struct plan *plan, const struct resume *former);
/* Called at the end of the run. Prints to stderr for each part of the run, such as planning, the expected seconds that
 * the plan announced and the seconds that the part took. */
void announce_pieces(const struct time_budget *budget);
