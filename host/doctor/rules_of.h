/* The table of rules, declarations of their functions, and helpers for their messages. */
#pragma once

#include "doctor/facts.h"

/* Write the observed and the expected state of a finding. Both return true, for use at the end of a condition. */
bool doctor_seen(struct doctor_finding *finding, const char *format, ...) ERR_PRINTF(2, 3);
bool doctor_expected(struct doctor_finding *finding, const char *format, ...) ERR_PRINTF(2, 3);

#define MAYBE __attribute__((unused))
#define MACHINE_RULE(name) bool machine_##name(MAYBE const struct doctor_facts *facts, MAYBE struct doctor_finding *to)
#define GPU_RULE(name)                                                                         \
  bool gpu_##name(MAYBE const struct doctor_facts *facts, MAYBE const struct nvml_health *gpu, \
                  struct doctor_finding *to)

/* All rules. Each has a name, a severity, the expected state (NULL: the rule's function writes it), and what to do,
 * with {i} for the GPU's number. */
/* clang-format off */
#define DOCTOR_RULES(MACHINE, GPU) \
  /* the driver */ \
  MACHINE(driver_silent, UNFIT, "an answer", "reboot the node; dmesg | grep -i xid says what the GPU reported") \
  MACHINE(driver_missing, UNFIT, "NVIDIA's kernel driver", "load it: modprobe nvidia; or install it for this kernel, and keep nouveau from the GPU") \
  MACHINE(nvml_missing, UNFIT, "a library of the same version as the loaded kernel driver", "install the driver's libraries, or reboot after its update; in a container: give it the GPU (--gpus all, --nv)") \
  MACHINE(gpu_missing, UNFIT, "a GPU", "see whether lspci shows it and dmesg names an Xid; a cold reboot may bring it back; else have it repaired") \
  MACHINE(gpu_lost, UNFIT, "every GPU on the PCI bus known to the driver", "see dmesg for an Xid (79: fell off the bus); reboot, or reseat the GPU") \
  MACHINE(gpu_withheld, NOTE, "every GPU on the PCI bus for this process to use", "nothing, where the scheduler, the container or a virtual machine holds it") \
  MACHINE(no_gpu, NOTE, "nothing: measurements here are of the CPU", "nothing, unless there should be one") \
  MACHINE(uvm_missing, NOTE, "/dev/nvidia-uvm, without which CUDA does not start; it makes it where nvidia-modprobe may", "nvidia-modprobe -u -c=0; in a container: pass the device on") \
  MACHINE(wsl, NOTE, NULL, "compare with runs of this machine only; close what uses the GPU in Windows; clocks and power are set there: nvidia-smi as administrator; version 1: wsl --set-version NAME 2") \
  /* versions */ \
  MACHINE(cuda_too_new, UNFIT, NULL, "update the driver, or take a gpubench built with an older CUDA") \
  MACHINE(cuda_newer, WARNING, NULL, "update the driver: kernels kept as PTX, and what this CUDA added, may fail") \
  MACHINE(torch_too_new, WARNING, NULL, "update the driver, or install a torch built for its CUDA") \
  MACHINE(cupy_too_new, WARNING, NULL, "update the driver, or install a cupy built for its CUDA") \
  MACHINE(nvcc_too_new, WARNING, NULL, "update the driver, or compile kernels with an older toolkit") \
  MACHINE(triton_unlike, WARNING, NULL, "pip install the version of triton that torch asks for") \
  /* a GPU's state */ \
  GPU(gpu_silent, UNFIT, "an answer from every GPU", "nvidia-smi --gpu-reset -i {i}, or reboot; dmesg | grep -i xid says why") \
  GPU(ecc_uncorrected, UNFIT, "none since the driver was loaded", "nvidia-smi --gpu-reset -i {i}; where they come back have the GPU replaced") \
  GPU(retirement_pending, UNFIT, "no page waiting for its retirement", "nvidia-smi --gpu-reset -i {i} retires it") \
  GPU(remap_failed, UNFIT, "spare rows for every row that failed", "have the GPU replaced: it has no row left to remap to") \
  GPU(remap_pending, UNFIT, "no row waiting for its replacement", "nvidia-smi --gpu-reset -i {i} remaps it") \
  GPU(throttled_hardware, UNFIT, "clocks that the hardware does not hold down", "see to power supply, cables, fans and air of this node; nvidia-smi -q -d PERFORMANCE -i {i}") \
  GPU(too_hot, UNFIT, NULL, "see to fans and air of this node") \
  GPU(prohibited, UNFIT, "compute mode Default", "nvidia-smi -i {i} -c DEFAULT") \
  GPU(mig_empty, UNFIT, "slices, or MIG off", "nvidia-smi -i {i} -mig 0, or make slices: nvidia-smi mig -i {i} -cgi 0 -C") \
  GPU(pcie_width, UNFIT, NULL, "reseat the GPU or its riser; where it stays have the slot or the GPU replaced") \
  GPU(nvlink_less, UNFIT, NULL, "nvidia-smi nvlink -s -i {i} names them; reset all GPUs; else have the GPU or its baseboard looked at") \
  GPU(ecc_ever, WARNING, "none ever", "watch it: where the number grows have the GPU replaced") \
  GPU(ecc_corrected, WARNING, "none since the driver was loaded", "watch it: nvidia-smi -q -d ECC,ROW_REMAPPER -i {i}") \
  GPU(ecc_off, WARNING, "ECC on, as this GPU comes", "nvidia-smi -i {i} -e 1, then reset it") \
  GPU(ecc_changes, WARNING, "one mode before and after a reset", "nvidia-smi --gpu-reset -i {i}, or set it back: nvidia-smi -i {i} -e 0|1") \
  GPU(retired_pages, WARNING, "none", "watch it: where the number grows have the GPU replaced") \
  GPU(throttled, WARNING, "clocks that nothing holds down", "let it cool and idle, see nvidia-smi -q -d PERFORMANCE -i {i}; then look again") \
  GPU(warm, WARNING, NULL, "let it cool; else see to fans and air of this node") \
  GPU(persistence, WARNING, "persistence mode on, or the GPU starts anew for each process", "nvidia-smi -i {i} -pm 1, or run nvidia-persistenced") \
  GPU(exclusive, WARNING, "compute mode Default", "nvidia-smi -i {i} -c DEFAULT, unless the site wants it so") \
  GPU(mig, WARNING, "MIG off, for times of the whole GPU", "nvidia-smi -i {i} -mig 0; or measure one slice: --device with its UUID") \
  GPU(mig_changes, WARNING, "one mode before and after a reset", "nvidia-smi --gpu-reset -i {i}, or set it back: nvidia-smi -i {i} -mig 0|1") \
  GPU(mps, WARNING, "no MPS, by which processes share the GPU", "echo quit | nvidia-cuda-mps-control") \
  GPU(other_processes, WARNING, "no process on the GPU", "let them end, or end them, before anything is measured") \
  GPU(pcie_generation, WARNING, NULL, "look again while the GPU works; then reseat it or its riser, and see the slot's speed in the firmware's setup") \
  GPU(nvlink_inactive, WARNING, "all of them active, unless the GPU is sold with fewer", "nvidia-smi nvlink -s -i {i}; is nvidia-fabricmanager running?") \
  GPU(power_limit, WARNING, NULL, "nvidia-smi -i {i} -pl with the default, unless the site wants it so") \
  GPU(clocks_held, WARNING, "clocks that the GPU chooses", "nvidia-smi -i {i} -rgc -rmc -rac gives them back") \
  GPU(remapped_rows, NOTE, "none", "nothing: spare rows took their place; watch whether it grows") \
  GPU(nvlink_none, NOTE, "links to other GPUs, where they are wired", "nothing for one GPU; else is nvidia-fabricmanager running, is the bridge there?") \
  /* the rest of the machine */ \
  MACHINE(governor, WARNING, "governor performance", "cpupower frequency-set -g performance") \
  MACHINE(quota, WARNING, NULL, "give the job or container more: --cpus, cpu limits, CPUQuota=") \
  MACHINE(load, WARNING, NULL, "let what runs here end, or measure elsewhere: top shows it") \
  MACHINE(shm, WARNING, "256 MB free, for data loaders of Python", "remove what lies in /dev/shm; in a container: --shm-size=1g or --ipc=host") \
  MACHINE(scratch_unusable, WARNING, "a folder in which scratch directories can be made", "set TMPDIR, or give --scratch DIR to gpubench run") \
  MACHINE(scratch_full, WARNING, "1 GB free, for files of plugins", "remove files there, or set TMPDIR") \
  /* --deep */ \
  MACHINE(yardstick_wrong, UNFIT, "the right result", "have the GPU looked at: its memory or arithmetic is not to be trusted") \
  MACHINE(yardstick_slow, UNFIT, NULL, "see what else is found here; nvidia-smi -q -d PERFORMANCE while it works; where nothing explains it have it looked at") \
  MACHINE(yardsticks_failed, WARNING, "times of the plugin calibrate", "gpubench calibrate.so --quick shows it") \
  MACHINE(no_reference, NOTE, "a history in which this model was measured", "gpubench calibrate.so, then gpubench history add DIR RUN; give --history DIR") \
  MACHINE(counters, NOTE, "performance counters for all users, where ncu is to be used", "options nvidia NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d, then load the driver anew")
/* clang-format on */

#define DECLARE_MACHINE(name, severity, expected, action) MACHINE_RULE(name);
#define DECLARE_GPU(name, severity, expected, action) GPU_RULE(name);
DOCTOR_RULES(DECLARE_MACHINE, DECLARE_GPU)

/* Returns what to do about a broken rule under the Windows Subsystem for Linux, where Windows controls the driver,
 * clocks and power. NULL: the rule's own advice applies. */
const char *doctor_wsl_action(const struct doctor_rule *rule, char *text, size_t size);
