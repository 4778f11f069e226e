/* Rules for a GPU. Each function returns true if its rule is broken, and false if the facts for that are not known. */
#include <string.h>

#include "doctor/rules_of.h"

enum { WARM_C = 5 /* an idle GPU counts as warm if it is at most this many degrees below its limit */ };

#define SLOWED_BY_HARDWARE (THROTTLE_HARDWARE | THROTTLE_HARDWARE_THERMAL | THROTTLE_POWER_BRAKE)

GPU_RULE(gpu_silent) {
  return gpu->why[0] != '\0' && doctor_seen(to, "%s", gpu->why);
}

/* ---- Rules about memory ---- */

static bool seen_errors(const char *kind, int64_t count, const char *since, struct doctor_finding *to) {
  return count > 0 && doctor_seen(to, "%lld %s ECC error%s%s", (long long)count, kind, count == 1 ? "" : "s", since);
}

GPU_RULE(ecc_uncorrected) {
  return seen_errors("uncorrected", gpu->uncorrected, " since the driver was loaded", to);
}

GPU_RULE(ecc_ever) {
  return !(gpu->uncorrected > 0) && seen_errors("uncorrected", gpu->ever_uncorrected, " in the GPU's life", to);
}

GPU_RULE(ecc_corrected) {
  return seen_errors("corrected", gpu->corrected, " since the driver was loaded", to);
}

GPU_RULE(ecc_off) {
  return gpu->facts.ecc == 0 && gpu->ecc_default == 1 && doctor_seen(to, "ECC off");
}

GPU_RULE(ecc_changes) {
  return gpu->facts.ecc >= 0 && gpu->ecc_next >= 0 && gpu->facts.ecc != gpu->ecc_next &&
         doctor_seen(to, "ECC %s, after a reset %s", gpu->facts.ecc ? "on" : "off", gpu->ecc_next ? "on" : "off");
}

GPU_RULE(retirement_pending) {
  return gpu->retirement_pending == 1 && doctor_seen(to, "a page of memory is to be retired");
}

GPU_RULE(retired_pages) {
  return gpu->retired_pages > 0 && doctor_seen(to, "%lld pages of memory retired", (long long)gpu->retired_pages);
}

GPU_RULE(remap_failed) {
  return gpu->remap_failed == 1 && doctor_seen(to, "remapping a row of memory failed");
}

GPU_RULE(remap_pending) {
  return gpu->remap_pending == 1 && doctor_seen(to, "a row of memory is to be remapped");
}

GPU_RULE(remapped_rows) {
  return gpu->remapped_rows > 0 && doctor_seen(to, "%lld rows of memory remapped", (long long)gpu->remapped_rows);
}

/* ---- Rules about clocks, power and heat ---- */

static bool seen_throttling(uint32_t bits, struct doctor_finding *to) {
  return bits != 0 && doctor_seen(to, "clocks held down now: %s", throttle_text(bits).text);
}

GPU_RULE(throttled_hardware) {
  return seen_throttling(gpu->now.throttle & SLOWED_BY_HARDWARE, to);
}

GPU_RULE(throttled) {
  return seen_throttling(gpu->now.throttle & ~(SLOWED_BY_HARDWARE | THROTTLE_NONE), to);
}

static bool seen_heat(const struct nvml_health *gpu, struct doctor_finding *to) {
  if (isnan(gpu->now.temperature_c))
    doctor_seen(to, "%.0f C below where it slows down", gpu->margin_c);
  else
    doctor_seen(to, "%.0f C, %.0f below where it slows down", gpu->now.temperature_c, gpu->margin_c);
  return doctor_expected(to, "more than %d C below", WARM_C);
}

GPU_RULE(too_hot) {
  return gpu->margin_c <= 0 && seen_heat(gpu, to);
}

GPU_RULE(warm) {
  return gpu->margin_c > 0 && gpu->margin_c <= WARM_C && seen_heat(gpu, to);
}

GPU_RULE(power_limit) {
  return gpu->facts.power_limit_w < gpu->facts.default_limit_w - 0.5 &&
         doctor_seen(to, "power limit %.0f W", gpu->facts.power_limit_w) &&
         doctor_expected(to, "its default, %.0f W", gpu->facts.default_limit_w);
}

GPU_RULE(clocks_held) {
  double set = gpu->facts.application_clock_mhz, usual = gpu->facts.default_application_clock_mhz;
  if (set < usual || set > usual)
    return doctor_seen(to, "application clock set to %.0f MHz, its default is %.0f", set, usual);
  return gpu->facts.clocks_set == 1 && doctor_seen(to, "clocks held by a setting");
}

/* ---- Rules about modes and other users of the GPU ---- */

