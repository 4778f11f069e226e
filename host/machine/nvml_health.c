/* Asks NVML about each GPU by its index. */
#include "machine/nvml_health.h"

#include <stdio.h>
#include <string.h>

#include "machine/kernel_files.h"
#include "machine/nvml_library.h"

/* LINES_OF_PAGES: number of kinds of errors for which pages are retired (corrected and uncorrected errors). */
enum { THRESHOLD_SLOWDOWN = 1, STATES_MOST = 32, LINES_OF_PAGES = 2 };

static int64_t number(int (*call)(void *gpu, unsigned *value), void *gpu) {
  unsigned value = 0;
  return call != NULL && call(gpu, &value) == NVML_OK ? (int64_t)value : -1;
}

static void query_gpu_text(int (*call)(void *gpu, char *text, unsigned size), void *gpu, char *to, unsigned size) {
  if (call == NULL || call(gpu, to, size) != NVML_OK) to[0] = '\0';
  to[size - 1] = '\0';
  text_sanitize(to);
}

/* Returns the value that a mode (on or off) will have after a reset. */
static int64_t query_pending_mode(int (*call)(void *gpu, unsigned *now, unsigned *pending), void *gpu) {
  unsigned now = 0, pending = 0;
  return call != NULL && call(gpu, &now, &pending) == NVML_OK ? pending != 0 : -1;
}

static int64_t errors(const struct nvml_library *call, void *gpu, int uncorrected, int aggregate) {
  unsigned long long count = 0;
  if (call->ecc_errors == NULL || call->ecc_errors(gpu, uncorrected, aggregate, &count) != NVML_OK) return -1;
  return count < INT64_MAX ? (int64_t)count : INT64_MAX;
}

static int64_t retired_pages(const struct nvml_library *call, void *gpu) {
  int64_t sum = 0;
  for (int cause = 0; cause < LINES_OF_PAGES; cause++) {
    unsigned count = 0; /* with a count of 0 there is no room for a list, so NVML returns only the number */
    int code = call->retired_pages != NULL ? call->retired_pages(gpu, cause, &count, NULL) : -1;
    if (code != NVML_OK && code != NVML_TOO_SMALL) return -1;
    sum += count;
  }
  return sum;
}

static void read_memory(const struct nvml_library *call, void *gpu, struct nvml_health *health) {
  unsigned correctable = 0, uncorrectable = 0, pending = 0, failed = 0;
  health->corrected = errors(call, gpu, 0, 0);
  health->uncorrected = errors(call, gpu, 1, 0);
  health->ever_corrected = errors(call, gpu, 0, 1);
  health->ever_uncorrected = errors(call, gpu, 1, 1);
  health->ecc_default = number(call->default_ecc, gpu);
  health->ecc_next = query_pending_mode(call->ecc, gpu);
  health->retired_pages = retired_pages(call, gpu);
  health->retirement_pending = number(call->retirement_pending, gpu);
  if (call->remapped_rows == NULL ||
      call->remapped_rows(gpu, &correctable, &uncorrectable, &pending, &failed) != NVML_OK)
    return;
  health->remapped_rows = (int64_t)correctable + uncorrectable;
  health->remap_pending = pending != 0;
  health->remap_failed = failed != 0;
}

static void read_links(const struct nvml_library *call, void *gpu, struct nvml_health *health) {
  health->pcie_width = number(call->pcie_width, gpu);
  health->pcie_width_max = number(call->max_pcie_width, gpu);
  health->pcie_generation = number(call->pcie_generation, gpu);
  health->pcie_generation_max = number(call->max_pcie_generation, gpu);
  if (call->nvlink_state == NULL) return;
  health->links = health->links_active = 0;
  for (unsigned link = 0; link < NVML_LINKS_MOST; link++) {
    unsigned active = 0;
    if (call->nvlink_state(gpu, link, &active) != NVML_OK) continue; /* the GPU does not have this link */
    health->links++;
    health->links_active += active != 0;
  }
}

static void read_gpu_heat(const struct nvml_library *call, void *gpu, struct nvml_health *health) {
  struct nvml_margin margin = {sizeof margin | 1U << 24, 0};
  unsigned celsius = 0;
  if (call->temperature_threshold != NULL &&
      call->temperature_threshold(gpu, THRESHOLD_SLOWDOWN, &celsius) == NVML_OK && celsius > 0)
    health->slowdown_c = celsius;
  health->margin_c = health->slowdown_c - health->now.temperature_c;
  if (isnan(health->margin_c) && call->temperature_margin != NULL && call->temperature_margin(gpu, &margin) == NVML_OK)
    health->margin_c = margin.celsius; /* newer GPUs report only the margin */
}

