/* How long the sequences of a packed batch are: a function of the axes alone. */
#ifndef ATTENTION_LENGTHS_H
#define ATTENTION_LENGTHS_H

#include <stdint.h>

/* The sequences in their order. Of `total` rows each has one, and of the others a share by its weight: that is 1
 * (equal), its rank (uniform) or 1 / rank (zipf). Ranks are 1 to `sequences`, mixed. Members are the functions' own. */
struct lengths {
  int64_t total, sequences;
  char how; /* first letter */
  int64_t step, next;
  double all, sum; /* of weights */
};

struct lengths lengths_begin(const char *how, int64_t total, int64_t sequences);

/* Where the next sequence ends, and the one behind it begins. To be called `sequences` times. */
int64_t lengths_next(struct lengths *l);

#endif
