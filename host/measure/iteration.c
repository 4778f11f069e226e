/* The callbacks that a device calls during a slot (consecutive samples of one variant). */
#include "measure/iteration.h"

#include <math.h>

#include "base/clock.h"
#include "base/rng.h"
#include "case/calls.h"
#include "case/contents.h"
#include "case/witness.h"
#include "measure/audit/sample_inputs.h"
#include "measure/audit/untimed.h"

/* The stream is held back while the host looks for outputs that are written too early. It is held back for the longer
 * of two times: least_held_ns, and held_costs times the duration of a sample. By then work that bypasses this stream is
 * done. */
static const double least_held_ns = 2e5, held_costs = 2;

/* Perturbs the tensors before an iteration. Before the last perturbed iteration, poisons outputs (fills them with a
 * pattern that marks unwritten elements) and writes new values to a piece of the inputs. Before earlier perturbed
 * iterations, writes the new values to a piece at another place. */
static int surprise(struct iteration *iteration) {
  const struct surprise *surprise = &iteration->task->surprise;
  struct gb_case *c = iteration->k->c;
  if (iteration->calls < surprise->last)
    return tensors_move_piece(c, surprise->inputs + iteration->calls, &iteration->err);
  const int rc = surprise->whole ? tensors_poison(c, &iteration->err)
                                 : tensors_poison_piece(c, surprise->inputs + surprise->last, &iteration->err);
  return rc == 0 && surprise->inputs != 0 ? tensors_change_piece(c, surprise->inputs, &iteration->err) : rc;
}

/* Writes the inputs before an iteration of an extra batch that tests for reuse: with new values in one such batch, with
 * the same ones again in the other. */
static int rotate_each(struct iteration *iteration, uint32_t batch) {
  const struct rotation *rotation = &iteration->task->rotation;
  return sample_inputs_write(iteration->k->c, rotation_of_batch(rotation, batch),
                             rng_bits(rotation->key, iteration->calls), &iteration->err);
}

static int touch_inputs(struct iteration *iteration) {
  return tensors_touch_piece(iteration->k->c, iteration->task->surprise.inputs + iteration->calls, &iteration->err);
}

/* Perturbs the tensors before the iteration if task->surprise selects this iteration. Before each of the `touched`
 * iterations that come right before the perturbed ones, writes as many bytes as a perturbation does, but leaves their
 * values unchanged. */
static int write_surprise(struct iteration *iteration, struct slot_task *task) {
  const struct surprise *coming = &task->surprise;
  const uint32_t call = iteration->calls;
  if (call > coming->last || call + coming->touched < coming->first) return 0;
  const int64_t start = clock_now_ns();
  const bool comes = call >= coming->first;
  const int rc = comes ? surprise(iteration) : touch_inputs(iteration);
  *(comes ? &task->surprise_ns : &task->touched_ns) += (double)(clock_now_ns() - start);
  return rc;
}

/* Makes the changes of inputs and outputs that the slot task asks for before an iteration. Notes the time of writing,
 * which is later subtracted from the variant's time. */
static int write_before(struct iteration *iteration, struct slot_task *task) {
  struct rotation *rotation = &task->rotation;
  const uint32_t sample = (iteration->calls - 1) / iterations_of(iteration->k, task->timing);
  if (rotation->batches == 0 || sample + rotation->batches < task->count) return write_surprise(iteration, task);
  const uint32_t batch = sample + rotation->batches - task->count;
  const uint32_t place = 1 + (iteration->calls - 1) % iterations_of(iteration->k, task->timing);
  const bool watched = place == rotation->watched && rotation_of_batch(rotation, batch) == INPUTS_NEW;
  const int64_t start = clock_now_ns();
  if (watched) untimed_ahead_begins(iteration->k);
  const int rc = rotate_each(iteration, batch);
  if (watched) untimed_ahead_ends(iteration->k);
  rotation->written_ns[batch] += (double)(clock_now_ns() - start);
  return rc;
}

/* Calls `run`. The time of the first call is added to that of `prepare` (prepare_s), because kernels may be compiled
 * and tuned in either. */
