/* Inline functions that tell where a row of a tensor lies in memory, and which keys a query sees. */
#ifndef ATTENTION_CPU_SPANS_H
#define ATTENTION_CPU_SPANS_H

#include "cpu.h"
#include "kernels.h"

#define MAX_D 256

/* Returns the index of the first element of a row of a head, in a tensor that has `heads` heads. */
INLINE ptrdiff_t element_of(const struct attention_problem *p, int64_t heads, int64_t head, int row) {
  return p->offsets == NULL ? (head * p->s + row) * p->d : (row * heads + head) * p->d;
}

INLINE ptrdiff_t row_pitch(const struct attention_problem *p, int64_t heads) {
  return p->offsets == NULL ? p->d : heads * p->d;
}

INLINE int64_t key_heads(const struct attention_problem *p) {
  return p->heads / p->group;
}

/* A span of keys, or of rows of a head: numbers `first` to `end` - 1. */
struct span {
  int first, end;
};

/* Returns the rows of the sequence to which this row belongs: all rows if sequences are not packed. */
INLINE struct span sequence_of(const struct attention_problem *p, int row) {
  if (p->offsets == NULL) return (struct span){0, p->s};
  int low = 0, high = p->sequences;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (p->offsets[middle] <= row)
      low = middle;
    else
      high = middle;
  }
  return (struct span){p->offsets[low], p->offsets[high]};
}

/* Returns the keys that this query sees. A query past the end of the tensor is treated as the last one. */
INLINE struct span seen_by(const struct attention_problem *p, int query) {
  query = smaller(query, p->s - 1);
  struct span seen = sequence_of(p, query);
  if (p->causal) seen.end = query + 1;
  if (p->window > 0 && seen.end - p->window > seen.first) seen.first = seen.end - p->window;
  return seen;
}

#endif
