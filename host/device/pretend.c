/* A device without hardware, so that plugins for GPUs can be checked on machines without one. Inputs are filled and
 * expected outputs are computed in host memory, but no variant runs. */
#include <stdlib.h>

#include "base/memory.h"
#include "device/device.h"

struct device_pretend {
  struct device base;
  struct device_ops ops;
};

static void pretend_close(struct device *device) {
  free(device);
}

static enum slot_result pretend_slot(struct device *device, const struct slot_request *request, double *ns,
                                     struct slot_state *state, struct err *err) {
  (void)request, (void)ns;
  *state = SLOT_STATE_UNKNOWN;
  err_set(err, EXIT_DEVICE, "device %s runs nothing", device->facts.spec);
  return SLOT_DEVICE;
}

static struct energy_source *pretend_energy(struct device *device, char *why, size_t size) {
  (void)device;
  text_copy(why, size, "there is no device");
  return NULL;
}

static void pretend_conditions(struct device *device, struct device_conditions *conditions) {
  (void)device;
  *conditions = CONDITIONS_UNKNOWN;
}

/* Fills in the properties of an H200, because most benches and variants can run on one. */
static void pretend_facts(struct device_pretend *pretend) {
  struct device_facts *facts = &pretend->base.facts;
  *facts = (struct device_facts){.compute_capability = 90,
                                 .sm_count = 132,
                                 .l2_bytes = INT64_C(60) << 20,
                                 .shared_memory_per_block_bytes = 232448,
                                 .memory_bytes = INT64_C(140) << 30,
                                 .threads = -1,
                                 .traits = DEVICE_TRAITS_GPU | DEVICE_PRETENDED,
                                 .tick_ns = 1};
  text_copy(facts->backend, sizeof facts->backend, "cuda");
  text_copy(facts->spec, sizeof facts->spec, "fake");
  text_copy(facts->name, sizeof facts->name, "a GPU that is not there");
}

int device_pretend_open(struct device **device, struct err *err) {
  struct device_pretend *pretend = (struct device_pretend *)xcalloc(1, sizeof *pretend);
  (void)err;
  pretend->ops = device_cpu_ops;
  pretend->ops.slot = pretend_slot;
  pretend->ops.energy = pretend_energy;
  pretend->ops.conditions = pretend_conditions;
  pretend->ops.close = pretend_close;
  pretend->base.ops = &pretend->ops;
  pretend_facts(pretend);
  *device = &pretend->base;
  return 0;
}
