/* The interface of a device: a table of functions for the worker, the process that loads plugins and measures. It is
 * implemented by cuda, cpu, pretend.c (no device: for checks without a GPU), tests/fake (a scripted device, only in
 * builds with tests) and tests/other (an example). The only plugin code that these functions call is the iteration to
 * be timed and the callbacks around it. All functions are called on one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/device_trait.h"
#include "model/mode.h"
#include "model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* the kinds of memory, with the numbers of GB_MEM_* in the ABI */
enum memory_kind { MEMORY_DEVICE = 1, MEMORY_HOST = 2, MEMORY_PINNED = 3 };

struct fill;          /* defined in model/data/fill.h */
struct energy_source; /* defined in device/energy_source.h */

/* Indices of the elements that gather() reads or plant() changes. The struct is passed by value, to a kernel as its
 * arguments, so that no memory holds the indices beforehand, where a plugin could read them. */
enum { PLACES_MOST = 256 };
struct places {
  uint32_t count;
  uint64_t at[PLACES_MOST];
};

enum { SHUFFLE_BLOCK = 4096 };

/* A permutation of the elements within blocks of memory, used by device_ops.shuffle. */
struct shuffle {
  uint32_t factor, offset;
};

/* Iterations (calls of a variant's `run`) that were captured for replay. */
struct capture;

/* Signs of a manipulated clock in a slot. samples: number of samples for which the host's clock showed less time than
 * the processor's cycle counter; only a manipulation explains that. shown_ns, passed_ns: time by the clock and by the
 * counter for the last such sample. */
struct clock_doubt {
  uint32_t samples;
  double shown_ns, passed_ns;
};

/* A slot: `count` consecutive samples of one variant. */
struct slot_request {
  /* NULL, or called before each sample to write new inputs. `sample`: number of the sample in the slot; UINT32_MAX: the
   * sample is not kept. The call is not timed, and the work that it enqueues is complete when the sample begins. On a
   * CPU it comes after `before`, so that `before` cannot see the new inputs. */
  int (*inputs)(void *context, uint32_t sample);
  int (*run)(void *context);    /* runs one iteration; -1: the variant's callback failed, which ends the slot */
  int (*before)(void *context); /* NULL, or called before each sample, not timed */
  /* NULL, or called once, untimed: before the last sample of the slot, after `before` */
  int (*last)(void *context);
  /* NULL, or called once, directly before the first sample and after the caches were emptied for it. Work that it
   * enqueues is not timed. */
  int (*sudden)(void *context);
  /* NULL, or called directly before the last sample of the slot, after `inputs`, `before`, `last` and `sudden` */
  int (*ready)(void *context);
  void (*enter)(void *context, uint32_t sample); /* NULL, or called directly before each sample; only on a CPU */
  /* NULL, or called after the last sample of the slot; work that it enqueues follows that sample directly */
  int (*done)(void *context);
  /* NULL, or called when all work of a sample is enqueued and held back, so that nothing of it may have been executed
   * yet. Devices that do not hold work back do not call it. A result of -1 ends the slot. */
  int (*held)(void *context);
  /* NULL, or receives the signs of a manipulated clock; a slot that is timed by the device's own clock gives none */
  struct clock_doubt *doubt;
  double held_ns; /* how long to wait in ns before `held` is called; at most 2 ms */
  void *context;
  const char *variant; /* name of the variant; a scripted device (tests/fake) looks up its times by it */
  const char *key;     /* key of the case; a scripted device looks up its times by it */
  enum timing timing;
  uint32_t count;
  uint32_t replicas; /* iterations per sample; more than 1 only in batched modes */
  uint32_t kernels;  /* number of kernels per iteration, counted during capture; 0: not known */
  /* in graph modes: the captured graph of `replicas` iterations, which a sample replays; else NULL */
  struct capture *capture;
  bool flush; /* true: the caches are emptied before each sample */
  /* true: work is never held back; for the first launch of a variant, which may have to load modules */
  bool unblocked;
};

enum slot_result {
  SLOT_OK = 0,
  SLOT_CALLBACK = 1, /* `run` or another callback returned -1; the caller knows the reason */
  SLOT_DEVICE = 2,   /* the device reported an error after which this process cannot use it any more */
  SLOT_BLOCKED = 3,  /* `run` waited for work that was held back, so the variant synchronizes with the device */
  SLOT_SERIAL = 4,   /* the device does not queue work: nothing can be timed on it */
};

