/* The lengths of the sequences of a packed batch, which depend on the axes only. */
#ifndef ATTENTION_LENGTHS_H
#define ATTENTION_LENGTHS_H

#include <stdint.h>

/* Enumerates the sequences in order. Of the `total` rows each sequence gets one, and a share of the remaining rows in
 * proportion to its weight: 1 (equal), its rank (uniform) or 1 / rank (zipf). Ranks are the numbers 1 to `sequences`,
 * in mixed order. Members are private. */
struct lengths {
  int64_t total, sequences;
  char how; /* the first letter of the axis value: equal, uniform or zipf */
  int64_t step, next;
  double all, sum; /* sum of the weights of all sequences, and of those enumerated so far */
};

struct lengths lengths_begin(const char *how, int64_t total, int64_t sequences);

/* Returns the row where the next sequence ends and the one after it begins. Call it `sequences` times. */
int64_t lengths_next(struct lengths *l);

#endif