static void read_slices(const struct nvml_library *call, void *gpu, struct nvml_health *health) {
  unsigned most = 0;
  void *slice;
  health->mig_next = query_pending_mode(call->mig, gpu);
  if (call->max_slices == NULL || call->slice == NULL || call->max_slices(gpu, &most) != NVML_OK) return;
  health->slices = 0;
  for (unsigned i = 0; i < most && i < NVML_GPUS_MOST; i++)
    health->slices += call->slice(gpu, i, &slice) == NVML_OK;
}

static void read_other_processes(const char *root, struct nvml *nvml, struct nvml_health *health) {
  unsigned pids[NVML_OTHERS_MOST] = {0};
  health->other_process_count = nvml_other_processes(nvml, pids, NVML_OTHERS_MOST);
  for (int i = 0; i < NVML_OTHERS_MOST; i++) {
    health->other_processes[i].pid = pids[i];
    if (pids[i] != 0) tree_text(root, health->other_processes[i].name, ID_SIZE, "/proc/%u/comm", pids[i]);
  }
}

static void health_unknown(struct nvml_health *health) {
  *health = (struct nvml_health){.index = -1,
                                 .now = CONDITIONS_UNKNOWN,
                                 .ecc_default = -1,
                                 .ecc_next = -1,
                                 .mig_next = -1,
                                 .slices = -1,
                                 .corrected = -1,
                                 .uncorrected = -1,
                                 .ever_corrected = -1,
                                 .ever_uncorrected = -1,
                                 .retired_pages = -1,
                                 .retirement_pending = -1,
                                 .remapped_rows = -1,
                                 .remap_pending = -1,
                                 .remap_failed = -1,
                                 .compute_mode = -1,
                                 .performance_state = -1,
                                 .pcie_width = -1,
                                 .pcie_width_max = -1,
                                 .pcie_generation = -1,
                                 .pcie_generation_max = -1,
                                 .links = -1,
                                 .links_active = -1,
                                 .slowdown_c = NAN,
                                 .margin_c = NAN,
                                 .other_process_count = -1};
  nvml_facts_unknown(&health->facts);
}

static void read_gpu_health(const char *root, struct nvml *nvml, struct nvml_health *health) {
  const struct nvml_library *call = nvml->call;
  struct nvml_pci pci = {0};
  query_gpu_text(call->name, nvml->gpu, health->name, sizeof health->name);
  query_gpu_text(call->uuid, nvml->gpu, health->uuid, sizeof health->uuid);
  if (call->pci != NULL && call->pci(nvml->gpu, &pci) == NVML_OK)
    snprintf(health->pci, sizeof health->pci, "%04x:%02x:%02x.0", pci.domain, pci.bus & 0xFF, pci.device & 0x1F);
  nvml_read_facts(nvml, &health->facts);
  nvml_conditions(nvml, &health->now);
  read_memory(call, nvml->gpu, health);
  read_links(call, nvml->gpu, health);
  read_gpu_heat(call, nvml->gpu, health);
  read_slices(call, nvml->gpu, health);
  read_other_processes(root, nvml, health);
  health->compute_mode = number(call->compute_mode, nvml->gpu);
  health->performance_state = number(call->performance_state, nvml->gpu);
  if (health->performance_state >= STATES_MOST) health->performance_state = -1; /* not known */
}

void nvml_machine_unknown(struct nvml_machine *machine) {
  machine->why[0] = machine->driver[0] = '\0';
  machine->cuda = machine->count = -1;
  for (int i = 0; i < NVML_GPUS_MOST; i++)
    health_unknown(&machine->gpus[i]);
}

void nvml_machine_read(const char *root, struct nvml_machine *machine) {
  unsigned count = 0;
  int version = 0;
  nvml_machine_unknown(machine);
  const struct nvml_library *call = nvml_library(machine->why, sizeof machine->why);
  if (call == NULL) {
    text_sanitize(machine->why);
    return;
  }
  if (call->driver_version == NULL || call->driver_version(machine->driver, sizeof machine->driver) != NVML_OK)
    machine->driver[0] = '\0';
  machine->driver[sizeof machine->driver - 1] = '\0';
  text_sanitize(machine->driver);
  if (call->cuda_version != NULL && call->cuda_version(&version) == NVML_OK && version > 0) machine->cuda = version;
  if (call->count == NULL || call->by_index == NULL || call->count(&count) != NVML_OK) return;
  machine->count = count < NVML_GPUS_MOST ? count : NVML_GPUS_MOST;
  for (unsigned i = 0; i < (unsigned)machine->count; i++) {
    struct nvml nvml = {.call = call, .counted_at_ns = -1};
    struct nvml_health *health = &machine->gpus[i];
    health->index = i;
    int code = call->by_index(i, &nvml.gpu);
    if (code == NVML_OK)
      read_gpu_health(root, &nvml, health);
    else
      snprintf(health->why, sizeof health->why, "NVML: %s", call->error_string(code));
  }
}
