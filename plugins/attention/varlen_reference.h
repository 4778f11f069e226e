/* What is right of packed sequences. */
#ifndef ATTENTION_VARLEN_REFERENCE_H
#define ATTENTION_VARLEN_REFERENCE_H

#include <gpubench/sugar.h>

struct varlen_shape {
  int64_t total, sequences; /* rows and sequences */
  int64_t h, h_kv, d;
  int64_t window;  /* where causal: a query sees the last so many keys up to its own; 0: all */
  int64_t longest; /* rows of the longest */
  uint64_t pairs;  /* of a query of one head and a key that it sees */
  int causal, bf16;
};

/* States what the output has to be, in the rows that it chooses. `offsets`: [sequences + 1]. */
gb_status attention_varlen_reference(const gb_sdk *sdk, gb_case *c, const struct varlen_shape *shape,
                                     const int32_t *offsets);

#endif
