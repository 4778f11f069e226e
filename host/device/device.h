/* A device as the worker uses it. Three backends implement this table, cuda, cpu, fake, and tests/other. No plugin
 * pointer passes through here but the iteration to be timed. All functions are called on one thread. */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

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

/* Elements to look at. They travel by value, to a kernel as its arguments, so that they are in no memory that a plugin
 * could read. */
enum { PLACES_MOST = 256 };
struct places {
  uint32_t count;
  uint64_t at[PLACES_MOST];
};

enum { SHUFFLE_BLOCK = 4096 };

/* The order of elements in a block. */
struct shuffle {
  uint32_t factor, offset;
};

/* Iterations captured for replay. */
struct capture;

/* Samples of a slot that took less by the host's clock than passed within them by the processor's counter, which
 * nothing explains but a clock that was changed; and the last of them. */
struct clock_doubt {
  uint32_t samples;
  double shown_ns, passed_ns;
};

/* A slot: `count` consecutive samples of one variant. */
struct slot_request {
  /* NULL, or called before each sample, with its number in the slot; UINT32_MAX: of one that is not kept. Untimed; what
   * it enqueues is done when the sample begins. On a CPU behind `before`, which has nothing of new inputs then. */
  int (*inputs)(void *context, uint32_t sample);
  int (*run)(void *context);    /* one iteration; 0, or -1 when the callback failed: the slot ends */
  int (*before)(void *context); /* untimed, before each sample; NULL: nothing */
  int (*last)(void *context);   /* untimed, once more before the last sample, behind `before`; NULL: nothing */
  /* NULL, or called once: when the caches have been emptied for the first sample, and right before it. What it enqueues
   * is not timed, and nothing comes between it and the sample. */
  int (*sudden)(void *context);
  int (*ready)(void *context);                   /* NULL, or called right before the last sample, behind all of these */
  void (*enter)(void *context, uint32_t sample); /* NULL, or called right before each sample; on a CPU alone */
  int (*done)(void *context); /* NULL, or called behind the last sample: what it enqueues comes right after its work */
  /* NULL, or called when everything of a sample is enqueued and held back: nothing of it may have happened yet. Devices
   * that hold nothing back do not call it. -1 ends the slot. */
  int (*held)(void *context);
  struct clock_doubt *doubt; /* NULL, or where the slot's are counted; none of samples by the device's clock */
  double held_ns;            /* when so much time has gone by; at most 2 ms */
  void *context;
  const char *variant; /* its name; the fake device looks it up */
  const char *key;     /* the case's key; likewise */
  enum timing timing;
  uint32_t count;
  uint32_t replicas;       /* iterations per sample; 1 but in batched modes */
  uint32_t kernels;        /* of an iteration, as captured; 0: not known */
  struct capture *capture; /* what the graph modes replay, holding `replicas` iterations; else NULL */
  bool flush;              /* empty the caches before each sample */
  bool unblocked;          /* must not be held back by the device: the first launch loads modules */
};

enum slot_result {
  SLOT_OK = 0,
  SLOT_CALLBACK = 1, /* `run` or `before` returned -1; their owner knows why */
  SLOT_DEVICE = 2,   /* the device reported a fault: the process cannot go on using it */
  SLOT_BLOCKED = 3,  /* `run` waited for work that was held back: it synchronises */
  SLOT_SERIAL = 4,   /* the device does not run queued work: nothing can be timed on it, whatever the variant */
};

/* What a launch that does nothing takes. */
struct launch_floor {
  uint32_t replicas; /* iterations per sample when it was measured; 0: not measured */
  double ns, uncertainty_ns;
};

/* What it draws with nothing to do, as last looked at. */
struct idle_power {
  bool known, settled;
  int64_t ns; /* of the energy source's clock */
  double watts;
};

struct device {
  const struct device_ops *ops;
  struct device_facts facts;
  struct device_facts *others; /* of its kind, in the order in which a case takes them; owned */
  uint32_t other_count;
  struct launch_floor floors[TIMING_COUNT]; /* kept here for their measurer */
  struct idle_power idle;                   /* likewise */
};

struct device_ops {
  void (*close)(struct device *device);

  /* Memory aligned to 256 bytes or more; NULL without a message when there is not enough. */
  void *(*alloc)(struct device *device, enum memory_kind kind, size_t bytes);
  void (*free)(struct device *device, enum memory_kind kind, void *memory);
  int64_t (*memory_free)(struct device *device); /* of MEMORY_DEVICE; -1: not known */
  /* Host memory of the device's own that is quick to copy to, until the next call. NULL: there is none. */
  void *(*staging)(struct device *device, size_t bytes);