static gb_status call_run(struct contestant *k) {
  double *prepare_s = &k->report.figures.prepare_s;
  if (!isnan(*prepare_s)) return k->variant->own.run(k->variant->theirs, k->c, k->vstate);
  const int64_t start = clock_now_ns();
  const gb_status status = k->variant->own.run(k->variant->theirs, k->c, k->vstate);
  *prepare_s = (double)(k->prepare_ns + clock_now_ns() - start) * 1e-9;
  return status;
}

static int iterate(void *context) {
  struct iteration *iteration = context;
  struct contestant *k = iteration->k;
  struct slot_task *task = iteration->task;
  const uint32_t call = ++iteration->calls;
  if (task != NULL && write_before(iteration, task) != 0) return -1;
  if (task != NULL && call == 1) untimed_called(k);
  if (k->c->timeline != NULL) k->c->iteration_ns = clock_now_ns();
  iteration->status = call_run(k);
  k->c->iteration++;
  if (task != NULL) k->c->steps++;
  return iteration->status == GB_OK && !k->c->misused ? 0 : -1;
}

/* Restores the inout tensors between iterations, then calls the variant's `before`, which restores data that only the
 * variant knows of. */
static int restore_tensors(void *context) {
  struct iteration *iteration = context;
  struct contestant *k = iteration->k;
  if (!tensors_keep_state(k->c) && tensors_restore(k->c, &iteration->err) != 0) return -1;
  if (k->variant->own.before == NULL) return 0;
  call_next_callback(k->c, PHASE_BEFORE);
  iteration->status = k->variant->own.before(k->variant->theirs, k->c, k->vstate);
  /* the status page (memory that the parent reads) still names `before`, so `before` is blamed */
  if (iteration->status != GB_OK || k->c->misused) return -1;
  call_next_callback(k->c, PHASE_RUN);
  return 0;
}

/* Writes outputs, then inputs. The inputs come last, so that nothing happens between writing them and the iteration. */
static int apply_change(struct iteration *iteration, const struct change *change) {
  struct gb_case *c = iteration->k->c;
  if ((change->poison ? tensors_poison(c, &iteration->err) : tensors_rewrite(c, &iteration->err)) != 0) return -1;
  return change->fill ? tensors_change(c, change->seed, &iteration->err) : 0;
}

/* Returns true if the times of a slot's samples are known while the slot runs; a device with a queue reports them
 * later. */
static bool times_are_known(const struct iteration *iteration) {
  return !device_is(iteration->k->c->device, DEVICE_QUEUES);
}

/* Returns true if calls take so long that ROUNDS_LEAST rounds do not fit into the time left. The faster of the last two
 * samples decides, because a single one may have been delayed. */
static bool calls_too_slow(struct iteration *iteration, uint32_t sample) {
  const struct slot_task *task = iteration->task;
  if (task->left_ns <= 0 || !times_are_known(iteration) || sample < 2) return false;
  const double call_ns = fmin(task->ns[sample - 2], task->ns[sample - 1]);
  if (call_ns * task->calls_left > task->left_ns) iteration->slow_ns = call_ns;
  return iteration->slow_ns > 0;
}

/* Called between the samples of a slot. Fails if calls are too slow, so that the slot ends. Otherwise writes the inputs
 * if the slot task asks for that before the next sample. */
static int next_sample(void *context, uint32_t sample) {
  struct iteration *iteration = context;
  struct slot_task *task = iteration->task;
  if (calls_too_slow(iteration, sample)) return -1;
  if (task->rotation.share <= 0 || sample < task->skipped) return 0;
  if (sample + 1 == task->rotation.watched) untimed_ahead_begins(iteration->k);
  return sample_inputs_apply(iteration->k->c, &task->rotation, sample, task->count, &iteration->err);
}

static void enter_sample(void *context, uint32_t sample) {
  const struct iteration *iteration = context;
  if (sample + 1 == iteration->task->rotation.watched) untimed_ahead_ends(iteration->k);
}

static int change_first(void *context) {
  struct iteration *iteration = context;
  if (tensors_guard(iteration->k->c, &iteration->err) != 0) return -1;
  return apply_change(iteration, &iteration->task->first);
}

static int change_last(void *context) {
  struct iteration *iteration = context;
  return apply_change(iteration, &iteration->task->last);
}

/* Changes outputs so that a late write can be recognised (case/witness.h). Runs right before the last sample, because
 * work that the previous iteration left to other threads may go on until then. */
