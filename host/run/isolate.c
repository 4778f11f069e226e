/* --isolate: what of it can be had here, and what is said of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/footprint.h"
#include "ask/seats.h"
#include "base/memory.h"
#include "machine/nvml.h"
#include "model/device_trait.h"
#include "run/state.h"

/* Where the run's files will be: a dated folder lies in one that holds nothing but runs. */
static const char *folder_of(const struct run_state *run) {
  const char *base = getenv("GPUBENCH_OUT");
  if (run->recording.resumed != NULL) return run->recording.dir.path;
  if (run->options->outputs.out != NULL) return run->options->outputs.out;
  return base != NULL && base[0] != '\0' ? base : "gpubench-out";
}

int run_isolate(struct run_state *run, struct err *err) {
  if (!run->options->run.isolate) return 0;
  if (isolation_find(&run->isolation, folder_of(run), err) != 0) return -1;
  process_isolate(&run->isolation);
  return 0;
}

void run_isolate_note(struct run_state *run) {
  char text[2 * TEXT_SIZE];
  if (!run->options->run.isolate) return;
  isolation_text(&run->isolation, text, sizeof text);
  pairs_add(&run->recording.environment, "isolated", "%s", text);
}

/* What no process of it has room for is not begun: the second one would be refused its tensors. */
static void skip(struct plan_case *p, size_t processes, double tensors, double memory) {
  char each[32], all[32], reason[TEXT_SIZE];
  text_bytes(each, sizeof each, tensors);
  text_bytes(all, sizeof all, memory);
  snprintf(reason, sizeof reason, "--isolate takes %zu processes with %s of tensors each, of %s that the device has",
           processes, each, all);
  for (size_t i = 0; i < p->variant_count; i++) {
    if (p->variants[i].fate != ROW_NOT_RUN) continue;
    p->variants[i].fate = ROW_SKIPPED;
    p->variants[i].reason = xstrdup(reason);
  }
}

/* One in exclusive mode would refuse the second process, and its rows would say no more than that. */
static int check_mode(const struct run_state *run, struct err *err) {
  const struct device_facts *device = &run->devices.pool.facts;
  struct nvml_facts facts;
  if (run->isolated.processes < 2 || (device->traits & DEVICE_IS_GPU) == 0 || device->uuid[0] == '\0') return 0;
  if (nvml_facts(device->uuid, &facts) != 0 || facts.exclusive != 1) return 0;
  return err_set(err, EXIT_USAGE,
                 "--isolate keeps up to %zu processes on %s, which is in exclusive compute mode: `nvidia-smi -i %s -c "
                 "DEFAULT`, or run without it",
                 run->isolated.processes, device->spec, device->uuid);
}

int run_isolate_plan(struct run_state *run, struct err *err) {
  const double memory = (double)run->devices.pool.facts.memory_bytes;
  if (!run->options->run.isolate) return 0;
  run->isolated = (struct run_isolated){0};
  for (size_t i = 0; i < run->planning.plan.count; i++) {
    struct plan_case *p = &run->planning.plan.cases[i];
    const size_t processes = seats_of(p);
    double tensors = 0;
    if (p->yardstick || processes == 0) continue;
    if (ask_footprint(&run->devices.pool, p, &tensors, err) != 0) return -1;
    if (processes > 1 && memory > 0 && (double)processes * tensors > memory) {
      skip(p, processes, tensors, memory);
      continue;
    }
    if (processes > run->isolated.processes) run->isolated.processes = processes;
    if ((double)processes * tensors > run->isolated.most_bytes) run->isolated.most_bytes = (double)processes * tensors;
  }
  return check_mode(run, err);
}

void run_isolate_print(const struct run_state *run, FILE *out) {
  char text[2 * TEXT_SIZE], bytes[32];
  const size_t processes = run->isolated.processes;
  if (!run->options->run.isolate) return;
  isolation_text(&run->isolation, text, sizeof text);
  text_bytes(bytes, sizeof bytes, run->isolated.most_bytes);
  fprintf(out, "isolated    up to %zu process%s at a time with %s of tensors in all; %s\n", processes,
          processes == 1 ? "" : "es", bytes, text);
}
