/* The denominator of a variant: the variant that its speedup is relative to. The functions do no I/O and use no global
 * state.
 *
 * If a run compares two builds of a plugin, the denominator of a variant of the second build is its twin: the same
 * variant of the first build. All variants without a twin share one denominator: a variant that the user named, or one
 * that the bench marks as a baseline. If the user named several variants, the fastest of them is taken in each case.
 * The medians of the first rounds decide which one is the fastest; the times of these rounds are then not used for
 * ratios (stats/fastest.h). If the bench marks several variants, the first one that was timed is taken, even if another
 * is faster. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct denominator {
  /* rank of the variant among the candidates for the common denominator; 0: it is no candidate. A candidate of rank 1
   * goes before one of rank 2. Of several with the same rank the fastest is taken */
  uint32_t common;
  uint32_t twin; /* 1 + the index of its twin, the same variant of the first build; 0: none */
};

/* Returns true if variant `i` (with the entry `candidate`) may be the denominator of the variant with the entry
 * `of`. */
bool denominator_serves(const struct denominator *candidate, size_t i, const struct denominator *of);

/* Returns the index of variant `j`'s denominator; SIZE_MAX if it has none or its twin is not among the variants.
 * `medians`: the median time of each variant, NaN if its status is not ok. If no candidate has a median, returns the
 * first candidate; there is no ratio then. */
size_t denominator_of(const struct denominator *all, const double *medians, size_t count, size_t j);

/* Returns true if the denominator of variant `j` is the fastest of several candidates. Which one that is, is known only
 * after they were timed. */
bool denominator_is_chosen(const struct denominator *all, size_t count, size_t j);
