/* Words of a comparison that may be chance among so many. Pure. */
#ifndef COMPARE_MANY_H
#define COMPARE_MANY_H

#include "compare/compare.h"

/* The words of a bench and mode in a run share an error, as in a run's own report (summary/words.h): what is lost among
 * them is undecided. It comes last and takes away no more than a word: whether a cell is judged, and whether it is a
 * regression, is settled, for a gate that is asked about more rows must not miss more. */
void many_settle(struct compare *compare);

#endif
