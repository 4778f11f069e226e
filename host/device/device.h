/* The device as the worker uses it. Implemented by cuda, cpu, fake (a scripted device), pretend.c (a GPU that is not
 * there) and, as an example, tests/other. The only plugin code that is called through this table is the iteration to be
 * timed. All functions are called on one thread. */
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

enum memory_kind { MEMORY_DEVICE = 1, MEMORY_HOST = 2, MEMORY_PINNED = 3 }; /* GB_MEM_* */

struct fill;          /* model/data/fill.h */
struct energy_source; /* device/energy_source.h */

/* Indices of elements that are checked. They are passed by value, to a kernel as its arguments, so that they are in no
 * memory that a plugin could read. */
enum { PLACES_MOST = 256 };
struct places {
  uint32_t count;
  uint64_t at[PLACES_MOST];
};

enum { SHUFFLE_BLOCK = 4096 };

/* A permutation of the elements in a block. */
struct shuffle {
  uint32_t factor, offset;
};

/* Iterations that were captured for replay. */
struct capture;

/* The samples of a slot for which the host's clock showed less time than the processor's counter, which only a
 * manipulated clock explains, and both times of the last of them. */
struct clock_doubt {
  uint32_t samples;
  double shown_ns, passed_ns;
};

/* A slot: `count` consecutive samples of one variant. */
struct slot_request {
  /* NULL, or called before each sample with its number in the slot; UINT32_MAX: the sample is not kept. Not timed; work
   * that it enqueues is complete when the sample begins. On a CPU it is called after `before`, so that `before` cannot
   * see new inputs. */
  int (*inputs)(void *context, uint32_t sample);
  int (*run)(void *context);    /* one iteration; -1: the callback failed, which ends the slot */
  int (*before)(void *context); /* not timed, before each sample; NULL: nothing */
  int (*last)(void *context);   /* not timed, once more before the last sample, after `before`; NULL: nothing */
  /* NULL, or called once, after the caches were emptied for the first sample and directly before it. Work that it
   * enqueues is not timed, and nothing comes between it and the sample. */
  int (*sudden)(void *context);
  int (*ready)(void *context); /* NULL, or called directly before the last sample, after all of the above */
  void (*enter)(void *context, uint32_t sample); /* NULL, or called directly before each sample; on a CPU only */
  int (*done)(void *context); /* NULL, or called after the last sample: work that it enqueues follows directly */
  /* NULL, or called when all work of a sample is enqueued and held back, so that nothing of it may have happened yet.
   * Devices that do not hold work back do not call it. -1 ends the slot. */
  int (*held)(void *context);
  struct clock_doubt *doubt; /* NULL, or receives the slot's doubts; samples by the device's clock have none */
  double held_ns;            /* how long to wait before `held` is called; at most 2 ms */
  void *context;
  const char *variant; /* name, which the scripted device looks up */
  const char *key;     /* key of the case, which the scripted device looks up */
  enum timing timing;
  uint32_t count;
  uint32_t replicas;       /* iterations per sample; 1 except in batched modes */
  uint32_t kernels;        /* per iteration, as captured; 0: not known */
  struct capture *capture; /* `replicas` iterations that graph modes replay; else NULL */
  bool flush;              /* empty the caches before each sample */
  bool unblocked;          /* never hold work back: the first launch loads modules */
};

enum slot_result {
  SLOT_OK = 0,
  SLOT_CALLBACK = 1, /* `run` or `before` returned -1; the caller knows the reason */
  SLOT_DEVICE = 2,   /* the device reported a fault: this process cannot use it any more */
  SLOT_BLOCKED = 3,  /* `run` waited for work that was held back: it synchronizes */
  SLOT_SERIAL = 4,   /* the device does not queue work: nothing can be timed on it */
};

/* The launch overhead: what an empty launch takes. */
struct launch_floor {
  uint32_t replicas; /* iterations per sample when it was measured; 0: not measured */
  double ns, uncertainty_ns;
};

/* The power that the device draws when idle, from the last measurement. */
struct idle_power {
  bool known, settled;
  int64_t ns; /* when, by the energy source's clock */
  double watts;
};

struct device {
  const struct device_ops *ops;
  struct device_facts facts;
  struct device_facts *others; /* owned; further devices of its kind, in the order in which cases take them */
  uint32_t other_count;
  struct launch_floor floors[TIMING_COUNT]; /* stored here for the code that measures them */
  struct idle_power idle;                   /* stored here as well */
};

struct device_ops {
  void (*close)(struct device *device);

  /* Returns memory aligned to 256 bytes or more; NULL without a message if there is not enough. */
  void *(*alloc)(struct device *device, enum memory_kind kind, size_t bytes);
  void (*free)(struct device *device, enum memory_kind kind, void *memory);
  int64_t (*memory_free)(struct device *device); /* of MEMORY_DEVICE; -1: not known */
  /* Returns the device's own buffer of host memory, which copies reach quickly; valid until the next call. NULL: there
   * is none. */
  void *(*staging)(struct device *device, size_t bytes);

