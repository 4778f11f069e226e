/* The properties in which devices differ. Code asks for these properties and not for the name of a backend; only
 * device/ and options/ compare such names. */
#pragma once

#include <stdint.h>

enum device_trait {
  /* work is enqueued and runs while the host goes on; without this trait a call returns when its work is done */
  DEVICE_QUEUES = 1,
  DEVICE_HOST_MEMORY = 2,     /* its memory is the host's memory */
  DEVICE_HOST_PROCESSORS = 4, /* the host's processors do its work, so other processes on them disturb it */
  DEVICE_RESTS = 8,           /* its clock falls near its power limit, so it gets cooldowns (pauses after work) */
  DEVICE_IS_GPU = 16,         /* has a driver, a UUID and sensors */
  DEVICE_SCRIPTED = 32,       /* its times come from a script and say nothing of this machine */
  DEVICE_PRETENDED = 64,      /* does not exist: plans can be made for it, and nothing runs */
  DEVICE_HAS_GRAPHS = 128,    /* captures enqueued work in graphs and replays it */
};

/* Traits that all devices of a kind have. */
#define DEVICE_TRAITS_CPU (DEVICE_HOST_MEMORY | DEVICE_HOST_PROCESSORS)
#define DEVICE_TRAITS_GPU (DEVICE_QUEUES | DEVICE_IS_GPU | DEVICE_RESTS | DEVICE_HAS_GRAPHS)
