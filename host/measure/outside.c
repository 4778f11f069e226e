/* Runs batches of iterations that the parent process times by its own clock (the outside clock), as a check on the
 * times that this process reports. */
#include "measure/steps.h"

#include <math.h>

#include "case/contents.h"
#include "measure/audit/evidence.h"
#include "measure/iteration.h"
#include "model/proof/outside.h"

/* Several batches are run and the shortest one counts, because the parent sometimes wakes late. While the stream is
 * held back, at most QUEUED_MOST kernels are enqueued, because a queue takes only a thousand operations. */
enum { EMPTY = 5, BATCHES_MOST = 32, QUEUED_MOST = 400, ITERATED_MOST = 64, ITERATIONS_MOST = 1 << 16 };
static const double batch_ns = 7e6, first_ns = 0.5e6;

struct batch {
  struct measurement *m;
  struct mark_message mark;
  struct slot_task *task; /* the slot task whose time is reported; NULL: an empty batch */
};

static void mark_batch(void *user, bool begins) {
  struct batch *batch = user;
  batch->mark.begins = begins;
  if (!begins && batch->task != NULL) batch->mark.claimed_ns = batch->task->ns[0] * (double)batch->mark.iterations;
  batch->m->sink->mark(batch->m->sink->user, &batch->mark);
}

/* Returns true if the stream is held back until a batch is enqueued. Modes timed by the host's clock do not need that,
 * and a profiler or a sanitizer, which may be present in these modes, does not allow it. */
static bool holds_back(const struct measurement *m) {
  return m->c->device->ops->peek != NULL && !mode_is_by_host(m->request->mode);
}

/* ---- An empty batch, which shows how long the messages to the parent take ---- */

static int begin_empty(void *context) {
  mark_batch(context, true);
  return 0;
}

static int run_empty(void *context) {
  const struct batch *batch = context;
  struct device *device = batch->m->c->device;
  return device->ops->null_run != NULL ? device->ops->null_run(device, 0) : 0;
}

static int send_empty(struct measurement *m, bool tells, struct err *err) {
  struct batch batch = {.m = m, .mark = {.variant = UINT32_MAX, .iterations = 1}};
  double ns;
  struct slot_state state;
  struct slot_request request = {.run = run_empty,
                                 .context = &batch,
                                 .variant = "nothing",
                                 .key = m->c->key,
                                 .timing = TIMING_HOT,
                                 .count = 1,
                                 .replicas = 1};
  request.unblocked = !holds_back(m);
  if (tells) *(holds_back(m) ? &request.held : &request.sudden) = begin_empty;
  const enum slot_result result = m->c->device->ops->slot(m->c->device, &request, &ns, &state, err);
  if (tells) mark_batch(&batch, false);
  return result == SLOT_DEVICE || result == SLOT_SERIAL ? -1 : 0;
}

/* ---- A variant ---- */

static bool is_graph(const struct measurement *m) {
  return mode_replays(m->request->mode);
}

static bool can_be_repeated(const struct measurement *m, const struct contestant *k) {
  const bool iterable = (m->c->bench->own.flags & (GB_BENCH_ITERABLE | GB_BENCH_STATEFUL)) != 0;
  return k->variant->own.before == NULL && (iterable || !tensors_need_restore(m->c));
}

/* Returns true if a batch of the variant can be enqueued while the stream is held back. To limit the batch to
 * QUEUED_MOST kernels, the number of kernels in an iteration must be known; a capture counts them. A variant with
 * GB_VARIANT_SYNC is excluded: it waits for its work, which cannot begin while the stream is held back. */
static bool can_wait(const struct measurement *m, const struct contestant *k) {
  return holds_back(m) && k->report.figures.kernels > 0 && !(k->variant->own.flags & GB_VARIANT_SYNC);
}

/* Returns true if `run` returns only when its work is done. Then the time of a batch is that of its iterations, even if
 * they are not enqueued in advance, and an iteration in a batch takes no longer than a single sample. If it does take
 * longer, the variant claimed too little time for its samples. */
static bool waits_for_itself(const struct measurement *m, const struct contestant *k) {
  return measure_on_cpu(m) || (k->variant->own.flags & GB_VARIANT_SYNC) != 0;
}

/* Returns the most iterations that a batch may have. If iterations change their inputs, the limit is the number of
 * iterations that a sample may have in batched modes. If iterations continue from each other's results, it is the
 * number of samples in a slot. */
static double most_iterations(const struct measurement *m, const struct contestant *k) {
  double most = can_wait(m, k) ? QUEUED_MOST / fmax(k->report.figures.kernels, 1) : ITERATIONS_MOST;
  if (tensors_need_restore(m->c)) most = fmin(most, ITERATED_MOST);
  return tensors_keep_state(m->c) ? fmin(most, k->slot_size) : most;
}

static uint32_t iterations_to_fill(const struct measurement *m, const struct contestant *k, double each_ns,
                                   double of_ns) {
  if (is_graph(m)) return k->replicas;
  if (!can_be_repeated(m, k)) return 1;
  return (uint32_t)fmax(1, fmin(most_iterations(m, k), of_ns / fmax(each_ns, 1)));
}

static int run_batch(struct measurement *m, struct contestant *k, uint32_t count, double *each_ns, struct err *err) {
  double ns = NAN;
  const bool waits = can_wait(m, k) || (is_graph(m) && holds_back(m));
  struct slot_task task = {.timing = is_graph(m) ? TIMING_GRAPH : TIMING_HOT,
                           .count = 1,
                           .free_running = !waits,
                           .check_done = true,
                           .ns = &ns};
  struct batch batch = {.m = m,
                        .mark = {.variant = k->index, .iterations = count, .queued = waits || waits_for_itself(m, k)},
                        .task = &task};
  const struct bell bell = {mark_batch, &batch, waits};
  task.bell = &bell;
  const uint32_t former = k->replicas;
  k->replicas = count;
  const int rc = measure_take(m, k, &task, err);
  k->replicas = former;
  *each_ns = ns;
  if (rc == 0 && contestant_alive(k)) return contestant_check_done(k, &task, err);
  return rc;
}

/* Runs batches of the variant and reports them to the parent. The first batch is short: on a busy machine iterations in
 * a row may take much longer than samples did. */
static int run_batches(struct measurement *m, struct contestant *k, struct err *err) {
  const double median = evidence_row_median(m, k).ns, usual = isnan(median) ? k->cost_ns : median;
  double each_ns = usual, spent_ns = 0, shortest_ns = INFINITY;
  for (int i = 0; i < BATCHES_MOST && contestant_alive(k); i++) {
    const uint32_t count = iterations_to_fill(m, k, each_ns, i == 0 ? first_ns : batch_ns);
    double ns = 0;
    if (spent_ns >= outside_batches_ns(shortest_ns, usual) || measure_late(m) || measure_stopped(m)) break;
    if (run_batch(m, k, count, &ns, err) != 0) return -1;
    spent_ns += fmax(ns * count, 0);
    shortest_ns = fmin(shortest_ns, ns);
    each_ns = i == 0 ? fmax(ns, 1) : each_ns;
  }
  return 0;
}

int outside_measure(struct measurement *m, struct err *err) {
  if (device_is(m->c->device, DEVICE_SCRIPTED) || m->request->yardstick || m->sink->mark == NULL || measure_late(m))
    return 0;
  for (int i = 0; i <= EMPTY; i++) /* the first one may load modules */
    if (send_empty(m, i > 0, err) != 0) return -1;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    if (run_batches(m, k, err) != 0) return -1;
    measure_tell(m, k);
  }
  return 0;
}
