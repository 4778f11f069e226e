/* Which variants of a bench beat which, over all its cases. Pure. */
#pragma once

#include "record/run_data.h"
#include "summary/bench.h"

/* One variant against another: the number of cases by verdict. */
struct versus {
  size_t faster, slower, same, undecided;
  double log_ratio; /* sum over those cases of the logarithm of how many times faster it is */
};

struct pairwise {
  size_t count;         /* number of variants, in the bench's order */
  struct versus *pairs; /* count x count: the row's variant against the column's */
  bool *edges;          /* the row's variant beats the column's: faster in some case, slower in none */
  bool *shown;          /* edges that do not follow from others */
  size_t compared;      /* pairs with a verdict in at least one common case */
  size_t cases;         /* cases that were used: of very many, an evenly spread part */
};

/* Verdicts against the baseline are those of the rows. Between other variants the same rule makes them from the
 * samples; without samples there are none. */
void pairwise_build(const struct run_data *data, const struct run_bench *bench, struct pairwise *pairwise);
void pairwise_free(struct pairwise *pairwise);

const struct versus *pairwise_pair(const struct pairwise *pairwise, size_t variant, size_t over);
size_t pairwise_cases(const struct versus *versus); /* number of cases with a verdict */
/* Returns the geometric mean of how many times faster it is; NaN without cases. */
double pairwise_ratio(const struct versus *versus);

/* The transitive reduction: keeps all reachability with as few edges as possible. Edges within a cycle all stay.
 * `edges` and `kept` are count x count. */
void pairwise_reduce(const bool *edges, size_t count, bool *kept);
