/* Keeps the last output of a worker, and knows the variant that printed it. At the end of a callback the worker writes
 * a mark into its output, unless its parent has read all of the output by then. Output before a mark belongs to the
 * variant that the mark names; output without a mark belongs to the variant that is running when it is read. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { PRINTED_BENCH = -1, PRINTED_UNKNOWN = -2 };

struct printed {
  char text[4096]; /* the last output of `owner`; earlier output of other variants is dropped */
  size_t size;
  int owner; /* index, in the request, of the variant that printed `text`; else PRINTED_BENCH or PRINTED_UNKNOWN */
};

/* Marks the end of the output of `owner`. Called in the worker when a callback has ended. */
void printed_callback_ended(int owner);

/* Adds output: text before a mark belongs to the owner that the mark names, the rest to `owner`. */
void printed_add(struct printed *printed, const char *text, size_t size, int owner);

/* Reads the available output, but at most as much as a pipe holds, because a worker may print faster than the parent
 * reads, and the parent must also watch the worker's limits. `owner` points into the status page (memory that
 * worker and parent share) and is the variant that runs at present. */
void printed_read(struct printed *printed, int fd, const _Atomic int32_t *owner);

/* Copies the last line that was printed, as printable text. */
void printed_last_line(struct printed *printed, char *to, size_t size);
