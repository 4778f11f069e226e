/* The stream of the device `other`, as its plugins see it through gb.cuda/1: what is put there is done in order by a
 * thread of the device's. */
#ifndef TESTS_OTHER_H
#define TESTS_OTHER_H

#include <stddef.h>

enum { OTHER_MOST = 128 }; /* bytes of what is handed over with the work */

struct other_stream {
  /* Returns at once. `data` is copied. */
  void (*enqueue)(struct other_stream *stream, void (*work)(const void *data), const void *data, size_t bytes);
  /* Returns when everything that was enqueued is done. */
  void (*wait)(struct other_stream *stream);
};

#endif
