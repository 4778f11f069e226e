/* Which variants of a bench beat which, over all its cases. Pure. */
#ifndef SUMMARY_PAIRWISE_H
#define SUMMARY_PAIRWISE_H

#include "record/run_data.h"
#include "summary/bench.h"

/* One variant against another: how many cases say what. */
struct versus {
  size_t faster, slower, same, undecided;
  double log_ratio; /* sum over those cases of ln(how many times faster) */
};

struct pairwise {
  size_t count;         /* variants, as in the bench */
  struct versus *pairs; /* count x count: the row's variant against the column's */
  bool *edges;          /* the row's beats the column's: faster in a case, slower in none */
  bool *shown;          /* the edges that do not follow from others */
  size_t compared;      /* pairs that share a case with a verdict */
  size_t cases;         /* looked at: of very many some, evenly spread */
};

/* Verdicts against the baseline are those of the rows; between others they are made from the samples by the same rule,
 * and without samples there is none. */
void pairwise_build(const struct run_data *data, const struct run_bench *bench, struct pairwise *pairwise);
void pairwise_free(struct pairwise *pairwise);

const struct versus *pairwise_pair(const struct pairwise *pairwise, size_t variant, size_t over);
size_t pairwise_cases(const struct versus *versus); /* with a verdict */
/* Geometric mean of how many times faster; NaN with no case. */
double pairwise_ratio(const struct versus *versus);

/* The transitive reduction: keeps who reaches whom, with as few edges as do it. Edges within a circle all stay. `edges`
 * and `kept` are count x count. */
void pairwise_reduce(const bool *edges, size_t count, bool *kept);

#endif
