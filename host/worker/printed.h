/* The last of what a worker prints, and in whose turn. The worker itself marks the end of a turn, where its parent has
 * not read all of it: what is read without a mark is of whose turn it is. */
#ifndef WORKER_PRINTED_H
#define WORKER_PRINTED_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { PRINTED_BENCH = -1, PRINTED_UNKNOWN = -2 };

struct printed {
  char text[4096]; /* of `owner` alone */
  size_t size;
  int owner; /* of the variants of a request */
};

/* In the worker, when a turn is over. */
void printed_end_turn(int owner);

/* What stands before a mark is of the mark's owner; the rest is of `owner`. */
void printed_add(struct printed *printed, const char *text, size_t size, int owner);

/* What there is to be read, a full pipe's worth at most: a worker may print faster than we read, and its limit is to be
 * watched meanwhile. `owner`: of the page that it shares. */
void printed_read(struct printed *printed, int fd, const _Atomic int32_t *owner);

/* Its last line, printable. */
void printed_last_line(struct printed *printed, char *to, size_t size);

#endif
