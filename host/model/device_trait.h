/* What devices differ in, for those that handle all alike: no name of a backend is asked for outside device/ and
 * options/. */
#ifndef MODEL_DEVICE_TRAIT_H
#define MODEL_DEVICE_TRAIT_H

#include <stdint.h>

enum device_trait {
  DEVICE_QUEUES = 1,      /* works on what is enqueued while the host goes on; else a call returns when it is done */
  DEVICE_HOST_MEMORY = 2, /* its memory is the host's */
  DEVICE_HOST_PROCESSORS = 4, /* its work is done by the host's processors: what else these do disturbs it */
  DEVICE_RESTS = 8,           /* near its power limit it lowers its clock, and is given rest */
  DEVICE_IS_GPU = 16,         /* has a driver, a UUID and sensors of its own */
  DEVICE_SCRIPTED = 32,       /* its times are a script's, and nothing of this machine's */
  DEVICE_PRETENDED = 64,      /* is not there: plans can be made for it, and nothing runs */
  DEVICE_HAS_GRAPHS = 128,    /* captures what is enqueued, and replays it */
};

/* What all of a kind have. */
#define DEVICE_TRAITS_CPU (DEVICE_HOST_MEMORY | DEVICE_HOST_PROCESSORS)
#define DEVICE_TRAITS_GPU (DEVICE_QUEUES | DEVICE_IS_GPU | DEVICE_RESTS | DEVICE_HAS_GRAPHS)

#endif
