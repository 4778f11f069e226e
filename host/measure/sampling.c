/* Prepares samples: warms up, chooses how many samples a slot has and how many iterations a sample has, and chooses the
 * samples that run on new inputs. */
#include "measure/sampling.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "case/calls.h"
#include "case/contents.h"
#include "case/input_pool.h"
#include "measure/audit/sample_inputs.h"
#include "measure/iteration.h"
#include "measure/orders.h"

enum { WARM_MOST_MS = 2000 };
static const double slot_ns = 5e6, batch_most_ns = 50e6, burst_ramp_s = 0.001;

static bool measured_time(const struct measurement *m) {
  return !device_is(m->c->device, DEVICE_SCRIPTED);
}

static int run_untimed(struct measurement *m, struct contestant *k, uint32_t count, double *ns, struct err *err) {
  struct slot_task task = measure_slot_task(m, count, ns);
  return measure_take(m, k, &task, err);
}

static double slot_length_ns(const struct measurement *m) {
  return fmax(slot_ns, mode_slot_s(m->request->mode) * 1e9);
}

/* Runs the variant untimed for `seconds`. */
static int warm_variant(struct measurement *m, struct contestant *k, double seconds, struct err *err) {
  double ns[SLOT_MOST];
  int64_t start = clock_now_ns();
  const double share = fmin(1, seconds * 1e9 / slot_length_ns(m));
  const uint32_t count = (uint32_t)fmax(1, fmin(SLOT_MOST, share * k->slot_size));
  while (contestant_alive(k) && !measure_stopped(m) && clock_seconds_since(start) < seconds)
    if (run_untimed(m, k, count, ns, err) != 0) return -1;
  return 0;
}

int sampling_lead_in(struct measurement *m, struct contestant *k, struct err *err) {
  if (!measured_time(m)) return 0;
  switch ((enum load)m->request->mode.load) {
    case LOAD_BURST:
      clock_pause(mode_lead_s(m->request->mode) - burst_ramp_s);
      return warm_variant(m, k, burst_ramp_s, err);
    case LOAD_SUSTAINED:
      return warm_variant(m, k, mode_lead_s(m->request->mode), err);
    default:
      return 0;
  }
}

/* ---- Sizes ---- */

/* Returns the number of samples that fill a slot. The duration of a sample includes its launch and the emptying of the
 * caches. A trajectory (calls that continue from each other's results) is one slot. */
static uint32_t slot_size(const struct measurement *m, double wall_ns, double reported_ns) {
  if (m->request->trajectory > 0) return m->request->trajectory;
  double cost = measured_time(m) ? wall_ns : reported_ns;
  return (uint32_t)fmax(1, fmin(SLOT_MOST, slot_length_ns(m) / fmax(cost, 1)));
}

/* Returns the number of iterations per sample in batched modes. Timing lengthens a sample by added_ns (on an H200 3.5
 * us). There are enough iterations that this is less than a fifth of the wanted precision for the fastest variant; but
 * at most MOST, and at most batch_most_ns for a sample of the slowest one. */
static uint32_t batch_size(const struct measurement *m, double fastest_ns, double slowest_ns) {
  enum { MOST = 64 };
  const struct device_facts *facts = &m->c->device->facts;
  double added_ns = device_is(m->c->device, DEVICE_QUEUES) ? 4000 : 2 * fmax(facts->tick_ns, 1);
  double needed = added_ns / (0.2 * m->request->precision * fastest_ns);
  return (uint32_t)fmax(1, fmin(MOST, fmin(ceil(needed), batch_most_ns / slowest_ns)));
}

/* Returns true if the first sample of a slot is dropped, because the switch of variants may have lengthened it. Slots
 * with a single cold sample keep it if the row is a yardstick's, or on a GPU with cooldowns, where work takes
 * milliseconds. */
bool sampling_drops_first(const struct measurement *m, const struct contestant *k) {
  const bool rests = m->pace.on && !measure_on_cpu(m);
  return !(rests || m->request->yardstick) || k->slot_size > 1 || m->request->mode.timing != TIMING_COLD ||
         tensors_keep_state(m->c);
}

/* ---- Warm-up ---- */

static int warm_all_once(struct measurement *m, double *once_ns, struct err *err) {
  double ns[2] = {0};
  *once_ns = 0;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    int64_t start = clock_now_ns();
    if (run_untimed(m, k, 2, ns, err) != 0) return -1;
    /* uses the shortest time so far, because slots would have too few samples after a time that a disturbance
     * lengthened */
    k->cost_ns = fmin(k->cost_ns, (double)(clock_now_ns() - start) / 2);
    k->slot_size = slot_size(m, k->cost_ns, ns[1] * m->replicas);
    k->slot_wall_ns = k->cost_ns * (k->slot_size + 1);
    *once_ns += ns[1];
  }
  return 0;
}

/* Runs all variants in turn until the device's clock frequency has risen from idle and times have settled. On a busy
 * machine they never do, so there is a limit. */
