/* A device that is neither a GPU nor the CPU, for tests. Its memory is host memory, and its thread executes the queued
 * work. It has events (timestamps taken by that thread) and a gate, which holds work back until all work of a sample
 * is queued; it has no graphs. To be built into gpubench, it needs this file, a line in device_open() and one in
 * options/device_list.c; edit.sh adds both lines. */
#include "other.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/device.h"
#include "model/data/fill.h"

int device_other_open(struct device **device, struct err *err);

enum { QUEUE = 1024 };
static const double gate_most_s = 2; /* how long a gate stays closed at most, in case its opener waits for the stream */

struct work {
  void (*run)(const void *data);
  unsigned char data[OTHER_MOST];
};

struct device_other {
  struct device base;
  struct device_ops ops;
  struct other_stream stream;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct work queue[QUEUE];
  uint64_t enqueued, done;
  uint64_t closed, opened, gave_up; /* numbers of the gates that were closed, opened and gave up last */
  bool ends;
  struct err fault; /* the first error of queued work */
};

/* ---- The stream ---- */

static void *work_on(void *argument) {
  struct device_other *other = (struct device_other *)argument;
  pthread_mutex_lock(&other->lock);
  for (;;) {
    while (other->done == other->enqueued && !other->ends)
      pthread_cond_wait(&other->changed, &other->lock);
    if (other->done == other->enqueued) break;
    const struct work work = other->queue[other->done % QUEUE];
    pthread_mutex_unlock(&other->lock);
    work.run(work.data);
    pthread_mutex_lock(&other->lock);
    other->done++;
    pthread_cond_broadcast(&other->changed);
  }
  pthread_mutex_unlock(&other->lock);
  return NULL;
}

static struct device_other *of_stream(struct other_stream *stream) {
  return (struct device_other *)((char *)stream - offsetof(struct device_other, stream));
}

static void enqueue(struct other_stream *stream, void (*run)(const void *data), const void *data, size_t bytes) {
  struct device_other *other = of_stream(stream);
  pthread_mutex_lock(&other->lock);
  while (other->enqueued - other->done == QUEUE)
    pthread_cond_wait(&other->changed, &other->lock);
  struct work *work = &other->queue[other->enqueued++ % QUEUE];
  work->run = run;
  memcpy(work->data, data, bytes < OTHER_MOST ? bytes : OTHER_MOST);
  pthread_cond_broadcast(&other->changed);
  pthread_mutex_unlock(&other->lock);
}

static void wait_for_all(struct other_stream *stream) {
  struct device_other *other = of_stream(stream);
  pthread_mutex_lock(&other->lock);
  const uint64_t until = other->enqueued;
  while (other->done < until)
    pthread_cond_wait(&other->changed, &other->lock);
  pthread_mutex_unlock(&other->lock);
}

/* ---- Memory: the CPU device's functions, executed in the order of the stream ---- */

/* One call of a memory function of the CPU device, with its arguments. */
struct task {
  struct device_other *other;
  enum { TASK_SET, TASK_REWRITE, TASK_FILL, TASK_COPY, TASK_SHUFFLE, TASK_GATHER, TASK_PLANT } kind;
  void *to;
  const void *from;
  size_t bytes, element_bytes;
  uint64_t elements;
  int byte;
  struct shuffle order;
  uint64_t kept, flipped;
  void *copy; /* a copy of the struct fill or struct places, freed by do_task() */
};
_Static_assert(sizeof(struct task) <= OTHER_MOST, "a task is handed over whole");

static void do_task(const void *data) {
  struct task task;
  struct err err = {0};
  int rc = 0;
  memcpy(&task, data, sizeof task);
  struct device *device = &task.other->base;
  switch (task.kind) {
    case TASK_SET:
      rc = device_cpu_ops.set(device, task.to, task.byte, task.bytes, &err);
      break;
    case TASK_REWRITE:
      rc = device_cpu_ops.rewrite(device, task.to, task.bytes, &err);
      break;
    case TASK_FILL:
      rc = device_cpu_ops.fill(device, task.to, task.elements, (const struct fill *)task.copy, &err);
      break;
    case TASK_COPY:
      rc = device_cpu_ops.copy(device, task.to, task.from, task.bytes, &err);
      break;
    case TASK_SHUFFLE:
      rc = device_cpu_ops.shuffle(device, task.to, task.from, task.element_bytes, task.elements, task.order, &err);
      break;
    case TASK_GATHER:
      rc =
          device_cpu_ops.gather(device, task.to, task.from, task.element_bytes, (const struct places *)task.copy, &err);
      break;
    case TASK_PLANT:
      rc = device_cpu_ops.plant(device, task.to, (void *)(uintptr_t)task.from, task.element_bytes,
                                (const struct places *)task.copy, task.kept, task.flipped, &err);
      break;
  }
  free(task.copy);
  pthread_mutex_lock(&task.other->lock);
  if (rc != 0 && task.other->fault.exit_code == 0) task.other->fault = err;
  pthread_mutex_unlock(&task.other->lock);
}

