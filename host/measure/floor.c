/* What every time holds beside the work: launches that do nothing, timed as the variants are. */
#include "measure/floor.h"

#include <math.h>
#include <stdlib.h>

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

/* The median of one shape; NaN where the mode cannot time it. */
static int time_shape(struct measurement *m, uint32_t shape, double *median_ns, struct err *err) {
  struct device *device = m->c->device;
  struct nothing nothing = {device, shape};
  double ns[SAMPLES + 1];
  struct slot_state state;
  const struct turn turn = measure_turn(m, 1, ns);
  struct slot_request request = {.run = run_nothing,
                                 .context = &nothing,
                                 .variant = "nothing",
                                 .key = m->c->key,
                                 .timing = turn.timing,
                                 .count = turn.count,
                                 .replicas = m->replicas,
                                 .flush = turn.flush,
                                 .unblocked = true};
  uint32_t kernels, allocations;
  bool graph = request.timing == TIMING_GRAPH || request.timing == TIMING_LATENCY_GRAPH;
  enum slot_result result =
      graph ? device->ops->capture(device, &request, &request.capture, &kernels, &allocations, err) : SLOT_OK;
  int64_t start = clock_now_ns();
  if (result == SLOT_OK) result = device->ops->slot(device, &request, ns, &state, err); /* the first loads modules */
  request.count = 1 + (uint32_t)fmax(SAMPLES_LEAST, fmin(SAMPLES, shape_s / measure_seconds_since(start)));
  request.unblocked = false;
  if (result == SLOT_OK) result = device->ops->slot(device, &request, ns, &state, err);
  if (request.capture != NULL) device->ops->capture_free(request.capture);
  *median_ns = result == SLOT_OK ? stats_median(ns + 1, request.count - 1) : NAN;
  return result == SLOT_DEVICE || result == SLOT_SERIAL ? -1 : 0;
}

static int measure(struct measurement *m, struct launch_floor *floor, struct err *err) {
  uint32_t shapes = m->request->quick ? 1 : m->c->device->ops->null_shapes;
  double low = INFINITY, high = -INFINITY, ns = NAN;
  *floor = (struct launch_floor){.replicas = m->replicas, .ns = NAN, .uncertainty_ns = NAN};
  for (uint32_t shape = 0; shape < shapes; shape++) {
    if (time_shape(m, shape, &ns, err) != 0) return -1;
    if (shape == 0) floor->ns = ns;
    low = fmin(low, ns);
    high = fmax(high, ns);
  }
  if (shapes > 1) floor->uncertainty_ns = (high - low) / 2;
  return 0;
}

/* Once in a process for each way of timing. */
int floor_measure(struct measurement *m, struct err *err) {
  struct launch_floor *floor = &m->c->device->floors[m->request->mode.timing];
  if (m->c->device->ops->null_run == NULL) return 0;
  if (floor->replicas != m->replicas && measure(m, floor, err) != 0) return -1;
  m->report->floor_ns = floor->ns;
  m->report->floor_unc_ns = floor->uncertainty_ns;
  return 0;
}