static int warm_until_settled(struct measurement *m, double least_s, struct err *err) {
  const double most_s = fmax(least_s, fmin(WARM_MOST_MS * 1e-3, m->request->case_time_s / 4));
  int64_t start = clock_now_ns();
  double former_ns = 0, once_ns = 0;
  bool settled = false;
  while (measure_next(m, 0) && !measure_stopped(m) && (!settled || clock_seconds_since(start) < least_s)) {
    if (warm_all_once(m, &once_ns, err) != 0) return -1;
    bool steady = fabs(once_ns - former_ns) < 0.02 * once_ns;
    settled = m->request->quick || steady || measure_late(m) || clock_seconds_since(start) > most_s;
    former_ns = once_ns;
  }
  return 0;
}

/* Chooses the batch size. All variants of a case get the same one, so that what a batch adds to the time is the same
 * for all. */
static int fit_batches(struct measurement *m, struct err *err) {
  double ns[2], fastest_ns = INFINITY, slowest_ns = 1;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    struct slot_task task = {.timing = TIMING_COLD, .count = 2, .ns = ns};
    m->running = k;
    if (contestant_slot(k, &task, err) != 0) return -1;
    m->running = NULL;
    if (!contestant_alive(k)) continue;
    fastest_ns = fmin(fastest_ns, fmax(ns[1], 1));
    slowest_ns = fmax(slowest_ns, ns[1]);
  }
  if (orders_given(m) && measure_next(m, 0) != NULL && orders_sizes(m, &fastest_ns, &slowest_ns, err) != 0) return -1;
  m->replicas = batch_size(m, fastest_ns, slowest_ns);
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    k->replicas = m->replicas;
    m->running = k;
    if (contestant_capture(k, m->request->mode, err) != 0) return -1;
    m->running = NULL;
  }
  return 0;
}

/* Gives variants of similar speed slots with the same number of samples: then the effect of that number on the median
 * is the same for all. */
static int level_slot_sizes(struct measurement *m, struct err *err) {
  uint32_t least = measure_slot_least(m);
  if (orders_given(m) && measure_next(m, 0) != NULL && orders_level(m, &least, err) != 0) return -1;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    if (k->slot_size > 2 * least) continue;
    k->slot_wall_ns *= (least + 1.0) / (k->slot_size + 1.0);
    k->slot_size = least;
  }
  return 0;
}

int sampling_warm_up(struct measurement *m, double least_s, struct err *err) {
  double once_ns;
  if (mode_is_batched(m->request->mode) && fit_batches(m, err) != 0) return -1;
  if ((measured_time(m) ? warm_until_settled(m, least_s, err) : warm_all_once(m, &once_ns, err)) != 0) return -1;
  return level_slot_sizes(m, err);
}

/* ---- New inputs ---- */

/* Writing inputs takes at most `cost_share` of the sampling time, and comes before at most `samples_share` of a slot's
 * samples. Until a variant has enough samples on new inputs, without which it may not count as faster than another one
 * (record/record.h), writing may take more, up to `early_share` of the case's time. */
static const double cost_share = 0.03, early_share = 0.2, samples_share = 0.75;
/* The largest share of a slot's samples before which inputs are written, in modes that do not empty the caches. There a
 * sample after the pause for writing differs from the others, so such samples must be too few to move a median. */
static const double warm_share = 0.125;
/* NEW_ENOUGH samples on new inputs and AGAIN_ENOUGH on repeated ones suffice, if the relative uncertainty of the median
 * on new inputs is below `known_well`. Otherwise samples are taken until AUDITS_MAX are kept. */
enum { NEW_ENOUGH = 16, AGAIN_ENOUGH = 8 };
static const double known_well = 0.01;

static bool may_rotate(const struct measurement *m) {
  return m->request->trajectory == 0 && !m->request->yardstick && !device_is(m->c->device, DEVICE_SCRIPTED) &&
         !tensors_keep_state(m->c);
}

int sampling_open_inputs(struct measurement *m, struct err *err) {
  if (!may_rotate(m)) return 0;
  if (input_pool_open(m->c, rng_key(m->request->seed, measure_draw(m)), &m->rotates, err) != 0) return -1;
  if (!m->rotates) return 0;
  m->rotation_s = INFINITY;
  for (uint64_t i = 0; i < 3; i++) {
    const int64_t start = clock_now_ns();
    if (input_pool_show(m->c, measure_draw(m) | 1, err) != 0 || call_sync(m->c, err) != 0) return -1;
    m->rotation_s = fmin(m->rotation_s, clock_seconds_since(start));
  }
  return input_pool_put_back(m->c, err);
}

bool sampling_lacks_new(const struct measurement *m, const struct contestant *k) {
  const uint32_t count = k->rotated.count[AUDIT_FRESH];
  if (m->rotations_s >= early_share * m->request->case_time_s) return false;
  if (count < NEW_ENOUGH || k->rotated.count[AUDIT_SEEN] < AGAIN_ENOUGH) return true;
  const double median_ns = audit_median(&k->rotated, AUDIT_FRESH);
  return count < AUDITS_MAX && audit_median_uncertainty(&k->rotated, AUDIT_FRESH) > known_well * median_ns;
}

