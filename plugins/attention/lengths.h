/* Computes how long each sequence of the bench "varlen" is. The sequences are packed one after the other without
 * padding. Their lengths are not random: they follow from the values of the bench's axes (parameters). */
#ifndef ATTENTION_LENGTHS_H
#define ATTENTION_LENGTHS_H

#include <stdint.h>

/* An enumeration of the sequences, in the order in which they are packed. Together they have `total` rows. Each
 * sequence has one row, and a part of the remaining rows that is proportional to its weight: 1 (equal), its rank
 * (uniform) or 1 / rank (zipf). The ranks are the numbers 1 to `sequences`, in mixed order. Only lengths.c uses the
 * members. */
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