  /* In the order of the stream, and need not be complete when they return. Pointers may be of any kind. */
  int (*set)(struct device *device, void *memory, int byte, size_t bytes, struct err *err);
  int (*rewrite)(struct device *device, void *memory, size_t bytes, struct err *err); /* each byte with what it is */
  int (*fill)(struct device *device, void *memory, uint64_t elements, const struct fill *fill, struct err *err);
  int (*copy_async)(struct device *device, void *to, const void *from, size_t bytes, struct err *err);
  /* In each SHUFFLE_BLOCK of elements, element i of `to` becomes element i * factor + offset of `from`, modulo the
   * block. `factor` is odd; `from` holds whole blocks. */
  int (*shuffle)(struct device *device, void *to, const void *from, size_t element_bytes, uint64_t elements,
                 struct shuffle order, struct err *err);
  /* Element i of `to` becomes element at[i] of `from`. Both are the device's. Returns 1, on a device that can tell,
   * where an element is not there to be read: fetching it would be work that somebody else does. */
  int (*gather)(struct device *device, void *to, const void *from, size_t element_bytes, const struct places *places,
                struct err *err);
  /* Element at[i] of `memory` becomes (it & kept) ^ flipped, of which `to` has a copy. No place may be there twice. */
  int (*plant)(struct device *device, void *to, void *memory, size_t element_bytes, const struct places *places,
               uint64_t kept, uint64_t flipped, struct err *err);
  /* When a slot is over, before anybody reads: why this memory, as it was allocated here, does not hold its contents by
   * itself, "is not there yet"; NULL: it does, or the device cannot tell. `key` draws the pages that are looked at. */
  const char *(*absent)(struct device *device, const void *memory, size_t bytes, uint64_t key);

  /* Complete when they return. Pointers may be of any kind. */
  int (*copy)(struct device *device, void *to, const void *from, size_t bytes, struct err *err);
  /* How many of the elements have only this byte, and which is the first. */
  int (*count_poison)(struct device *device, const void *memory, size_t element_bytes, uint64_t elements,
                      unsigned char byte, uint64_t *count, uint64_t *first, struct err *err);
  /* Who does not know the key cannot change two places so that the sum stays. */
  int (*checksum)(struct device *device, const void *memory, size_t bytes, uint64_t key, uint64_t *sum,
                  struct err *err);
  /* Waits for everything enqueued; a fault of earlier work is reported here. */
  int (*sync)(struct device *device, struct err *err);

  void *(*stream)(struct device *device); /* CUstream, or NULL */

  /* Of one of the others: memory for `free` as MEMORY_DEVICE, each byte 0xFF, or NULL; a stream, or NULL. `sync` waits
   * for those that were asked for either. NULL where there are no others. */
  void *(*other_alloc)(struct device *device, uint32_t other, size_t bytes);
  void *(*other_stream)(struct device *device, uint32_t other);

  /* Takes `request->count` samples into `ns`, each the time of one iteration, and notes the device's state meanwhile.
   * `request->count` 1 without `flush` is also how a variant is first run. `err` says what a SLOT_DEVICE or
   * SLOT_BLOCKED was. */
  enum slot_result (*slot)(struct device *device, const struct slot_request *request, double *ns,
                           struct slot_state *state, struct err *err);

  /* Captures `request->replicas` iterations without running them; `*kernels` counts the kernels of one, `*allocations`
   * its allocations. SLOT_BLOCKED: they cannot be captured. Only where the device has graphs. */
  enum slot_result (*capture)(struct device *device, const struct slot_request *request, struct capture **capture,
                              uint32_t *kernels, uint32_t *allocations, struct err *err);
  void (*capture_free)(struct capture *capture);

  /* Launches that do nothing, of `null_shapes` shapes: what every time holds beside the work. Shape 0 is the plain one.
   * Returns as slot_request's `run` does. */
  uint32_t null_shapes;
  int (*null_run)(struct device *device, uint32_t shape);

  /* Reads memory while the stream is held back. NULL where nothing is held back. */
  int (*peek)(struct device *device, void *to, const void *from, size_t bytes, struct err *err);

  /* From here to the call with NULL is what a profiler should see; `range` names it. NULL: no profiler hooks here. */
  void (*profile)(struct device *device, const char *range);

  /* Puts right what callbacks changed of the settings that all work on the device shares, and names one of them. False:
   * nothing was. NULL: there are none. */
  bool (*restore)(struct device *device, char *text, size_t size);

  /* Of a scripted device: how long callbacks outside the time take. NULL: clocks say it. */
  double (*untimed_ns)(struct device *device, const char *key, const char *variant);

  void (*conditions)(struct device *device, struct device_conditions *conditions);

  /* Where its joules come from; the caller closes it. NULL with the reason in `why`. */
  struct energy_source *(*energy)(struct device *device, char *why, size_t size);
};

/* Opens "cpu", "fake:FILE", "fake", "cuda", "cuda:N" or a GPU's UUID. Exit 4 where it cannot be used. */
int device_open(const char *spec, struct device **device, struct err *err);

static inline bool device_is(const struct device *device, enum device_trait trait) {
  return (device->facts.traits & trait) != 0;
}

/* How many CUDA devices there are. Makes no context. Exit 4 where none can be used. */
int device_count(uint32_t *count, struct err *err);

/* One backend each. device_cuda_*() exist only in builds with CUDA. */
int device_cpu_open(struct device **device, struct err *err);
int device_pretend_open(struct device **device, struct err *err);
int device_fake_open(const char *script, struct device **device, struct err *err);
int device_cuda_open(const char *spec, struct device **device, struct err *err);
int device_cuda_count(uint32_t *count, struct err *err);

/* Shared by the cpu and fake devices: memory operations on host memory. */
extern const struct device_ops device_cpu_ops;

#ifdef __cplusplus
}
#endif
#endif
