/* The float64 reference of the bench "varlen". */
#ifndef ATTENTION_VARLEN_REFERENCE_H
#define ATTENTION_VARLEN_REFERENCE_H

#include <gpubench/sugar.h>

struct varlen_shape {
  int64_t total, sequences; /* number of rows of all sequences, and number of sequences */
  int64_t h, h_kv, d;
  int64_t window;  /* if causal, a query sees only the last `window` keys up to its own; 0: no window */
  int64_t longest; /* rows of the longest sequence */
  uint64_t pairs;  /* number of pairs of a query and a key that the query sees, in one head */
  int causal, bf16;
};

/* Passes the expected output to gpubench, for rows that this function chooses. `offsets` has sequences + 1 elements. */
gb_status attention_varlen_reference(const gb_sdk *sdk, gb_case *c, const struct varlen_shape *shape,
                                     const int32_t *offsets);

#endif