  /* These are ordered on the stream; the work may still be pending when they return. Pointers may be of any kind. */
  int (*set)(struct device *device, void *memory, int byte, size_t bytes, struct err *err);
  int (*rewrite)(struct device *device, void *memory, size_t bytes, struct err *err); /* each byte with its value */
  int (*fill)(struct device *device, void *memory, uint64_t elements, const struct fill *fill, struct err *err);
  int (*copy_async)(struct device *device, void *to, const void *from, size_t bytes, struct err *err);
  /* In each block of SHUFFLE_BLOCK elements, sets element i of `to` to element i * factor + offset of `from`, modulo
   * the block. `factor` must be odd; `from` holds whole blocks. */
  int (*shuffle)(struct device *device, void *to, const void *from, size_t element_bytes, uint64_t elements,
                 struct shuffle order, struct err *err);
  /* Sets element i of `to` to element at[i] of `from`, both in memory of the device. Returns 1 if the device can tell
   * that an element is not resident: fetching it would be work that the variant left undone. */
  int (*gather)(struct device *device, void *to, const void *from, size_t element_bytes, const struct places *places,
                struct err *err);
  /* Sets element at[i] of `memory` to (it & kept) ^ flipped, and element i of `to` to the same. All indices must
   * differ. */
  int (*plant)(struct device *device, void *to, void *memory, size_t element_bytes, const struct places *places,
               uint64_t kept, uint64_t flipped, struct err *err);
  /* Called when a slot is over, before its outputs are read: returns why memory that was allocated here does not hold
   * its contents itself ("is not there yet"); NULL: it does, or the device cannot tell. `key` selects the pages to
   * check. */
  const char *(*absent)(struct device *device, const void *memory, size_t bytes, uint64_t key);

  /* These are complete when they return. Pointers may be of any kind. */
  int (*copy)(struct device *device, void *to, const void *from, size_t bytes, struct err *err);
  /* Counts the elements whose bytes all equal `byte`, and finds the first. */
  int (*count_poison)(struct device *device, const void *memory, size_t element_bytes, uint64_t elements,
                      unsigned char byte, uint64_t *count, uint64_t *first, struct err *err);
  /* Computes a keyed checksum: without the key, two changes cannot be chosen so that they cancel. */
  int (*checksum)(struct device *device, const void *memory, size_t bytes, uint64_t key, uint64_t *sum,
                  struct err *err);
  /* Waits for all enqueued work; reports faults of earlier work. */
  int (*sync)(struct device *device, struct err *err);

  void *(*stream)(struct device *device); /* a CUstream, or NULL */

  /* Memory and streams of the other devices. Memory has each byte 0xFF and is freed by `free` as MEMORY_DEVICE; NULL:
   * not enough. A stream may be NULL. `sync` also waits for devices that were asked for either. NULL if there are no
   * others. */
  void *(*other_alloc)(struct device *device, uint32_t other, size_t bytes);
  void *(*other_stream)(struct device *device, uint32_t other);

  /* Takes `request->count` samples into `ns`, each the time of one iteration, and notes the device's state meanwhile. A
   * variant is run for the first time with `count` 1 and without `flush`. `err` explains SLOT_DEVICE and SLOT_BLOCKED.
   */
  enum slot_result (*slot)(struct device *device, const struct slot_request *request, double *ns,
                           struct slot_state *state, struct err *err);

  /* Captures `request->replicas` iterations without running them; counts the kernels and the allocations of one
   * iteration. SLOT_BLOCKED: they cannot be captured. Only for devices with graphs. */
  enum slot_result (*capture)(struct device *device, const struct slot_request *request, struct capture **capture,
                              uint32_t *kernels, uint32_t *allocations, struct err *err);
  void (*capture_free)(struct capture *capture);

  /* Enqueues an empty launch of one of `null_shapes` shapes, for the launch overhead in every time. Shape 0 is the
   * plain one. Returns as slot_request.run does. */
  uint32_t null_shapes;
  int (*null_run)(struct device *device, uint32_t shape);

  /* Reads memory while the stream is held back. NULL if the device holds nothing back. */
  int (*peek)(struct device *device, void *to, const void *from, size_t bytes, struct err *err);

  /* Marks what a profiler should see, from this call to the one with NULL; `range` names it. NULL: no profiler support.
   */
  void (*profile)(struct device *device, const char *range);

  /* Restores settings that all work on the device shares and that callbacks changed, and names one of them in `text`.
   * False: none was changed. NULL: there are no such settings. */
  bool (*restore)(struct device *device, char *text, size_t size);

  /* Returns how long untimed callbacks take by the script of a scripted device. NULL: clocks measure it. */
  double (*untimed_ns)(struct device *device, const char *key, const char *variant);

  void (*conditions)(struct device *device, struct device_conditions *conditions);

  /* Returns the source of energy readings; the caller closes it. NULL with the reason in `why`. */
  struct energy_source *(*energy)(struct device *device, char *why, size_t size);
};

/* Opens "cpu", "fake:FILE", "fake", "cuda", "cuda:N" or a GPU by its UUID. -1 with exit code 4: it cannot be used. */
int device_open(const char *spec, struct device **device, struct err *err);

static inline bool device_is(const struct device *device, enum device_trait trait) {
  return (device->facts.traits & trait) != 0;
}

/* Counts the CUDA devices without creating a context. -1 with exit code 4: none can be used. */
int device_count(uint32_t *count, struct err *err);

/* The backends. device_cuda_*() exist only in builds with CUDA. */
int device_cpu_open(struct device **device, struct err *err);
int device_pretend_open(struct device **device, struct err *err);
int device_fake_open(const char *script, struct device **device, struct err *err);
int device_cuda_open(const char *spec, struct device **device, struct err *err);
int device_cuda_count(uint32_t *count, struct err *err);

/* The operations on host memory, which the scripted and the pretended device use as well. */
extern const struct device_ops device_cpu_ops;

#ifdef __cplusplus
}
#endif
