/* One run's state, shared by the files that carry it from selection to rows, in the order of run.c. */
#ifndef RUN_STATE_H
#define RUN_STATE_H

#include "ask/run_case.h"
#include "device/device.h"
#include "machine/cpu_times.h"
#include "machine/environment.h"
#include "machine/lock.h"
#include "options/options.h"
#include "record/base_run.h"
#include "record/foreign.h"
#include "record/rundir.h"
#include "run/analyse.h"
#include "run/resume.h"

/* One of the run's devices. */
struct run_device {
  char spec[TEXT_SIZE];
  struct device_facts facts; /* once it was opened */
  struct pairs environment;  /* what run.ini keeps of it alone */
  struct err lost;           /* it is of no use, or no more: what is left of the plan does not run there */
};

struct run_state {
  const struct options *options;
  struct selection *selections;
  size_t selection_count;
  struct catalog catalog;
  struct plan plan;
  struct pool pool;
  struct rundir dir;
  struct pairs environment, tags;
  struct run_identity identity;
  struct run_device *devices;
  size_t device_count, device; /* whose turn it is */
  uint32_t *epochs;            /* of each case: the highest number that a process has, on whichever device */
  size_t case_count;           /* how many they are: the plan has as many on each device */
  char spec[TEXT_SIZE], why[EXPR_SIZE + TEXT_SIZE], conditions[2 * TEXT_SIZE], host[TEXT_SIZE];
  double max_time_s;
  double turn_time_s, asked_s;  /* what the device has of it; what the devices before have used */
  int64_t started_ns, asked_ns; /* asked: when the device's yardsticks were done; --max-time counts from there */
  struct cpu_times begun;       /* when the run began */
  bool planned;                 /* stdout has the plan */
  bool talks;                   /* header, plan and yardsticks go to stdout */
  struct launch_floor floors[TIMING_COUNT]; /* the last measured in each mode */
  struct err unwritten;                     /* a slot could not be kept: the run ends */
  bool recorded;                            /* all that there is stands in the files */
  struct resume *resumed;                   /* the run that this one goes on with; owned, or NULL */
  size_t kept_cases;                        /* of it */
  struct foreign_rows foreign;              /* of --foreign; gone when they are kept */
  struct base_run against;                  /* what --against names */
  struct lock lock;
  int refused; /* plugins */
  size_t statuses[ROW_STATUS_COUNT];
  size_t required_skips;
};

/* The one whose turn it is. */
static inline struct run_device *run_device(const struct run_state *run) {
  return &run->devices[run->device];
}

/* run/select.c: selections, and the plugins that they name. */
int run_select(struct run_state *run, struct err *err);

/* run/plan_cases.c: the cases of a device; asks every `supports`. */
int run_plan_cases(struct run_state *run, struct err *err);
struct run_case_settings run_settings(const struct run_state *run, const struct plan_case *plan_case);

/* run/devices.c: which devices there are. From here to run_devices_next() one of them has its turn: the plan is its
 * own, then its lock is held. */
int run_devices_find(struct run_state *run, struct err *err);
int run_devices_plan(struct run_state *run, struct err *err);
int run_devices_lock(struct run_state *run, struct err *err);
int run_devices_next(struct run_state *run, bool *more, struct err *err);
size_t run_devices_usable(const struct run_state *run);
/* What rows have in `devices`. */
const char *run_device_id(const struct device_facts *facts);
/* What run.ini keeps of the device whose turn it is; all that it keeps. */
void run_devices_note(struct run_state *run);
int run_devices_write_ini(struct run_state *run, struct err *err);
void run_devices_free(struct run_state *run);

/* run/roofs.c: takes those that --roofs names, which must be of such a device; writes down those that are known. */
int run_roofs_take(struct run_state *run, struct err *err);
void run_roofs_record(struct run_state *run);

/* run/take_up.c: takes the run of --resume up, and its options with it; whether it may be gone on with; makes its files
 * ready. Notes down what a later --resume needs. */
int run_resume_begin(struct run_state *run, struct options *options, struct err *err);
int run_resume_check(struct run_state *run, struct err *err);
int run_resume_repair(struct run_state *run, struct err *err);
void run_resume_note(struct run_state *run);
void run_resume_free(struct run_state *run);
/* What is there of the case; NULL: this is a new run. */
const struct resume_case *run_resume_case(const struct run_state *run, const struct plan_case *plan_case);
/* Counts the rows that are there, and takes ceilings and floors from them. */
void run_resume_keep(struct run_state *run, const struct plan_case *plan_case, const struct resume_case *kept);

/* run/foreign.c: reads what --foreign names; puts it into the directory. */
int run_foreign_load(struct run_state *run, struct err *err);
int run_foreign_keep(struct run_state *run, struct err *err);

/* run/against.c: reads what --against names, before anything else is done; sees that it has something of the plan;
 * finds `last`, once no other run is under way. Notes down which run it is. */
int run_against_load(struct run_state *run, struct err *err);
int run_against_check(struct run_state *run, struct err *err);
int run_against_last(struct run_state *run, struct err *err);
void run_against_note(struct run_state *run);

/* run/take_lock.c */
int run_take_lock(struct run_state *run, struct err *err);

/* run/announce.c: what stdout shows before the tables; of each device when its turn comes. */
void run_print_header(const struct run_state *run);
void run_print_device(const struct run_state *run);
void run_print_yardsticks(const struct run_state *run);
void run_print_plan(const struct run_state *run);
void run_print_cases(const struct run_state *run);

#endif
