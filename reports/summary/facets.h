/* How cases lie on axes: the one axis of numbers that a chart's x shows, and the sets of cases that differ in nothing
 * else. Pure. */
#ifndef SUMMARY_FACETS_H
#define SUMMARY_FACETS_H

#include "summary/bench.h"

struct facet {
  const struct run_case **cases; /* in the order of x, or of the bench */
  double *x;                     /* NULL: categories */
  size_t count;
  char label[EXPR_SIZE]; /* of the axes that vary beside x: "dtype=bf16"; empty where none does */
};

struct facets {
  struct facet *items;
  size_t count;
  const char *axis; /* that x shows, or NULL */
};

/* At most `most` facets, and several only where that leaves something to see in each; else one, by categories. */
void facets_build(const struct run_bench *bench, size_t most, struct facets *facets);
void facets_free(struct facets *facets);

#endif
