/* Finds out which protections --isolate can use here, and reports them. */
#include "run/isolate.h"

#include <stdio.h>
#include <string.h>

#include "ask/seats.h"
#include "ask/supports.h"
#include "base/memory.h"
#include "machine/nvml.h"
#include "model/device_trait.h"

int run_isolate(struct run_isolation *isolation, const char *folder, struct err *err) {
  if (!isolation->asked) return 0;
  if (isolation_find(&isolation->found, folder, err) != 0) return -1;
  process_isolate(&isolation->found);
  return 0;
}

void run_isolate_note(const struct run_isolation *isolation, struct pairs *environment) {
  char text[2 * TEXT_SIZE];
  if (!isolation->asked) return;
  isolation_text(&isolation->found, text, sizeof text);
  pairs_add(environment, "isolated", "%s", text);
}

/* Skips a case if its processes together do not fit into the device's memory, because the second process could not
 * allocate its tensors. */
static void skip_too_large(struct plan_case *p, size_t processes, double tensors, double memory) {
  char each[32], all[32], reason[TEXT_SIZE];
  text_bytes(each, sizeof each, tensors);
  text_bytes(all, sizeof all, memory);
  snprintf(reason, sizeof reason, "--isolate takes %zu processes with %s of tensors each, of %s that the device has",
           processes, each, all);
  for (size_t i = 0; i < p->variant_count; i++) {
    if (p->variants[i].status != ROW_NOT_RUN) continue;
    p->variants[i].status = ROW_SKIPPED;
    p->variants[i].reason = xstrdup(reason);
  }
}

/* Fails if several processes are needed but the device is in exclusive mode, which would refuse the second process. The
 * rows of the second process would not show that reason. */
static int check_mode(size_t processes, const struct device_facts *device, struct err *err) {
  struct nvml_facts facts;
  if (processes < 2 || (device->traits & DEVICE_IS_GPU) == 0 || device->uuid[0] == '\0') return 0;
  if (nvml_facts(device->uuid, &facts) != 0 || facts.exclusive != 1) return 0;
  return err_set(err, EXIT_USAGE,
                 "--isolate keeps up to %zu processes on %s, which is in exclusive compute mode: `nvidia-smi -i %s -c "
                 "DEFAULT`, or run without it",
                 processes, device->spec, device->uuid);
}

int run_isolate_plan(struct run_isolation *isolation, struct pool *pool, const struct plan *plan, struct err *err) {
  const double memory = (double)pool->facts.memory_bytes;
  if (!isolation->asked) return 0;
  isolation->processes = 0;
  isolation->most_bytes = 0;
  for (size_t i = 0; i < plan->count; i++) {
    struct plan_case *p = &plan->cases[i];
    const size_t processes = seats_of(p);
    double tensors = 0;
    if (p->yardstick || processes == 0) continue;
    if (ask_footprint(pool, p, &tensors, err) != 0) return -1;
    if (processes > 1 && memory > 0 && (double)processes * tensors > memory) {
      skip_too_large(p, processes, tensors, memory);
      continue;
    }
    if (processes > isolation->processes) isolation->processes = processes;
    if ((double)processes * tensors > isolation->most_bytes) isolation->most_bytes = (double)processes * tensors;
  }
  return check_mode(isolation->processes, &pool->facts, err);
}

void run_isolate_print(const struct run_isolation *isolation, FILE *out) {
  char text[2 * TEXT_SIZE], bytes[32];
  const size_t processes = isolation->processes;
  if (!isolation->asked) return;
  isolation_text(&isolation->found, text, sizeof text);
  text_bytes(bytes, sizeof bytes, isolation->most_bytes);
  fprintf(out, "isolated    up to %zu process%s at a time with %s of tensors in all; %s\n", processes,
          processes == 1 ? "" : "es", bytes, text);
}
