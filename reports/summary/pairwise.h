/* Which variants of a bench are faster than which others, over all its cases. No I/O. */
#pragma once

#include "record/run_data.h"
#include "summary/bench.h"

/* The comparison of one variant with another over all cases: in how many cases each verdict was reached. */
struct versus {
  size_t faster, slower, same, undecided;
  double log_ratio; /* sum over these cases of ln(speedup over the other variant) */
};

struct pairwise {
  size_t count;         /* number of variants, which are in the bench's order */
  struct versus *pairs; /* count x count entries: entry a * count + b compares variant a with variant b */
  /* for each entry of `pairs`: true if variant a is faster than variant b in some case and slower in none */
  bool *edges;
  bool *shown;     /* true for edges that do not follow from other edges */
  size_t compared; /* number of pairs with a verdict in at least one case */
  /* number of cases that were compared; if the bench has very many cases, that is an evenly spread part of them */
  size_t cases;
};

/* Compares all pairs. Verdicts against the baseline are taken from the rows. Verdicts between two other variants are
 * computed from the samples by the same rule; a pair without samples has no verdict. */
void pairwise_build(const struct run_data *data, const struct run_bench *bench, struct pairwise *pairwise);
void pairwise_free(struct pairwise *pairwise);

const struct versus *pairwise_pair(const struct pairwise *pairwise, size_t variant, size_t over);
size_t pairwise_cases(const struct versus *versus); /* number of cases with a verdict */
/* Returns the geometric mean of the variant's speedups over the other variant; NaN without cases. */
double pairwise_ratio(const struct versus *versus);

/* Computes the transitive reduction of a graph: keeps all reachability with as few edges as possible. Edges within a
 * cycle all stay. `edges` and `kept` are count x count. */
void pairwise_reduce(const bool *edges, size_t count, bool *kept);
