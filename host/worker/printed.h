/* Keeps the last output of a worker, and knows the variant that printed it. The worker marks the end of a turn in its
 * output if its parent has not read all of it by then; output without a mark belongs to the turn in which it is read.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { PRINTED_BENCH = -1, PRINTED_UNKNOWN = -2 };

struct printed {
  char text[4096]; /* of `owner` only */
  size_t size;
  int owner; /* index of a variant of the request, or one of the above */
};

/* Call it in the worker when a callback has ended. */
void printed_end_turn(int owner);

/* Adds output: text before a mark belongs to the owner that the mark names, the rest to `owner`. */
void printed_add(struct printed *printed, const char *text, size_t size, int owner);

/* Reads the available output, at most a full pipe's worth: a worker may print faster than the parent reads, which must
 * also watch its limits. `owner`: the variant on the status page. */
void printed_read(struct printed *printed, int fd, const _Atomic int32_t *owner);

/* Copies the last line as printable text. */
void printed_last_line(struct printed *printed, char *to, size_t size);