static int plant_witness(void *context) {
  struct iteration *iteration = context;
  return witness_plant(iteration->k->c, &iteration->err);
}

/* Called right after the last sample is enqueued; on a device with a queue the sample may not have begun yet. Notes
 * that the slot has ended, and has elements of the outputs read right after the sample (case/witness.h). */
static int slot_done(void *context) {
  struct iteration *iteration = context;
  const bool after = iteration->k->variant->own.after != NULL;
  if (after && !device_is(iteration->k->c->device, DEVICE_QUEUES)) untimed_slot_ended(iteration->k, iteration->task);
  return iteration->task->check_done ? witness_take(iteration->k->c, after, &iteration->err) : 0;
}

/* Finds an output that was written while the stream is held back: work that was enqueued on this stream cannot have
 * written it. */
static int untouched(void *context) {
  struct iteration *iteration = context;
  iteration->escaped = early_write_output(iteration->k->c, &iteration->err);
  return iteration->err.exit_code != 0 ? -1 : 0;
}

uint32_t iterations_of(const struct contestant *k, enum timing timing) {
  return mode_is_batched((struct mode){timing, LOAD_PLAIN}) ? k->replicas : 1;
}

/* Returns the iterations that belong to kept samples. On a scripted device it is all of them, because it runs a single
 * iteration for all samples of a slot. */
struct kept iterations_kept(const struct contestant *k, const struct slot_task *task, uint32_t replicas) {
  if (!task->timed) return (struct kept){0};
  if (device_is(k->c->device, DEVICE_SCRIPTED)) return kept_all();
  const uint32_t watched = task->rotation.batches == 0 ? task->rotation.watched : 0;
  return (struct kept){.from = (uint64_t)task->skipped * replicas,
                       .to = (uint64_t)task->kept_to * replicas,
                       .except = watched != 0 ? (uint64_t)(watched - 1) * replicas : UINT64_MAX};
}

struct slot_request iteration_capture(struct iteration *iteration, enum timing timing) {
  struct contestant *k = iteration->k;
  return (struct slot_request){
      .run = iterate,
      .before = (tensors_need_restore(k->c) && !tensors_keep_state(k->c)) || k->variant->own.before != NULL
                    ? restore_tensors
                    : NULL,
      .context = iteration,
      .variant = k->name,
      .key = k->c->key,
      .timing = timing,
      .replicas = iterations_of(k, timing),
      .kernels = k->report.figures.kernels > 0 ? (uint32_t)k->report.figures.kernels : 0,
      .capture = mode_replays((struct mode){timing, LOAD_PLAIN}) ? k->capture : NULL,
      .unblocked = !k->launched || (k->variant->own.flags & GB_VARIANT_SYNC),
  };
}

static int ring_bell(void *context) {
  const struct iteration *iteration = context;
  iteration->task->bell->ring(iteration->task->bell->user, true);
  return 0;
}

struct slot_request iteration_slot(struct iteration *iteration) {
  const struct slot_task *task = iteration->task;
  struct slot_request request = iteration_capture(iteration, task->timing);
  request.count = task->count;
  request.flush = task->flush;
  request.doubt = &iteration->task->doubt;
  request.unblocked = request.unblocked || task->free_running;
  if (task->single) {
    request.replicas = 1;
    request.capture = NULL;
  }
  if (task->check_held) request.held = untouched;
  request.held_ns = fmax(least_held_ns, held_costs * iteration->k->cost_ns);
  const bool after = iteration->k->variant->own.after != NULL; /* the outputs are elsewhere until `after` has run */
  if (task->check_done && !after) request.ready = plant_witness;
  if (task->check_done || (after && !device_is(iteration->k->c->device, DEVICE_QUEUES))) request.done = slot_done;
  const bool clocked = task->left_ns > 0 && times_are_known(iteration);
  if (task->rotation.share > 0 || clocked) request.inputs = next_sample;
  if (task->rotation.watched != 0 && task->rotation.batches == 0) request.enter = enter_sample;
  if (task->first.on) request.sudden = change_first;
  if (task->bell != NULL) *(task->bell->waits ? &request.held : &request.sudden) = ring_bell;
  if (task->bell != NULL) request.held_ns = 0;
  if (task->last.on) request.last = change_last;
  return request;
}
