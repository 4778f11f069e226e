/* Stores the results of a run on disk as they become known: slots (consecutive samples of one variant) and rows. Counts
 * the rows by status. */
#pragma once

#include "analyse/analyse.h"
#include "device/device.h"
#include "plan/plan.h"
#include "record/rundir.h"
#include "resume/resume.h"

struct recording {
  struct rundir dir;
  struct pairs environment, tags; /* the sections [environment] and [tags] of run.ini */
  struct run_identity identity;
  char host[TEXT_SIZE];
  uint32_t *epochs;       /* for each case, the highest number of a process that measured it, on any device */
  size_t case_count;      /* number of cases in the plan, which is the same on each device */
  struct err unwritten;   /* why a slot could not be written, which ends the run */
  struct resume *resumed; /* the run that this one continues; owned, or NULL */
  size_t kept_cases;      /* number of cases that were already complete in the resumed run */
  size_t rows;            /* number of rows that this run has written, including those of cases that measure ceilings */
  size_t statuses[ROW_STATUS_COUNT];
  char first_not_ok[MSG_SIZE]; /* message of the first row that is not ok */
  size_t required_skips;
  /* number of rows whose variant failed in a process with other variants, and for which there was no time to find out
   * which of these caused the failure */
  size_t unfound;
  bool changed; /* true if something changed the files after they were written */
  bool done;    /* true if the files are complete */
};

/* Writes a slot of the case with this index to the disk at once. */
void recording_add_slot(struct recording *r, const struct plan_case *plan_case, size_t index, size_t variant,
                        const struct slot *slot);

/* Writes the rows of a finished case. */
int recording_add(struct recording *r, const struct record *records, const struct case_result *result, struct err *err);

/* Counts a row of a case that the user asked for. Rows of cases that measure ceilings are not counted. */
void recording_count(struct recording *r, const struct plan_variant *variant, enum row_status status,
                     const char *message);

/* Counts the rows that the resumed run has for a case. If the case measures a ceiling (a highest rate of the device),
 * takes the ceiling from them. Takes the launch overhead too, into `overheads`. */
void recording_keep(struct recording *r, const struct plan_case *plan_case, const size_t *rows,
                    struct mode_overhead overheads[TIMING_COUNT]);

/* Frees everything except `resumed`. */
void recording_free(struct recording *r);
