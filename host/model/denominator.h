/* What the speedup of a variant divides by. Pure.
 *
 * Where two builds of a plugin run, a variant's denominator is the same variant of the first build, its twin. All
 * others share one: what was named, or what the bench calls its baselines. Of several that were named it is the fastest
 * in each case, by the medians of rounds of which no ratio is made (stats/fastest.h); of a bench's own it is the first
 * that was timed, whichever is faster. */
#ifndef MODEL_DENOMINATOR_H
#define MODEL_DENOMINATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct denominator {
  uint32_t common; /* 0: no; else its rank among those that all without a twin are compared with, from 1; of one rank
                      the fastest */
  uint32_t twin;   /* 1 + the index of the variant that this one is compared with, itself in the first build; 0: none */
};

/* May variant `i` be what `of` is divided by? */
bool denominator_serves(const struct denominator *candidate, size_t i, const struct denominator *of);

/* The denominator of variant `j`: SIZE_MAX where there is none, or where its twin is not among them. A median that is
 * NaN belongs to a variant that is not ok; when no candidate has another, it is the first of them, and there is no
 * ratio. */
size_t denominator_of(const struct denominator *all, const double *medians, size_t count, size_t j);

/* Is that of variant `j` chosen among several by their times? */
bool denominator_is_chosen(const struct denominator *all, size_t count, size_t j);

#endif
