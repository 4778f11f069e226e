/* The devices of a run, one after the other, and the workers of the one whose turn it is. */
#ifndef RUN_DEVICES_H
#define RUN_DEVICES_H

#include "device/device.h"
#include "machine/environment.h"
#include "machine/lock.h"
#include "worker/pool.h"

/* One of the run's devices. */
struct run_device {
  char spec[TEXT_SIZE];
  struct device_facts facts; /* once it was opened */
  struct pairs environment;  /* what run.ini keeps of it alone */
  struct err lost;           /* it is of no use, or no more: what is left of the plan does not run there */
};

struct device_lock {
  char name[ID_SIZE]; /* what it locks */
  struct lock lock;
};

struct run_devices {
  struct run_device *all;
  size_t count, turn;              /* turn: whose it is */
  char why[EXPR_SIZE + TEXT_SIZE]; /* how `auto` was decided */
  char spec[TEXT_SIZE];            /* from here on: of the one whose turn it is */
  char conditions[2 * TEXT_SIZE];  /* before anything is measured there */
  struct pool pool;
  struct device_lock *locks; /* of it, and of those that its cases take beside it, by name */
  size_t lock_count;
  struct launch_floor floors[TIMING_COUNT]; /* the last measured in each mode */
};

/* The one whose turn it is. */
static inline struct run_device *run_device(const struct run_devices *devices) {
  return &devices->all[devices->turn];
}

/* The device that --device means: decides `auto`. `why` says how. Exit 4 where a GPU is meant and this build has no
 * CUDA. */
int run_choose_device(const char *option, char *spec, size_t size, char *why, size_t why_size, struct err *err);

/* Has "cuda:all" of a list be each of them, which `pool` asks for. */
int run_expand_devices(struct pool *pool, struct strings *specs, struct err *err);

/* The devices of a list, each once and all of one backend; `pool` asks how many "cuda:all" are. */
int run_list_devices(struct pool *pool, const char *list, struct strings *specs, struct err *err);

size_t run_devices_usable(const struct run_devices *devices);
/* Of those, the ones from this turn on. */
size_t run_devices_left(const struct run_devices *devices);

/* Takes the locks of the one whose turn it is and of the others that its cases need, `count` in all, as --lock has it
 * (run/take_lock.c). What was taken is released by run_release_locks(), also where one could not be. */
int run_take_locks(struct run_devices *devices, size_t count, const char *policy, struct err *err);
const char *run_lock_note(const struct run_devices *devices); /* of its own */
void run_release_locks(struct run_devices *devices);
/* But for the pool. */
void run_devices_free(struct run_devices *devices);

#endif
