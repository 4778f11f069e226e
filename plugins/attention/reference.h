/* What is right. */
#ifndef ATTENTION_REFERENCE_H
#define ATTENTION_REFERENCE_H

#include <gpubench/sugar.h>
#include <stdbool.h>

struct shape {
  int64_t heads; /* batch times heads of queries */
  int64_t group; /* of those that share keys and values */
  int64_t s_q;   /* queries of a head, which stand at its last positions */
  int64_t s;     /* keys of a head */
  int64_t d;
  uint32_t dtype; /* GB_DTYPE_*: storage */
  bool causal;
  int64_t window; /* where causal: a query sees the last so many of its keys; 0: all */
};

/* Chosen rows of one head: what they should be is computed into `o`, on all processors. */
struct reference_rows {
  const double *k;      /* [s][d] */
  const double *v;      /* [s][d] */
  const double *q;      /* [rows][d] */
  const int64_t *query; /* [rows] which of the queries */
  double *weights;      /* [rows][s] scratch */
  double *o;            /* [rows][d] */
  int64_t s;
  int64_t before; /* positions before that of query 0 */
  int64_t window; /* as above */
  int32_t d;
  int32_t causal;
  int32_t rows;
};
void attention_reference_rows(struct reference_rows *r);

/* States what the output has to be, in the rows that it chooses. */
gb_status attention_reference(const gb_sdk *sdk, gb_case *c, const struct shape *shape);

#endif
