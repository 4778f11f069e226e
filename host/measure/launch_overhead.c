/* Measures the launch overhead: the time of launches that do nothing, timed in the same mode (cold, hot, graph, ...) as
 * the variants. */
#include "measure/steps.h"

#include <math.h>

#include "base/clock.h"
enum { SAMPLES = 30, SAMPLES_LEAST = 6 };
static const double shape_s = 0.05;

struct nothing {
  struct device *device;
  uint32_t shape;
};

static int run_nothing(void *context) {
  const struct nothing *nothing = context;
  return nothing->device->ops->null_run(nothing->device, nothing->shape);
}

/* Times empty launches of one shape (one of the device's `null_shapes`): their median, and half of their interquartile
 * range as its uncertainty. Both are NaN if empty launches cannot be timed in this mode. -1: the device failed. */
static int time_shape(struct measurement *m, uint32_t shape, double *median_ns, double *unsure_ns, struct err *err) {
  struct device *device = m->c->device;
  struct nothing nothing = {device, shape};
  double ns[SAMPLES + 1];
  struct slot_state state;
  const struct slot_task task = measure_slot_task(m, 1, ns);
  struct slot_request request = {.run = run_nothing,
                                 .context = &nothing,
                                 .variant = "nothing",
                                 .key = m->c->key,
                                 .timing = task.timing,
                                 .count = task.count,
                                 .replicas = m->replicas,
                                 .flush = task.flush,
                                 .unblocked = true};
  uint32_t kernels, allocations;
  const bool graph = mode_replays((struct mode){request.timing, LOAD_PLAIN});
  enum slot_result result =
      graph ? device->ops->capture(device, &request, &request.capture, &kernels, &allocations, err) : SLOT_OK;
  int64_t start = clock_now_ns();
  /* the first slot loads modules */
  if (result == SLOT_OK) result = device->ops->slot(device, &request, ns, &state, err);
  request.count = 1 + (uint32_t)fmax(SAMPLES_LEAST, fmin(SAMPLES, shape_s / clock_seconds_since(start)));
  request.unblocked = false;
  if (result == SLOT_OK) result = device->ops->slot(device, &request, ns, &state, err);
  if (request.capture != NULL) device->ops->capture_free(request.capture);
  *median_ns = result == SLOT_OK ? stats_median(ns + 1, request.count - 1) : NAN; /* sorts the samples */
  *unsure_ns = (stats_quantile(ns + 1, request.count - 1, 0.75) - stats_quantile(ns + 1, request.count - 1, 0.25)) / 2;
  return result == SLOT_DEVICE || result == SLOT_SERIAL ? -1 : 0;
}

/* Times all shapes of an empty launch (its grid, shared memory and others); a quick run times only the first, which is
 * the plainest, and the last. The uncertainty is half the range over the shapes, but at least that of the plainest
 * shape and half a step of the clock. */
static int time_shapes(struct measurement *m, struct mode_overhead *overhead, struct err *err) {
  const uint32_t shapes = m->c->device->ops->null_shapes, step = m->request->quick && shapes > 2 ? shapes - 1 : 1;
  double low = INFINITY, high = -INFINITY, ns = NAN, unsure = NAN, least = measure_tick_ns(m) / 2;
  *overhead = (struct mode_overhead){.replicas = m->replicas, .ns = NAN, .uncertainty_ns = NAN};
  for (uint32_t shape = 0; shape < shapes; shape += step) {
    if (time_shape(m, shape, &ns, &unsure, err) != 0) return -1;
    if (shape == 0) {
      overhead->ns = ns;
      least = fmax(least, unsure);
    }
    low = fmin(low, ns);
    high = fmax(high, ns);
  }
  if (!isnan(overhead->ns)) overhead->uncertainty_ns = fmax((high - low) / 2, least);
  return 0;
}

int overhead_after_pause(struct measurement *m, struct err *err) {
  struct device *device = m->c->device;
  struct nothing nothing = {device, 0};
  double ns = NAN;
  struct slot_state state;
  const struct slot_task task = measure_slot_task(m, 1, &ns);
  const struct slot_request request = {.run = run_nothing,
                                       .context = &nothing,
                                       .variant = "nothing",
                                       .key = m->c->key,
                                       .timing = task.timing,
                                       .count = 1,
                                       .replicas = 1};
  const bool wakes = device_is(device, DEVICE_QUEUES) && device_is(device, DEVICE_HOST_PROCESSORS);
  const bool graph = mode_replays((struct mode){request.timing, LOAD_PLAIN});
  if (!wakes || device_is(device, DEVICE_SCRIPTED) || device->ops->null_run == NULL || graph) return 0;
  const enum slot_result result = device->ops->slot(device, &request, &ns, &state, err);
  m->wake_ns = fmax(m->wake_ns, ns); /* fmax() ignores NaN */
  return result == SLOT_DEVICE || result == SLOT_SERIAL ? -1 : 0;
}

/* Measures the overhead of a mode once in a process, and again if the number of iterations per sample has changed. */
int overhead_measure(struct measurement *m, struct err *err) {
  struct mode_overhead *overhead = &m->c->device->overheads[m->request->mode.timing];
  if (m->c->device->ops->null_run == NULL) return 0;
  if (overhead->replicas != m->replicas && time_shapes(m, overhead, err) != 0) return -1;
  m->report->launch_overhead_ns = overhead->ns;
  m->report->launch_overhead_unc_ns = overhead->uncertainty_ns;
  return 0;
}
