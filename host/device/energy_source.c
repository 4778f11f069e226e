/* Energy readings of GPUs by NVML, and of CPUs by RAPL. */
#include "device/energy_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "machine/nvml.h"
#include "machine/rapl.h"

/* Returns the time of the monotonic clock, to which readings of real devices refer. */
static int64_t real_now(struct energy_source *source) {
  (void)source;
  return clock_now_ns();
}

static void real_rest(struct energy_source *source, double seconds) {
  (void)source;
  clock_pause(seconds);
}

/* ---- Energy of a GPU by NVML ---- */

struct gpu_source {
  struct energy_source base;
  struct nvml *nvml;
};

static double gpu_joules(struct energy_source *source) {
  return nvml_energy_j(((struct gpu_source *)source)->nvml);
}

static double gpu_watts(struct energy_source *source) {
  struct slot_state state = SLOT_STATE_UNKNOWN;
  nvml_slot_state(((struct gpu_source *)source)->nvml, NVML_POWER, &state);
  return state.power_w;
}

static void gpu_close(struct energy_source *source) {
  nvml_close(((struct gpu_source *)source)->nvml);
  free(source);
}

struct energy_source *energy_source_nvml(const char *uuid, char *why, size_t size) {
  struct nvml *nvml = nvml_open(uuid, why, size);
  if (nvml == NULL) return NULL;
  if (isnan(nvml_energy_j(nvml))) {
    snprintf(why, size, "NVML: the driver reports no energy for this GPU");
    nvml_close(nvml);
    return NULL;
  }
  struct gpu_source *gpu = xcalloc(1, sizeof *gpu);
  *gpu = (struct gpu_source){{"NVML counter", 0, gpu_joules, gpu_watts, real_now, real_rest, gpu_close}, nvml};
  return &gpu->base;
}

/* ---- Energy of the CPU by RAPL ---- */

struct cpu_source {
  struct energy_source base;
  struct rapl *rapl;
};

static double cpu_joules(struct energy_source *source) {
  return rapl_joules(((struct cpu_source *)source)->rapl);
}

/* Returns NaN, because RAPL has no power reading. Reads the counter, so that no wrap-around of the counter is
 * missed. */
static double cpu_watts(struct energy_source *source) {
  (void)rapl_joules(((struct cpu_source *)source)->rapl);
  return NAN;
}

static void close_cpu_energy(struct energy_source *source) {
  rapl_close(((struct cpu_source *)source)->rapl);
  free(source);
}

struct energy_source *energy_source_rapl(const char *root, char *why, size_t size) {
  struct rapl *rapl = rapl_open(root, why, size);
  if (rapl == NULL) return NULL;
  struct cpu_source *cpu = xcalloc(1, sizeof *cpu);
  *cpu = (struct cpu_source){{"", RAPL_AGE_S, cpu_joules, cpu_watts, real_now, real_rest, close_cpu_energy}, rapl};
  text_copy(cpu->base.method, sizeof cpu->base.method, rapl_method(rapl));
  return &cpu->base;
}