GPU_RULE(persistence) {
  /* Windows keeps its driver loaded, so WSL needs no persistence mode */
  return gpu->facts.persistence == 0 && facts->wsl == 0 && doctor_seen(to, "persistence mode off");
}

GPU_RULE(prohibited) {
  return gpu->compute_mode == COMPUTE_PROHIBITED && doctor_seen(to, "compute mode Prohibited");
}

GPU_RULE(exclusive) {
  return (gpu->compute_mode == COMPUTE_EXCLUSIVE || gpu->compute_mode == COMPUTE_EXCLUSIVE_THREAD) &&
         doctor_seen(to, "compute mode Exclusive: a second process gets no context");
}

GPU_RULE(mig_empty) {
  return gpu->facts.mig == 1 && gpu->slices == 0 && doctor_seen(to, "MIG on and no slice made: nothing can run");
}

GPU_RULE(mig) {
  return gpu->facts.mig == 1 && gpu->slices != 0 && doctor_seen(to, "MIG on");
}

GPU_RULE(mig_changes) {
  return gpu->facts.mig >= 0 && gpu->mig_next >= 0 && gpu->facts.mig != gpu->mig_next &&
         doctor_seen(to, "MIG %s, after a reset %s", gpu->facts.mig ? "on" : "off", gpu->mig_next ? "on" : "off");
}

GPU_RULE(mps) {
  return strncmp(gpu->facts.mps, "on", 2) == 0 && doctor_seen(to, "MPS %s", gpu->facts.mps);
}

GPU_RULE(other_processes) {
  char list[EXPR_SIZE - 128] = "";
  for (int i = 0; i < NVML_OTHERS_MOST && gpu->other_processes[i].pid != 0; i++) {
    phrase_add(list, sizeof list, ", ", "%u", gpu->other_processes[i].pid);
    if (gpu->other_processes[i].name[0] != '\0')
      phrase_add(list, sizeof list, " ", "(%s)", gpu->other_processes[i].name);
  }
  if (gpu->other_process_count > NVML_OTHERS_MOST) phrase_add(list, sizeof list, ", ", "...");
  return gpu->other_process_count > 0 &&
         doctor_seen(to, "%lld other process%s on the GPU%s%s", (long long)gpu->other_process_count,
                     gpu->other_process_count == 1 ? "" : "es", list[0] != '\0' ? ": pid " : "", list);
}

/* ---- Rules about links ---- */

GPU_RULE(pcie_width) {
  return gpu->pcie_width > 0 && gpu->pcie_width < gpu->pcie_width_max &&
         doctor_seen(to, "PCIe x%lld", (long long)gpu->pcie_width) &&
         doctor_expected(to, "x%lld, which GPU and slot can", (long long)gpu->pcie_width_max);
}

/* Finds a PCIe link that runs at a lower generation than it could. Checks only a GPU at full speed, because an idle GPU
 * slows its link down. */
GPU_RULE(pcie_generation) {
  return gpu->performance_state == 0 && gpu->pcie_generation > 0 && gpu->pcie_generation < gpu->pcie_generation_max &&
         doctor_seen(to, "PCIe generation %lld", (long long)gpu->pcie_generation) &&
         doctor_expected(to, "generation %lld, which GPU and slot can", (long long)gpu->pcie_generation_max);
}

/* Returns the largest number of active links that a GPU of this model has in the machine. */
static int64_t links_of_kind(const struct doctor_facts *facts, const struct nvml_health *gpu) {
  int64_t most = gpu->links_active;
  for (int64_t i = 0; i < facts->nvml.count; i++)
    if (strcmp(facts->nvml.gpus[i].name, gpu->name) == 0 && facts->nvml.gpus[i].links_active > most)
      most = facts->nvml.gpus[i].links_active;
  return most;
}

static bool seen_links(const struct nvml_health *gpu, struct doctor_finding *to) {
  return doctor_seen(to, "%lld of %lld NVLinks active", (long long)gpu->links_active, (long long)gpu->links);
}

GPU_RULE(nvlink_less) {
  int64_t most = links_of_kind(facts, gpu);
  return gpu->links_active >= 0 && gpu->links_active < most && seen_links(gpu, to) &&
         doctor_expected(to, "%lld, as another GPU of this kind has here", (long long)most);
}

GPU_RULE(nvlink_inactive) {
  return gpu->links_active > 0 && gpu->links_active < gpu->links && gpu->links_active == links_of_kind(facts, gpu) &&
         seen_links(gpu, to);
}

GPU_RULE(nvlink_none) {
  return gpu->links > 0 && gpu->links_active == 0 && links_of_kind(facts, gpu) == 0 && seen_links(gpu, to);
}
