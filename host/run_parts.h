/* One run's state, shared by the files that carry it from the command line to the report: run_plan.c, run_announce.c,
 * run.c. */
#ifndef RUN_PARTS_H
#define RUN_PARTS_H

#include "analyse.h"
#include "rundir.h"

struct run {
  const struct options *options;
  struct selection *selections;
  size_t selection_count;
  struct catalog catalog;
  struct plan plan;
  struct crew crew;
  struct rundir dir;
  struct pairs environment, tags;
  struct run_identity identity;
  char spec[TEXT_SIZE], why[TEXT_SIZE], conditions[2 * TEXT_SIZE], host[TEXT_SIZE];
  double max_time_s;
  int64_t started_ns, asked_ns; /* asked: when the yardsticks were done; --max-time counts from there */
  bool talks;                   /* header, plan and yardsticks go to stdout */
  struct err lost;              /* the device is of no more use: what is left of the plan does not run */
  int refused;                  /* plugins */
  size_t statuses[ROW_STATUS_COUNT];
  size_t required_skips;
};

/* run_plan.c: selections, plugins, device, cases; asks every `supports`. */
int run_make_plan(struct run *run, struct err *err);
struct conduct_settings run_settings(const struct run *run, const struct plan_case *plan_case);

/* run_announce.c: what stdout shows before the tables. */
void run_print_header(const struct run *run);
void run_print_yardsticks(const struct run *run);
void run_print_plan(const struct run *run);
void run_print_cases(const struct run *run);

#endif
