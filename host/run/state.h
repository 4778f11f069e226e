/* The state of one run, from the user's selections to the rows of results.csv. The files of this folder share it; run.c
 * shows in which order they are used. */
#pragma once

#include "budget/time_budget.h"
#include "ceilings/yardsticks.h"
#include "machine/cpu_times.h"
#include "run/comparison.h"
#include "run/devices.h"
#include "run/isolate.h"
#include "run/planning.h"
#include "run/progress.h"
#include "run/recording.h"

struct run_state {
  const struct options *options;
  struct run_isolation isolation;
  struct planning planning;
  struct run_devices devices;
  struct recording recording;
  struct comparison comparison;
  struct progress *progress;
  struct yardsticks yardsticks;
  struct time_budget budget;
  struct cpu_times begun; /* processor times of the machine when the run began */
  bool talks;             /* true if header, plan and ceilings are printed to stdout */
  bool planned;           /* true once the plan was printed */
};
