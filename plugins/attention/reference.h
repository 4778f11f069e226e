/* The float64 reference of attention. */
#ifndef ATTENTION_REFERENCE_H
#define ATTENTION_REFERENCE_H

#include <gpubench/sugar.h>
#include <stdbool.h>

struct shape {
  int64_t heads; /* batch times heads of queries */
  int64_t group; /* number of heads of queries that share keys and values */
  int64_t s_q;   /* number of queries of a head; their positions are the last s_q of the s positions of the keys */
  int64_t s;     /* number of keys of a head */
  int64_t d;
  uint32_t dtype; /* storage type, GB_DTYPE_* */
  bool causal;
  int64_t window; /* if causal, a query sees only the last `window` keys up to its own; 0: no window */
};

/* Chosen rows of one head. attention_reference_rows() computes their expected values into `o`, on all processors. */
struct reference_rows {
  const double *k;      /* [s][d] */
  const double *v;      /* [s][d] */
  const double *q;      /* [rows][d] */
  const int64_t *query; /* [rows] the number of each chosen query within its head */
  double *weights;      /* [rows][s] scratch memory */
  double *o;            /* [rows][d] */
  int64_t s;
  int64_t before; /* position of query 0: how many keys come before it */
  int64_t window; /* see struct shape */
  int32_t d;
  int32_t causal;
  int32_t rows;
};
void attention_reference_rows(struct reference_rows *r);

/* Passes the expected output to gpubench, for rows that this function chooses. */
gb_status attention_reference(const gb_sdk *sdk, gb_case *c, const struct shape *shape);

#endif
