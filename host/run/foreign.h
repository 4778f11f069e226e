/* Rows of other programs that a run is given. */
#ifndef RUN_FOREIGN_H
#define RUN_FOREIGN_H

#include "record/foreign.h"
#include "record/rundir.h"

/* Puts those that --foreign names into the directory, beside those of a run that was resumed; `given` are gone then. */
int run_foreign_keep(struct foreign_rows *given, struct rundir *dir, struct err *err);

#endif