/* The launch overhead: the time of an empty launch. */
struct mode_overhead {
  uint32_t replicas; /* iterations per sample when the overhead was measured; 0: not measured */
  double ns, uncertainty_ns;
};

/* The power that the device draws when idle, as it was measured last. */
struct idle_power {
  bool known, settled;
  int64_t ns; /* time of the measurement, by the clock of the energy source */
  double watts;
};

struct device {
  const struct device_ops *ops;
  struct device_facts facts;
  /* owned; the other devices for cases on several devices, in the order in which cases use them; all are of the same
   * kind */
  struct device_facts *others;
  uint32_t other_count;
  /* the launch overhead of each mode; only the code that measures it uses this */
  struct mode_overhead overheads[TIMING_COUNT];
  struct idle_power idle; /* set and used only by the code that measures it */
};

struct device_ops {
  void (*close)(struct device *device);

  /* Returns memory that is aligned to 256 bytes or more. NULL, without a message, if there is not enough memory. */
  void *(*alloc)(struct device *device, enum memory_kind kind, size_t bytes);
  void (*free)(struct device *device, enum memory_kind kind, void *memory);
  int64_t (*memory_free)(struct device *device); /* free bytes of MEMORY_DEVICE; -1: not known */
  /* Returns a buffer of host memory that the device owns, for fast copies; valid until the next call. NULL: there is
   * none. */
  void *(*staging)(struct device *device, size_t bytes);

  /* The following functions enqueue work in the order of the stream; the work may still be pending when they return.
   * Pointers may be to any kind of memory. */
  int (*set)(struct device *device, void *memory, int byte, size_t bytes, struct err *err);
  /* writes to each byte of the memory the value that it already has */
  int (*rewrite)(struct device *device, void *memory, size_t bytes, struct err *err);
  int (*fill)(struct device *device, void *memory, uint64_t elements, const struct fill *fill, struct err *err);
  int (*copy_async)(struct device *device, void *to, const void *from, size_t bytes, struct err *err);
  /* In each block of SHUFFLE_BLOCK elements, sets element i of `to` to element i * factor + offset of `from`, modulo
   * the block. `factor` must be odd; `from` holds whole blocks. */
  int (*shuffle)(struct device *device, void *to, const void *from, size_t element_bytes, uint64_t elements,
                 struct shuffle order, struct err *err);
  /* Sets element i of `to` to element at[i] of `from`; both are in memory of the device. Returns 1 if the device can
   * tell that an element is not resident. Such an element is not fetched, because a fetch could do work that the
   * variant has left undone. */
  int (*gather)(struct device *device, void *to, const void *from, size_t element_bytes, const struct places *places,
                struct err *err);
  /* Sets element at[i] of `memory` to (its value & kept) ^ flipped, and element i of `to` to the same. All indices must
   * differ. */
  int (*plant)(struct device *device, void *to, void *memory, size_t element_bytes, const struct places *places,
               uint64_t kept, uint64_t flipped, struct err *err);
  /* Checks whether memory that this device allocated still has its pages. A plugin may have replaced them by pages that
   * are filled only when they are read, or that are shared with other memory. Called after a slot, before its outputs
   * are read. Returns a text that says what is wrong ("is not there yet"), or NULL if nothing is wrong or the device
   * cannot tell. `key` selects the pages to check. */
  const char *(*absent)(struct device *device, const void *memory, size_t bytes, uint64_t key);

  /* The following functions have completed their work when they return. Pointers may be to any kind of memory. */
  int (*copy)(struct device *device, void *to, const void *from, size_t bytes, struct err *err);
  /* Counts the elements whose bytes all equal `byte` (poison: a pattern that marks unwritten outputs), and finds the
   * first. */
  int (*count_poison)(struct device *device, const void *memory, size_t element_bytes, uint64_t elements,
                      unsigned char byte, uint64_t *count, uint64_t *first, struct err *err);
  /* Computes a checksum with a key. A plugin does not know the key, so it cannot make two changes whose effects on the
   * checksum cancel. */
  int (*checksum)(struct device *device, const void *memory, size_t bytes, uint64_t key, uint64_t *sum,
                  struct err *err);
  /* Waits for all enqueued work; reports errors of that work. */
  int (*sync)(struct device *device, struct err *err);

