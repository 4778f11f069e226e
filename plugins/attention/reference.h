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
  bool bf16;
  bool causal;
};

/* States what the output has to be, in the rows that it chooses. */
gb_status attention_reference(const gb_sdk *sdk, gb_case *c, const struct shape *shape);

#endif
