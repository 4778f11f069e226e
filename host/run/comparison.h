/* The baseline run (--against) and the rows of other programs (--foreign) that a run is compared with. The baseline run
 * is read before anything is measured, and kept in memory: so a wrong name is reported before time is spent, and the
 * baseline run may be deleted meanwhile. */
#pragma once

#include "plan/plan.h"
#include "record/find.h"
#include "record/foreign.h"
#include "record/rundir.h"
#include "run/recording.h"

struct comparison {
  struct base_run against;     /* the run named by --against */
  struct foreign_rows foreign; /* rows from --foreign; empty once they are written to the run directory */
};

/* Reads the run that --against names (`what`). NULL: the run that the resumed run was compared with. */
int run_against_load(struct base_run *base, const char *what, const struct recording *recording, struct err *err);
/* Checks that the baseline run (--against) has rows for cases of the plan on this device. */
int run_against_check(struct base_run *base, const struct plan *plan, const char *device,
                      const struct recording *recording, struct err *err);
/* Finds the baseline run if --against is `last`. Call it when this run has the lock of its device, so that no other run
 * is being written. */
int run_against_last(struct base_run *base, const char *what, const struct plan *plan, const char *device,
                     const struct recording *recording, struct err *err);
/* Notes in run.ini which run the baseline run is. Removes the comparison that a resumed run has in its directory. */
void run_against_note(const struct base_run *base, struct recording *recording);

/* Writes the rows of --foreign into the directory, together with those that a resumed run has there. Empties
 * `given`. */
int run_foreign_keep(struct foreign_rows *given, struct rundir *dir, struct err *err);
