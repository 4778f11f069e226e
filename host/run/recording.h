/* What a run keeps, as it becomes known: slots, rows, and how many ended how. */
#ifndef RUN_RECORDING_H
#define RUN_RECORDING_H

#include "analyse/analyse.h"
#include "device/device.h"
#include "plan/plan.h"
#include "record/rundir.h"
#include "resume/resume_read.h"

struct recording {
  struct rundir dir;
  struct pairs environment, tags; /* of run.ini */
  struct run_identity identity;
  char host[TEXT_SIZE];
  uint32_t *epochs;       /* of each case: the highest number that a process has, on whichever device */
  size_t case_count;      /* how many they are: the plan has as many on each device */
  struct err unwritten;   /* a slot could not be kept: the run ends */
  struct resume *resumed; /* the run that this one goes on with; owned, or NULL */
  size_t kept_cases;      /* of it */
  size_t rows;            /* written by this run, yardsticks' too */
  size_t statuses[ROW_STATUS_COUNT];
  char first_not_ok[MSG_SIZE]; /* what was said of the first row that is not */
  size_t required_skips;
  size_t unfound; /* rows that something was wrong with in company, and no time to find the cause */
  bool changed;   /* the files are no longer what was written to them */
  bool done;      /* all that there is stands in the files */
};

/* A slot of the case with this index, at once. */
void recording_add_slot(struct recording *r, const struct plan_case *plan_case, size_t index, size_t variant,
                        const struct slot *slot);

/* The rows of a case that is over. */
int recording_add(struct recording *r, const struct record *records, const struct case_result *result, struct err *err);

/* Counts a row that was asked for. */
void recording_count(struct recording *r, const struct plan_variant *variant, enum row_status status,
                     const char *message);

/* Counts rows of the former run, and takes ceilings and floors from them. */
void recording_keep(struct recording *r, const struct plan_case *plan_case, const size_t *rows,
                    struct launch_floor floors[TIMING_COUNT]);

/* But for the former run. */
void recording_free(struct recording *r);

#endif