static int enqueue_task(struct device *device, struct task task) {
  task.other = (struct device_other *)device;
  enqueue(&task.other->stream, do_task, &task, sizeof task);
  return 0;
}

static int other_set(struct device *device, void *memory, int byte, size_t bytes, struct err *err) {
  (void)err;
  return enqueue_task(device, (struct task){.kind = TASK_SET, .to = memory, .byte = byte, .bytes = bytes});
}

static int other_rewrite(struct device *device, void *memory, size_t bytes, struct err *err) {
  (void)err;
  return enqueue_task(device, (struct task){.kind = TASK_REWRITE, .to = memory, .bytes = bytes});
}

static void *copy_of(const void *data, size_t bytes) {
  void *copy = xcalloc(1, bytes);
  memcpy(copy, data, bytes);
  return copy;
}

static int other_fill(struct device *device, void *memory, uint64_t elements, const struct fill *fill,
                      struct err *err) {
  (void)err;
  return enqueue_task(
      device,
      (struct task){.kind = TASK_FILL, .to = memory, .elements = elements, .copy = copy_of(fill, sizeof *fill)});
}

static int other_gather(struct device *device, void *to, const void *from, size_t element_bytes,
                        const struct places *places, struct err *err) {
  (void)err;
  return enqueue_task(device, (struct task){.kind = TASK_GATHER,
                                            .to = to,
                                            .from = from,
                                            .element_bytes = element_bytes,
                                            .copy = copy_of(places, sizeof *places)});
}

static int other_plant(struct device *device, void *to, void *memory, size_t element_bytes, const struct places *places,
                       uint64_t kept, uint64_t flipped, struct err *err) {
  (void)err;
  return enqueue_task(device, (struct task){.kind = TASK_PLANT,
                                            .to = to,
                                            .from = memory,
                                            .element_bytes = element_bytes,
                                            .kept = kept,
                                            .flipped = flipped,
                                            .copy = copy_of(places, sizeof *places)});
}

static int other_copy_async(struct device *device, void *to, const void *from, size_t bytes, struct err *err) {
  (void)err;
  return enqueue_task(device, (struct task){.kind = TASK_COPY, .to = to, .from = from, .bytes = bytes});
}

static int other_shuffle(struct device *device, void *to, const void *from, size_t element_bytes, uint64_t elements,
                         struct shuffle order, struct err *err) {
  (void)err;
  return enqueue_task(device, (struct task){.kind = TASK_SHUFFLE,
                                            .to = to,
                                            .from = from,
                                            .element_bytes = element_bytes,
                                            .elements = elements,
                                            .order = order});
}

static int other_sync(struct device *device, struct err *err) {
  struct device_other *other = (struct device_other *)device;
  wait_for_all(&other->stream);
  if (other->fault.exit_code == 0) return 0;
  *err = other->fault;
  return -1;
}

static int other_copy(struct device *device, void *to, const void *from, size_t bytes, struct err *err) {
  return other_sync(device, err) != 0 ? -1 : device_cpu_ops.copy(device, to, from, bytes, err);
}

static int other_count_poison(struct device *device, const void *memory, size_t element_bytes, uint64_t elements,
                              unsigned char byte, uint64_t *count, uint64_t *first, struct err *err) {
  if (other_sync(device, err) != 0) return -1;
  return device_cpu_ops.count_poison(device, memory, element_bytes, elements, byte, count, first, err);
}

static int other_checksum(struct device *device, const void *memory, size_t bytes, uint64_t key, uint64_t *sum,
                          struct err *err) {
  return other_sync(device, err) != 0 ? -1 : device_cpu_ops.checksum(device, memory, bytes, key, sum, err);
}

/* Copies at once, without waiting for the stream. */
static int other_peek(struct device *device, void *to, const void *from, size_t bytes, struct err *err) {
  return device_cpu_ops.copy(device, to, from, bytes, err);
}

