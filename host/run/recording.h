/* Keeps the results of a run as they become known: slots, rows, and counts by status. */
#pragma once

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
  uint32_t *epochs;       /* by case: the highest number of a process, on any device */
  size_t case_count;      /* cases of the plan, the same number on each device */
  struct err unwritten;   /* why a slot could not be kept: the run ends */
  struct resume *resumed; /* the run that this one continues; owned, or NULL */
  size_t kept_cases;      /* complete cases of that run */
  size_t rows;            /* rows written by this run, with those of yardsticks */
  size_t statuses[ROW_STATUS_COUNT];
  char first_not_ok[MSG_SIZE]; /* message of the first row that is not ok */
  size_t required_skips;
  size_t unfound; /* rows with a failure among others for whose cause there was no time */
  bool changed;   /* the files were changed after they were written */
  bool done;      /* the files are complete */
};

/* Writes a slot of the case with this index at once. */
void recording_add_slot(struct recording *r, const struct plan_case *plan_case, size_t index, size_t variant,
                        const struct slot *slot);

/* Writes the rows of a finished case. */
int recording_add(struct recording *r, const struct record *records, const struct case_result *result, struct err *err);

/* Counts a row that was asked for. */
void recording_count(struct recording *r, const struct plan_variant *variant, enum row_status status,
                     const char *message);

/* Counts rows of the earlier run, and takes its ceilings and launch overheads. */
void recording_keep(struct recording *r, const struct plan_case *plan_case, const size_t *rows,
                    struct launch_floor floors[TIMING_COUNT]);

/* Frees everything except `resumed`. */
void recording_free(struct recording *r);
