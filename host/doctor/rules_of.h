/* The functions of the table in rules.c, and what they say it with. */
#ifndef DOCTOR_RULES_OF_H
#define DOCTOR_RULES_OF_H

#include "doctor/facts.h"

/* Both return true, so that they may end a condition. */
bool doctor_seen(struct doctor_finding *finding, const char *format, ...) ERR_PRINTF(2, 3);
bool doctor_expected(struct doctor_finding *finding, const char *format, ...) ERR_PRINTF(2, 3);

#define MAYBE __attribute__((unused))
#define MACHINE_RULE(name) bool machine_##name(MAYBE const struct doctor_facts *facts, MAYBE struct doctor_finding *to)
#define GPU_RULE(name)                                                                         \
  bool gpu_##name(MAYBE const struct doctor_facts *facts, MAYBE const struct nvml_health *gpu, \
                  struct doctor_finding *to)

MACHINE_RULE(driver_silent);
MACHINE_RULE(driver_missing);
MACHINE_RULE(nvml_missing);
MACHINE_RULE(gpu_missing);
MACHINE_RULE(gpu_lost);
MACHINE_RULE(gpu_elsewhere);
MACHINE_RULE(no_gpu);
MACHINE_RULE(uvm_missing);
MACHINE_RULE(wsl);
MACHINE_RULE(cuda_too_new);
MACHINE_RULE(cuda_newer);
MACHINE_RULE(torch_too_new);
MACHINE_RULE(nvcc_too_new);
MACHINE_RULE(cupy_too_new);
MACHINE_RULE(triton_unlike);
MACHINE_RULE(governor);
MACHINE_RULE(quota);
MACHINE_RULE(load);
MACHINE_RULE(shm);
MACHINE_RULE(scratch_unusable);
MACHINE_RULE(scratch_full);
MACHINE_RULE(counters);
MACHINE_RULE(yardstick_wrong);
MACHINE_RULE(yardstick_slow);
MACHINE_RULE(yardsticks_failed);
MACHINE_RULE(no_reference);

GPU_RULE(gpu_silent);
GPU_RULE(ecc_uncorrected);
GPU_RULE(retirement_pending);
GPU_RULE(remap_failed);
GPU_RULE(remap_pending);
GPU_RULE(throttled_hardware);
GPU_RULE(too_hot);
GPU_RULE(prohibited);
GPU_RULE(mig_empty);
GPU_RULE(pcie_width);
GPU_RULE(nvlink_less);
GPU_RULE(ecc_ever);
GPU_RULE(ecc_corrected);
GPU_RULE(ecc_off);
GPU_RULE(ecc_changes);
GPU_RULE(retired_pages);
GPU_RULE(throttled);
GPU_RULE(warm);
GPU_RULE(persistence);
GPU_RULE(exclusive);
GPU_RULE(mig);
GPU_RULE(mig_changes);
GPU_RULE(mps);
GPU_RULE(strangers);
GPU_RULE(pcie_generation);
GPU_RULE(nvlink_inactive);
GPU_RULE(power_limit);
GPU_RULE(clocks_held);
GPU_RULE(remapped_rows);
GPU_RULE(nvlink_none);

/* What can be done about a finding where Linux runs below Windows: its driver, clocks and power are Windows's. NULL:
 * the same as elsewhere. */
const char *doctor_wsl_action(const struct doctor_rule *rule, char *text, size_t size);

#endif