  void *(*stream)(struct device *device); /* returns the stream that all work is enqueued on, a CUstream; or NULL */

  /* For work on several devices: `other` is the number of another device, from 0. other_alloc() returns memory filled
   * with 0xFF, or NULL if there is not enough; free it with `free` as MEMORY_DEVICE. other_stream() may return NULL.
   * Once one of them was called, `sync` waits for that device as well. Both pointers are NULL if this kind of device
   * has no others. */
  void *(*other_alloc)(struct device *device, uint32_t other, size_t bytes);
  void *(*other_stream)(struct device *device, uint32_t other);

  /* Takes `request->count` samples into `ns`, each the time of one iteration, and notes the device's state during the
   * slot. The first slot of a variant has `count` 1 and no `flush`. `err` explains SLOT_DEVICE and SLOT_BLOCKED. */
  enum slot_result (*slot)(struct device *device, const struct slot_request *request, double *ns,
                           struct slot_state *state, struct err *err);

  /* Captures `request->replicas` iterations for replay without running them. Also counts the kernels and the
   * allocations of one iteration. Returns SLOT_BLOCKED if the iterations cannot be captured. Only for devices with
   * graphs. */
  enum slot_result (*capture)(struct device *device, const struct slot_request *request, struct capture **capture,
                              uint32_t *kernels, uint32_t *allocations, struct err *err);
  void (*capture_free)(struct capture *capture);

  /* null_run() enqueues an empty launch of shape number `shape`; there are `null_shapes` shapes, and number 0 is the
   * plain one. The time of such a launch is the launch overhead, which every measured time contains. Returns -1 on
   * failure. */
  uint32_t null_shapes;
  int (*null_run)(struct device *device, uint32_t shape);

  /* Copies memory to the host while the stream is held back. This function pointer is NULL if the device never holds
   * work back. */
  int (*peek)(struct device *device, void *to, const void *from, size_t bytes, struct err *err);

  /* Turns the recording of a profiler on, and names the recorded range `range`; turns it off if `range` is NULL. This
   * function pointer is NULL if the device has no profiler support. */
  void (*profile)(struct device *device, const char *range);

  /* Restores device settings that all work on the device shares and that callbacks of plugins changed. Describes one of
   * the changes in `text`. Returns false if nothing was changed. This function pointer is NULL if the device has no
   * such settings. */
  bool (*restore)(struct device *device, char *text, size_t size);

  /* For a scripted device, whose times come from a script: returns the script's time for those callbacks of the variant
   * that run outside the measured time. This function pointer is NULL for other devices, where clocks measure that
   * time. */
  double (*untimed_ns)(struct device *device, const char *key, const char *variant);

  void (*conditions)(struct device *device, struct device_conditions *conditions);

  /* Returns a source of energy readings, which the caller closes; NULL with the reason in `why` if there is none. */
  struct energy_source *(*energy)(struct device *device, char *why, size_t size);
};

/* Returns the name of the SDK that the device needs and that this build lacks: "CUDA". NULL: none is lacking. `spec`
 * names a device, or is a list of devices of one backend. */
const char *device_missing(const char *spec);

/* Opens "cpu", "fake:FILE", "fake", "cuda", "cuda:N" or a GPU by its UUID. Returns -1 with exit code 4 if the device
 * cannot be used. */
int device_open(const char *spec, struct device **device, struct err *err);

static inline bool device_is(const struct device *device, enum device_trait trait) {
  return (device->facts.traits & trait) != 0;
}

/* Counts the CUDA devices without creating a context. Returns -1 with exit code 4 if no device can be used. */
int device_count(uint32_t *count, struct err *err);

/* Open a device, one function for each backend. device_cuda_*() exist only in builds with CUDA. */
int device_cpu_open(struct device **device, struct err *err);
int device_pretend_open(struct device **device, struct err *err);
int device_fake_open(const char *script, struct device **device, struct err *err);
int device_cuda_open(const char *spec, struct device **device, struct err *err);
int device_cuda_count(uint32_t *count, struct err *err);

/* The operations on host memory. The scripted device (tests/fake) and the device without hardware (pretend.c) use them,
 * too. */
extern const struct device_ops device_cpu_ops;

#ifdef __cplusplus
}
#endif