static void other_free(struct device *device, enum memory_kind kind, void *memory) {
  wait_for_all(&((struct device_other *)device)->stream);
  device_cpu_ops.free(device, kind, memory);
}

static void *other_stream_of(struct device *device) {
  return &((struct device_other *)device)->stream;
}

/* ---- Events and the gate ---- */

struct event {
  int64_t *at_ns;
};

static void note_time(const void *data) {
  struct event event;
  memcpy(&event, data, sizeof event);
  *event.at_ns = clock_now_ns();
}

static void record(struct device_other *other, int64_t *at_ns) {
  const struct event event = {at_ns};
  enqueue(&other->stream, note_time, &event, sizeof event);
}

struct gate {
  struct device_other *other;
  uint64_t number;
};

/* Waits on the stream's thread until the gate is opened, so that work queued after this function is held back. */
static void wait_at_gate(const void *data) {
  struct gate gate;
  struct timespec until;
  memcpy(&gate, data, sizeof gate);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += (time_t)gate_most_s;
  pthread_mutex_lock(&gate.other->lock);
  int rc = 0;
  while (gate.other->opened < gate.number && rc == 0)
    rc = pthread_cond_timedwait(&gate.other->changed, &gate.other->lock, &until);
  if (gate.other->opened < gate.number) gate.other->gave_up = gate.number;
  pthread_mutex_unlock(&gate.other->lock);
}

static void close_gate(struct device_other *other) {
  const struct gate gate = {other, ++other->closed};
  enqueue(&other->stream, wait_at_gate, &gate, sizeof gate);
}

/* Opens the gate. Returns true if the gate held work back until now, false if it gave up before. */
static bool open_gate(struct device_other *other) {
  pthread_mutex_lock(&other->lock);
  const bool held = other->gave_up != other->closed;
  other->opened = other->closed;
  pthread_cond_broadcast(&other->changed);
  pthread_mutex_unlock(&other->lock);
  return held;
}

/* ---- Slots ---- */

static bool call(int (*callback)(void *context), const struct slot_request *request) {
  return callback == NULL || callback(request->context) == 0;
}

static enum slot_result enqueue_before(const struct slot_request *request, uint32_t sample) {
  const bool last = sample + 1 == request->count;
  if (request->inputs != NULL && request->inputs(request->context, sample) != 0) return SLOT_CALLBACK;
  if (!call(request->before, request)) return SLOT_CALLBACK;
  if (last && !call(request->last, request)) return SLOT_CALLBACK;
  if (sample == 0 && !call(request->sudden, request)) return SLOT_CALLBACK;
  return !last || call(request->ready, request) ? SLOT_OK : SLOT_CALLBACK;
}

static enum slot_result enqueue_work(const struct slot_request *request) {
  for (uint32_t i = 0; i < request->replicas; i++)
    if (request->run(request->context) != 0) return SLOT_CALLBACK;
  return SLOT_OK;
}

static void sleep_s(double seconds) {
  const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
  nanosleep(&time, NULL);
}

/* Enqueues an untimed call before the timed one. The cuda device does so, too, in all samples of a slot except the
 * first, if a sample is a single call. */
static enum slot_result enqueue_lead(const struct slot_request *request) {
  const enum slot_result result = enqueue_before(request, UINT32_MAX);
  return result == SLOT_OK ? enqueue_work(request) : result;
}

/* Times a sample by two events of the device, with the whole sample queued before the first one runs. */
static enum slot_result time_on_device(struct device_other *other, const struct slot_request *request, uint32_t sample,
                                       double *ns, struct err *err) {
  int64_t from_ns = 0, to_ns = 0;
  enum slot_result result = SLOT_OK;
  if (!request->unblocked) close_gate(other);
  if (!request->unblocked && sample > 0 && request->replicas == 1) result = enqueue_lead(request);
  if (result == SLOT_OK) result = enqueue_before(request, sample);
  record(other, &from_ns);
  if (result == SLOT_OK) result = enqueue_work(request);
  record(other, &to_ns);
  if (result == SLOT_OK && sample + 1 == request->count && !call(request->done, request)) result = SLOT_CALLBACK;
  if (result == SLOT_OK && !request->unblocked && request->held != NULL) {
    sleep_s(fmin(request->held_ns * 1e-9, 0.002));
    if (request->held(request->context) != 0) result = SLOT_CALLBACK;
  }
  const bool held = request->unblocked || open_gate(other);
  wait_for_all(&other->stream);
  *ns = (double)(to_ns - from_ns) / request->replicas;
  if (result == SLOT_OK && !held) {
    err_set(err, EXIT_FAILED, "run waits for work that is held back");
    return SLOT_BLOCKED;
  }
  return result;
}

