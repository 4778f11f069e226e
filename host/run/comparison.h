/* What a run is compared with: another run (--against), and rows of other programs (--foreign). A base is found and
 * read before anything is measured, and kept in memory, so that a slip costs nothing and what is removed meanwhile is
 * still there. */
#ifndef RUN_COMPARISON_H
#define RUN_COMPARISON_H

#include "plan/plan.h"
#include "record/find.h"
#include "record/foreign.h"
#include "record/rundir.h"
#include "run/recording.h"

struct comparison {
  struct base_run against;     /* what --against names */
  struct foreign_rows foreign; /* of --foreign; gone when they are kept */
};

/* Reads what --against names, `what`, or with NULL what a run that is gone on with was compared with. */
int run_against_load(struct base_run *base, const char *what, const struct recording *recording, struct err *err);
/* Sees that it has something of the plan on this device. */
int run_against_check(struct base_run *base, const struct plan *plan, const char *device,
                      const struct recording *recording, struct err *err);
/* Finds `last`, once no other run is under way. */
int run_against_last(struct base_run *base, const char *what, const struct plan *plan, const char *device,
                     const struct recording *recording, struct err *err);
/* Notes down which run it is; what was found of a run that is gone on with no longer holds. */
void run_against_note(const struct base_run *base, struct recording *recording);

/* Puts those that --foreign names into the directory, beside those of a run that was resumed; `given` are gone then. */
int run_foreign_keep(struct foreign_rows *given, struct rundir *dir, struct err *err);

#endif
