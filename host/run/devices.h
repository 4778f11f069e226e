/* The devices of a run, which are measured one after the other, and the workers of the present device. */
#pragma once

#include "device/device.h"
#include "machine/environment.h"
#include "machine/lock.h"
#include "worker/pool.h"

/* One of the run's devices. */
struct run_device {
  char spec[TEXT_SIZE];
  struct device_facts facts; /* valid once the device was opened */
  struct pairs environment;  /* facts about this device alone, for run.ini */
  struct err lost;           /* why the device cannot be used; the rest of its plan is then not run */
};

struct device_lock {
  char name[ID_SIZE]; /* name of the lock: UUID of the device, or "cpu" */
  struct lock lock;
};

struct run_devices {
  struct run_device *all;
  size_t count, present;           /* present: index of the device that is measured at present */
  char why[EXPR_SIZE + TEXT_SIZE]; /* how the device was chosen if --device was `auto` */
  char spec[TEXT_SIZE]; /* name of the present device; this member and those below are about the present device */
  char conditions[2 * TEXT_SIZE]; /* conditions on the device before anything is measured there */
  struct pool pool;
  struct device_lock *locks; /* locks of the device and of other devices that its cases use, sorted by name */
  size_t lock_count;
  struct mode_overhead overheads[TIMING_COUNT]; /* for each mode, the launch overhead that was measured last */
};

/* Returns the device that is measured at present. */
static inline struct run_device *run_device(const struct run_devices *devices) {
  return &devices->all[devices->present];
}

/* Chooses the device that --device names, or a suitable one for `auto`; `why` then says how. Fails with exit code 4 if
 * that device is a GPU and this build has no CUDA. */
int run_choose_device(const char *option, char *spec, size_t size, char *why, size_t why_size, struct err *err);

/* Replaces "cuda:all" in a list by all CUDA devices, counted through `pool`. */
int run_expand_devices(struct pool *pool, struct strings *specs, struct err *err);

/* Lists the devices that `list` names, each once and all of one backend; `pool` is used to count those of
 * "cuda:all". */
int run_list_devices(struct pool *pool, const char *list, struct strings *specs, struct err *err);

size_t run_devices_usable(const struct run_devices *devices);
/* Returns how many usable devices are measured now or later. */
size_t run_devices_left(const struct run_devices *devices);

/* Takes the locks of the present device and of the other devices that its cases need, `count` in all. `policy` is the
 * value of --lock (run/take_lock.c). run_release_locks() releases the locks that were taken, even if one could not be
 * taken. */
int run_take_locks(struct run_devices *devices, size_t count, const char *policy, struct err *err);
const char *run_lock_note(const struct run_devices *devices); /* describes the present device's lock */
void run_release_locks(struct run_devices *devices);
/* Frees everything except the pool. */
void run_devices_free(struct run_devices *devices);
