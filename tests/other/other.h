/* The stream of the device `other`, which plugins get as gb.cuda->stream(). A thread of the device executes the queued
 * work in order. */
#ifndef TESTS_OTHER_H
#define TESTS_OTHER_H

#include <stddef.h>

enum { OTHER_MOST = 128 }; /* largest argument of queued work, in bytes */

struct other_stream {
  /* Queues the work and returns at once; `data` is copied. */
  void (*enqueue)(struct other_stream *stream, void (*work)(const void *data), const void *data, size_t bytes);
  /* Returns when all work queued so far is done. */
  void (*wait)(struct other_stream *stream);
};

#endif