/* Returns true if the times of samples on new inputs are noted separately. For batches on a device with a queue they
 * are not, because the time of writing could not be subtracted: there the whole slot runs on other inputs. */
static bool notes_new(const struct measurement *m) {
  return m->rotates && (measure_on_cpu(m) || !mode_is_batched(m->request->mode));
}

bool sampling_needs_new(const struct measurement *m, const struct contestant *k) {
  return notes_new(m) && !contestant_is_derived(k) && k->rotated.count[AUDIT_FRESH] < SAMPLES_NEW_LEAST &&
         sampling_lacks_new(m, k);
}

bool sampling_rotates(struct measurement *m, const struct contestant *k, const struct spot_check *check) {
  const bool possible = m->rotates && check->stage == STAGE_SAMPLING && check->to == 0 && !contestant_is_derived(k);
  if (check->on && k->slot_size == 1) return false;
  return possible && m->c->seed == m->c->known_seed && (measure_draw(m) % 4 != 0 || sampling_needs_new(m, k));
}

double sampling_writes_share(double seconds, double of_s) {
  return fmin(1, cost_share * of_s / fmax(seconds, 1e-9));
}

struct rotation sampling_rotation(struct measurement *m, const struct contestant *k, const struct spot_check *check) {
  const bool cold = m->request->mode.timing == TIMING_COLD, early = sampling_lacks_new(m, k);
  const double most = !cold ? warm_share : k->slot_size == 1 && early ? 1 : samples_share;
  struct rotation rotation = {0};
  if (!check->rotates || mode_is_batched(m->request->mode)) return rotation;
  rotation.share = early ? most : fmin(most, sampling_writes_share(m->rotation_s, k->cost_ns * 1e-9));
  rotation.new_share = k->slot_size == 1 && sampling_needs_new(m, k) ? 1 : 2.0 / 3;
  rotation.key = measure_draw(m);
  rotation.judged = check->judged || check->last.on;
  return rotation;
}

/* ---- Watched calls ---- */

/* Some calls, chosen at random, are watched for work that other threads do before the call begins. More of the first
 * slots have such a call, so that even the shortest case has some. If one slot in n has one, the work found in it
 * counts n times. */
enum { WATCHES_LEAST = 2 };
static const double first_share = 0.5, watched_share = 0.125, watch_cost_share = 0.04, first_wait_s = 0.1;

static bool is_one_plugins(const struct measurement *m) {
  for (uint32_t i = 1; i < m->count; i++)
    if (m->contestants[i].variant->plugin != m->contestants[0].variant->plugin) return false;
  return true;
}

static double share_of_watched(const struct measurement *m, const struct contestant *k) {
  const struct ahead *a = &k->ahead;
  if (a->count < WATCHES_LEAST && a->waited_s < first_wait_s) return first_share;
  const double wait_s = a->count > 0 ? a->waited_s / a->count : 0;
  const double costs_s = wait_s + k->cost_ns * 1e-9 + m->rotation_s;
  return fmin(watched_share, watch_cost_share * k->slot_wall_ns * 1e-9 / costs_s);
}

uint32_t sampling_watches(struct measurement *m, struct contestant *k, uint32_t count) {
  if (!measure_on_cpu(m) || !is_one_plugins(m) || count == 0) return 0;
  k->ahead.share = share_of_watched(m, k);
  return measure_draw_share(m) < k->ahead.share ? 1 + (uint32_t)(measure_draw(m) % count) : 0;
}

/* ---- New inputs in batches ---- */

static const uint32_t batches = 2;

int rotated_batch_begin(struct measurement *m, struct contestant *k, const struct spot_check *check,
                        struct slot_task *task, struct err *err) {
  const bool cpu = measure_on_cpu(m), lacks = cpu && sampling_lacks_new(m, k);
  const double written_s = iterations_of(k, task->timing) * m->rotation_s;
  const double costs_s = cpu ? batches * (1e-9 * k->cost_ns + written_s) : 2 * m->rotation_s;
  if (!check->rotates || check->on || check->judged || !mode_is_batched(m->request->mode)) return 0;
  if (!lacks && measure_draw_share(m) >= sampling_writes_share(costs_s, k->slot_wall_ns * 1e-9)) return 0;
  if (!cpu) return input_pool_show(m->c, measure_draw(m) | 1, err);
  task->rotation.batches = batches;
  task->rotation.key = measure_draw(m);
  task->rotation.watched = sampling_watches(m, k, iterations_of(k, task->timing));
  m->rotations_s += costs_s;
  return 0;
}

void rotated_batch_note(struct contestant *k, const struct slot_task *task, uint32_t at) {
  const struct rotation *rotation = &task->rotation;
  const uint32_t iterations = iterations_of(k, task->timing);
  for (uint32_t i = 0; i < rotation->batches && contestant_alive(k); i++) {
    const enum audit_kind kind = rotation_of_batch(rotation, i) == INPUTS_NEW ? AUDIT_FRESH : AUDIT_SEEN;
    audit_note(&k->rotated, kind, task->ns[at + i] - rotation->written_ns[i] / iterations);
  }
}
