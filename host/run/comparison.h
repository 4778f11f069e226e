/* What a run is compared with: read before anything is measured, so that a slip costs nothing. */
#ifndef RUN_COMPARISON_H
#define RUN_COMPARISON_H

#include "record/base_run.h"
#include "record/foreign.h"

struct comparison {
  struct base_run against;     /* what --against names */
  struct foreign_rows foreign; /* of --foreign; gone when they are kept */
};

#endif
