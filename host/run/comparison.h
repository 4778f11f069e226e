/* The baseline run (--against) and the rows of other programs (--foreign) that a run is compared with. The baseline run
 * is found and read before anything is measured, and kept in memory: a mistake costs no time, and its removal meanwhile
 * does no harm. */
#pragma once

#include "plan/plan.h"
#include "record/find.h"
#include "record/foreign.h"
#include "record/rundir.h"
#include "run/recording.h"

struct comparison {
  struct base_run against;     /* the run named by --against */
  struct foreign_rows foreign; /* from --foreign; empty once they are kept */
};

/* Reads the run named by --against, `what`; NULL: the run that a resumed run was compared with. */
int run_against_load(struct base_run *base, const char *what, const struct recording *recording, struct err *err);
/* Checks that it has rows of the plan on this device. */
int run_against_check(struct base_run *base, const struct plan *plan, const char *device,
                      const struct recording *recording, struct err *err);
/* Finds `last`, once no other run is running. */
int run_against_last(struct base_run *base, const char *what, const struct plan *plan, const char *device,
                     const struct recording *recording, struct err *err);
/* Notes which run it is. An old comparison of a resumed run is removed. */
void run_against_note(const struct base_run *base, struct recording *recording);

/* Writes the rows of --foreign into the directory, together with those of a resumed run. Empties `given`. */
int run_foreign_keep(struct foreign_rows *given, struct rundir *dir, struct err *err);
