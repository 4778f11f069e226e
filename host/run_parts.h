/* One run's state, shared by the files that carry it from the command line to the report: run_plan.c, run_announce.c,
 * run.c. */
#ifndef RUN_PARTS_H
#define RUN_PARTS_H

#include "analyse.h"
#include "lock.h"
#include "resume.h"
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
  int64_t started_ns, asked_ns;      /* asked: when the yardsticks were done; --max-time counts from there */
  bool talks;                        /* header, plan and yardsticks go to stdout */
  struct floor floors[TIMING_COUNT]; /* the last measured in each mode */
  struct err lost;                   /* the device is of no more use: what is left of the plan does not run */
  struct err unwritten;              /* a slot could not be kept: the run ends */
  bool recorded;                     /* all that there is stands in the files */
  struct resume *resumed;            /* the run that this one goes on with; owned, or NULL */
  size_t kept_cases;                 /* of it */
  struct lock lock;
  int refused; /* plugins */
  size_t statuses[ROW_STATUS_COUNT];
  size_t required_skips;
};

/* run_plan.c: selections, plugins, device, cases; asks every `supports`. */
int run_make_plan(struct run *run, struct err *err);
struct conduct_settings run_settings(const struct run *run, const struct plan_case *plan_case);

/* run_roofs.c: takes those that --roofs names, which must be of such a device; writes down those that are known. */
int run_roofs_take(struct run *run, struct err *err);
void run_roofs_record(struct run *run);

/* run_resume.c: takes the run of --resume up, and its options with it; whether it may be gone on with; makes its files
 * ready. Notes down what a later --resume needs. */
int run_resume_begin(struct run *run, struct options *options, struct err *err);
int run_resume_check(struct run *run, struct err *err);
int run_resume_repair(struct run *run, struct err *err);
void run_resume_note(struct run *run);
void run_resume_free(struct run *run);
/* What is there of the case; NULL: this is a new run. */
const struct resume_case *run_resume_case(const struct run *run, const struct plan_case *plan_case);
/* Counts the rows that are there, and takes ceilings and floors from them. */
void run_resume_keep(struct run *run, const struct plan_case *plan_case, const struct resume_case *kept);

/* run_lock.c */
int run_take_lock(struct run *run, struct err *err);

/* run_announce.c: what stdout shows before the tables. */
void run_print_header(const struct run *run);
void run_print_yardsticks(const struct run *run);
void run_print_plan(const struct run *run);
void run_print_cases(const struct run *run);

#endif
