/* The variant by which the speedup of another one is divided. The functions do no I/O and use no global state.
 *
 * With two builds of a plugin, the denominator of a variant is its twin: the same variant of the first build. All
 * others share one: a variant that was named by the user, or one that the bench marks as a baseline. Of several named
 * ones it is the fastest in each case, by the medians of rounds that no ratio uses (stats/fastest.h). Of a bench's own
 * baselines it is the first that was timed, even if another is faster. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct denominator {
  /* rank of the variant as a denominator of others, counted from 1; candidates of rank 1 come first, and among those of
   * equal rank the fastest is taken. 0: the variant is no candidate */
  uint32_t common;
  uint32_t twin; /* 1 + the index of its twin, the same variant of the first build; 0: none */
};

/* Returns true if variant `i` may be the denominator of `of`. */
bool denominator_serves(const struct denominator *candidate, size_t i, const struct denominator *of);

/* Returns the index of variant `j`'s denominator, or SIZE_MAX if there is none or its twin is not among the variants.
 * `medians`: the median time of each variant, NaN if its status is not ok. If all candidates have NaN, the first of
 * them is returned, and there is no ratio. */
size_t denominator_of(const struct denominator *all, const double *medians, size_t count, size_t j);

/* Returns true if the denominator of variant `j` is the fastest of several candidates, so that it is known only from
 * their times. */
bool denominator_is_chosen(const struct denominator *all, size_t count, size_t j);