static enum slot_result time_on_host(struct device_other *other, const struct slot_request *request, uint32_t sample,
                                     double *ns) {
  enum slot_result result = enqueue_before(request, sample);
  if (result != SLOT_OK) return result;
  wait_for_all(&other->stream);
  const int64_t start_ns = clock_now_ns();
  result = enqueue_work(request);
  wait_for_all(&other->stream);
  *ns = (double)(clock_now_ns() - start_ns);
  const bool last = sample + 1 == request->count;
  return result != SLOT_OK || !last || call(request->done, request) ? result : SLOT_CALLBACK;
}

static enum slot_result other_slot(struct device *device, const struct slot_request *request, double *ns,
                                   struct slot_state *state, struct err *err) {
  struct device_other *other = (struct device_other *)device;
  const bool by_host = mode_is_by_host((struct mode){request->timing, LOAD_PLAIN});
  enum slot_result result = SLOT_OK;
  *state = SLOT_STATE_UNKNOWN;
  for (uint32_t i = 0; i < request->count && result == SLOT_OK; i++)
    result = by_host ? time_on_host(other, request, i, &ns[i]) : time_on_device(other, request, i, &ns[i], err);
  if (result != SLOT_OK) return result;
  return other_sync(device, err) == 0 ? SLOT_OK : SLOT_DEVICE;
}

static void do_nothing(const void *data) {
  (void)data;
}

static int other_nothing(struct device *device, uint32_t shape) {
  (void)shape;
  enqueue(&((struct device_other *)device)->stream, do_nothing, "", 1);
  return 0;
}

/* ---- The device ---- */

static void other_conditions(struct device *device, struct device_conditions *conditions) {
  (void)device;
  *conditions = CONDITIONS_UNKNOWN;
}

static struct energy_source *other_energy(struct device *device, char *why, size_t size) {
  (void)device;
  text_copy(why, size, "it has no counter of its energy");
  return NULL;
}

static void other_close(struct device *device) {
  struct device_other *other = (struct device_other *)device;
  if (other == NULL) return;
  pthread_mutex_lock(&other->lock);
  other->ends = true;
  pthread_cond_broadcast(&other->changed);
  pthread_mutex_unlock(&other->lock);
  pthread_join(other->thread, NULL);
  free(other);
}

/* Copies the CPU device's functions, and replaces those that must run in the order of the stream. */
static void take_ops(struct device_ops *ops) {
  *ops = device_cpu_ops;
  ops->close = other_close;
  ops->free = other_free;
  ops->set = other_set;
  ops->rewrite = other_rewrite;
  ops->fill = other_fill;
  ops->copy_async = other_copy_async;
  ops->shuffle = other_shuffle;
  ops->gather = other_gather;
  ops->plant = other_plant;
  ops->copy = other_copy;
  ops->count_poison = other_count_poison;
  ops->checksum = other_checksum;
  ops->sync = other_sync;
  ops->peek = other_peek;
  ops->stream = other_stream_of;
  ops->slot = other_slot;
  ops->null_run = other_nothing;
  ops->conditions = other_conditions;
  ops->energy = other_energy;
}

int device_other_open(struct device **device, struct err *err) {
  struct device *cpu = NULL;
  if (device_cpu_open(&cpu, err) != 0) return -1;
  struct device_other *other = (struct device_other *)xcalloc(1, sizeof *other);
  other->base.facts = cpu->facts;
  cpu->ops->close(cpu);
  other->base.facts.traits = DEVICE_TRAITS_OTHER;
  text_copy(other->base.facts.backend, sizeof other->base.facts.backend, "other");
  text_copy(other->base.facts.spec, sizeof other->base.facts.spec, "other");
  text_copy(other->base.facts.name, sizeof other->base.facts.name, "Other");
  take_ops(&other->ops);
  other->base.ops = &other->ops;
  other->stream = (struct other_stream){enqueue, wait_for_all};
  pthread_mutex_init(&other->lock, NULL);
  pthread_cond_init(&other->changed, NULL);
  if (pthread_create(&other->thread, NULL, work_on, other) != 0) {
    free(other);
    return err_set(err, EXIT_DEVICE, "other: no thread to work on what is enqueued");
  }
  *device = &other->base;
  return 0;
}
