/* The devices of a run, one after the other, and the workers of the present one. */
#pragma once

#include "device/device.h"
#include "machine/environment.h"
#include "machine/lock.h"
#include "worker/pool.h"

/* One of the run's devices. */
struct run_device {
  char spec[TEXT_SIZE];
  struct device_facts facts; /* once it was opened */
  struct pairs environment;  /* facts that run.ini keeps of this device alone */
  struct err lost;           /* why it cannot be used (any more): the rest of its plan is not run */
};

struct device_lock {
  char name[ID_SIZE]; /* the name that is locked */
  struct lock lock;
};

struct run_devices {
  struct run_device *all;
  size_t count, turn;              /* turn: index of the present device */
  char why[EXPR_SIZE + TEXT_SIZE]; /* how `auto` was decided */
  char spec[TEXT_SIZE];            /* of the present device, like all that follows */
  char conditions[2 * TEXT_SIZE];  /* before anything is measured there */
  struct pool pool;
  struct device_lock *locks; /* of the device and of the others that its cases use, by name */
  size_t lock_count;
  struct launch_floor floors[TIMING_COUNT]; /* last measured in each mode */
};

/* Returns the device that has its turn. */
static inline struct run_device *run_device(const struct run_devices *devices) {
  return &devices->all[devices->turn];
}

/* Chooses the device that --device means, and decides `auto`; `why` says how. Exit 4 if it means a GPU and this build
 * has no CUDA. */
int run_choose_device(const char *option, char *spec, size_t size, char *why, size_t why_size, struct err *err);

/* Replaces "cuda:all" in a list by all CUDA devices, counted through `pool`. */
int run_expand_devices(struct pool *pool, struct strings *specs, struct err *err);

/* Lists the devices, each once and all of one backend; `pool` counts those of "cuda:all". */
int run_list_devices(struct pool *pool, const char *list, struct strings *specs, struct err *err);

size_t run_devices_usable(const struct run_devices *devices);
/* Returns how many of these have their turn now or later. */
size_t run_devices_left(const struct run_devices *devices);

/* Takes the locks of the present device and of the others that its cases need, `count` in all, as --lock demands
 * (run/take_lock.c). run_release_locks() releases those taken, even if one could not be. */
int run_take_locks(struct run_devices *devices, size_t count, const char *policy, struct err *err);
const char *run_lock_note(const struct run_devices *devices); /* the present device's lock */
void run_release_locks(struct run_devices *devices);
/* Frees everything except the pool. */
void run_devices_free(struct run_devices *devices);
