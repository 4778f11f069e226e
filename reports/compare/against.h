/* What is kept of a comparison with the run: record/against.h, as facts and sentences. */
#ifndef COMPARE_AGAINST_H
#define COMPARE_AGAINST_H

#include "compare/compare.h"
#include "record/against.h"

/* Of one of the runs that were compared. `asked`: what the user called the base. */
struct against *against_make(const struct compare *compare, size_t run, const char *asked);

#endif
