/* Watches for work that variants do outside the measured time, in callbacks, threads or child processes. */
#include "measure/audit/untimed.h"

#include "base/clock.h"
#include "case/calls.h"
#include "case/contents.h"
#include "measure/sink.h"

static bool has_seen(const struct untimed *u, uint64_t seed) {
  const uint32_t kept = u->seen < UNTIMED_SEEDS ? u->seen : UNTIMED_SEEDS;
  for (uint32_t i = 0; i < kept; i++)
    if (u->seeds[i] == seed) return true;
  return false;
}

static void send_untimed(const struct contestant *k, const struct untimed_message *message) {
  if (k->sink != NULL && k->sink->untimed != NULL) k->sink->untimed(k->sink->user, message);
}

static void say_stage(const struct contestant *k, enum untimed_kind kind, enum untimed_stage stage, double ns) {
  if (device_is(k->c->device, DEVICE_SCRIPTED)) return; /* clocks tell nothing on a scripted device */
  send_untimed(k, &(struct untimed_message){.variant = k->index, .kind = kind, .stage = stage, .ns = ns});
}

/* Begins to watch the gap between a callback and a slot, or a slot and a callback. The device first finishes everything
 * enqueued; if that fails, the next call that uses the device reports the error. */
static void gap_begins(struct contestant *k) {
  struct untimed *u = &k->untimed;
  struct err err = {0};
  const int64_t before_ns = clock_now_ns();
  if (device_is(k->c->device, DEVICE_QUEUES)) (void)call_sync(k->c, &err);
  u->gap = others_now();
  u->gap_drained_ns = device_is(k->c->device, DEVICE_QUEUES) ? (double)(u->gap.at_ns - before_ns) : 0;
}

/* Returns the part of the gap in which work may have been done: the processor time of other threads or, if there is a
 * child process, the whole gap. Work on a device with a queue must be enqueued by a thread, which takes it more than
 * `enqueue_ns`. So the whole gap counts once other threads used that much. */
static double gap_ns(const struct contestant *k) {
  const double enqueue_ns = 1000, others = others_threads_ns(&k->untimed.gap);
  const bool children = others_have_child(&k->untimed.gap), quiet = others < enqueue_ns && !children;
  if (!device_is(k->c->device, DEVICE_QUEUES) && !children) return others;
  return k->untimed.gap_drained_ns + (quiet ? 0 : (double)(clock_now_ns() - k->untimed.gap.at_ns));
}

static void callback_begins(struct contestant *k, enum untimed_kind kind) {
  k->untimed.began_ns[kind] = clock_now_ns();
  say_stage(k, kind, UNTIMED_BEGINS, 0);
}

static void callback_ends(const struct contestant *k, enum untimed_kind kind) {
  say_stage(k, kind, UNTIMED_ENDS, (double)(clock_now_ns() - k->untimed.began_ns[kind]));
}

static void count_untimed(const struct contestant *k, enum untimed_kind kind, double gap, double iterations) {
  struct device *device = k->c->device;
  struct untimed_message message = {
      .variant = k->index, .kind = kind, .stage = UNTIMED_COUNTS, .gap_ns = gap, .iterations = iterations};
  if (device->ops->untimed_ns != NULL) {
    message.scripted = 1;
    message.ns = device->ops->untimed_ns(device, k->c->key, k->name);
    message.gap_ns = 0;
  }
  send_untimed(k, &message);
}

void untimed_derives(struct contestant *k) {
  if ((k->variant->desc.flags & GB_VARIANT_DERIVED) == 0) return;
  k->untimed.derived_anew = !has_seen(&k->untimed, k->c->seed);
  callback_begins(k, UNTIMED_DERIVE);
}

void untimed_derived(struct contestant *k) {
  if ((k->variant->desc.flags & GB_VARIANT_DERIVED) == 0) return;
  callback_ends(k, UNTIMED_DERIVE);
  gap_begins(k);
  k->untimed.derived = true;
}

/* Notes the slot, and sets over how many iterations the time of `prepare` or `refresh` is spread (counted_iterations):
 * over all iterations of the slot if they continue from each other's results, otherwise over one. */
void untimed_slot_begins(struct contestant *k, const struct slot_task *task, uint32_t replicas) {
  struct untimed *u = &k->untimed;
  const double iterations = (double)task->count * replicas;
  if (!task->goes_on) u->iterations = 0;
  u->iterations += iterations;
  u->ended = false;
  u->counts = u->derived && u->derived_anew;
  u->counted_iterations = tensors_keep_state(k->c) ? iterations : 1;
  if (u->counts) u->derive_gap_ns = gap_ns(k);
  u->derived = false;
}

/* If there is a child process, measures again how much time has passed since `prepare` or `refresh`: the child may have
 * worked while the caches were emptied. The processor time of threads is not taken again, because idle threads of
 * OpenMP spin. */
void untimed_called(struct contestant *k) {
  struct untimed *u = &k->untimed;
  if (u->counts && !device_is(k->c->device, DEVICE_QUEUES) && others_have_child(&u->gap)) u->derive_gap_ns = gap_ns(k);
}

static void count_derived(struct contestant *k) {
  struct untimed *u = &k->untimed;
  if (u->counts) count_untimed(k, UNTIMED_DERIVE, u->derive_gap_ns, u->counted_iterations);
  u->counts = false;
}

/* A slot in which a piece of the inputs changed is not counted as a slot on new inputs, because most of the inputs are
 * unchanged. */
void untimed_slot_ended(struct contestant *k, const struct slot_task *task) {
  struct untimed *u = &k->untimed;
  count_derived(k);
  if (u->ended || task->count == 0) return;
  u->ended = true;
  u->ran_anew = task->surprise.last == 0 && (!has_seen(u, k->c->seed) || tensors_keep_state(k->c));
  if (k->variant->own.after != NULL) gap_begins(k);
  if (!has_seen(u, k->c->seed)) u->seeds[u->seen++ % UNTIMED_SEEDS] = k->c->seed;
}

void untimed_delivers(struct contestant *k) {
  k->untimed.gap_ns = gap_ns(k);
  callback_begins(k, UNTIMED_DELIVER);
}

void untimed_delivered(struct contestant *k) {
  callback_ends(k, UNTIMED_DELIVER);
  if (k->untimed.ran_anew)
    count_untimed(k, UNTIMED_DELIVER, k->untimed.gap_ns, tensors_keep_state(k->c) ? k->untimed.iterations : 1);
}

/* ---- Ahead of a call ---- */

void untimed_ahead_begins(struct contestant *k) {
  k->ahead.waited_s += others_wait_until_idle();
  k->ahead.since = others_now();
}

void untimed_ahead_ends(struct contestant *k) {
  struct ahead *a = &k->ahead;
  const bool child = others_have_child(&a->since);
  const double ns = child ? (double)(clock_now_ns() - a->since.at_ns) : others_threads_ns(&a->since);
  const struct untimed_message message = {.variant = k->index,
                                          .kind = UNTIMED_AHEAD,
                                          .stage = UNTIMED_COUNTS,
                                          .gap_ns = ns,
                                          .iterations = 1,
                                          .slots = 1 / a->share};
  a->count++;
  send_untimed(k, &message);
}
