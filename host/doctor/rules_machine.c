/* Rules for the machine, its driver and installed tools. Each rule's function returns true if the rule is broken, and
 * false if the facts for that are not known. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "doctor/rules_of.h"

bool doctor_seen(struct doctor_finding *finding, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(finding->seen, sizeof finding->seen, format, args);
  va_end(args);
  return true;
}

bool doctor_expected(struct doctor_finding *finding, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(finding->expected, sizeof finding->expected, format, args);
  va_end(args);
  return true;
}

/* ---- Rules about the driver and its GPUs ---- */

static bool driver_answers(const struct doctor_facts *facts) {
  return facts->nvml.count >= 0;
}

/* Returns true if the driver answered, but NVML cannot be used or there is no GPU. */
static bool has_none(const struct doctor_facts *facts) {
  return facts->driver_ended[0] == '\0' && (facts->nvml.why[0] != '\0' || facts->nvml.count == 0);
}

/* Returns true if the driver lists the GPU, or if the driver's list is not known or incomplete. */
static bool is_listed(const struct doctor_facts *facts, const struct doctor_pci *pci) {
  if (!driver_answers(facts)) return true;
  for (int64_t i = 0; i < facts->nvml.count; i++)
    if (facts->nvml.gpus[i].pci[0] == '\0' || strcmp(facts->nvml.gpus[i].pci, pci->pci) == 0) return true;
  return false;
}

/* Writes the PCI addresses of the GPUs in the kernel's list that `is_meant` selects. Returns false if there is none. */
static bool seen_pci(const struct doctor_facts *facts,
                     bool (*is_meant)(const struct doctor_facts *facts, const struct doctor_pci *pci), const char *what,
                     struct doctor_finding *to) {
  char list[EXPR_SIZE - 128] = "";
  for (size_t i = 0; i < facts->pci_count; i++) {
    const struct doctor_pci *pci = &facts->pci[i];
    if (!is_meant(facts, pci)) continue;
    phrase_add(list, sizeof list, ", ", "%s", pci->pci);
    if (pci->driver[0] != '\0' && strcmp(pci->driver, "nvidia") != 0)
      phrase_add(list, sizeof list, " ", "(held by %s)", pci->driver);
  }
  return list[0] != '\0' && doctor_seen(to, "%s: %s", what, list);
}

static bool is_held_by_nvidia(const struct doctor_pci *pci) {
  return strcmp(pci->driver, "nvidia") == 0;
}

static bool is_without_driver(const struct doctor_facts *facts, const struct doctor_pci *pci) {
  return !facts->kernel_driver_loaded && has_none(facts) && strncmp(pci->driver, "vfio", 4) != 0;
}

static bool is_lost_device(const struct doctor_facts *facts, const struct doctor_pci *pci) {
  return is_held_by_nvidia(pci) && pci->given && !is_listed(facts, pci);
}

static bool is_withheld(const struct doctor_facts *facts, const struct doctor_pci *pci) {
  return !(is_held_by_nvidia(pci) && pci->given) && !is_without_driver(facts, pci) && !is_listed(facts, pci);
}

MACHINE_RULE(driver_silent) {
  return facts->driver_ended[0] != '\0' && doctor_seen(to, "%s", facts->driver_ended);
}

MACHINE_RULE(driver_missing) {
  return seen_pci(facts, is_without_driver, "GPUs on the PCI bus that no driver of NVIDIA serves", to);
}

MACHINE_RULE(nvml_missing) {
  return facts->kernel_driver_loaded && facts->nvml.why[0] != '\0' &&
         doctor_seen(to, "%s; the kernel driver %s is loaded", facts->nvml.why, facts->kernel_driver);
}

MACHINE_RULE(gpu_missing) {
  /* true if the rule nvml_missing already reports that there is no GPU */
  bool nvml_said = facts->kernel_driver_loaded && facts->nvml.why[0] != '\0';
  return facts->pci_count == 0 && has_none(facts) && facts->gpu_expected && !nvml_said &&
         doctor_seen(to, "no GPU, though %s", facts->gpu_expected_why);
}

MACHINE_RULE(gpu_lost) {
  return seen_pci(facts, is_lost_device, "on the PCI bus and not known to the driver", to);
}

MACHINE_RULE(gpu_withheld) {
  return seen_pci(facts, is_withheld, "on the PCI bus and not for this process to use", to);
}

MACHINE_RULE(no_gpu) {
  return facts->pci_count == 0 && has_none(facts) && !facts->gpu_expected && !facts->kernel_driver_loaded &&
         doctor_seen(to, "no GPU of NVIDIA and no driver");
}

MACHINE_RULE(uvm_missing) {
  return facts->nvml.count > 0 && facts->has_uvm == 0 && doctor_seen(to, "/dev/nvidiactl without /dev/nvidia-uvm");
}

/* ---- Rules about versions ---- */

/* Returns true if programs for CUDA version `cuda` cannot run with this driver, because its major version is newer. A
 * driver runs programs built for an older CUDA and, with limits, those for a later one of the same major version. */
static bool is_of_later_major(int64_t cuda, const struct doctor_facts *facts) {
  return cuda > 0 && facts->nvml.cuda > 0 && cuda / 1000 > facts->nvml.cuda / 1000;
}

static bool seen_cuda(const char *what, int64_t cuda, const struct doctor_facts *facts, struct doctor_finding *to) {
  long long has = facts->nvml.cuda, needs = cuda;
  return doctor_seen(to, "driver %s goes up to CUDA %lld.%lld", facts->nvml.driver, has / 1000, has % 1000 / 10) &&
         doctor_expected(to, "CUDA %lld.%lld, which %s is built for", needs / 1000, needs % 1000 / 10, what);
}

MACHINE_RULE(cuda_too_new) {
  return is_of_later_major(facts->cuda_build, facts) && seen_cuda("this gpubench", facts->cuda_build, facts, to);
}

MACHINE_RULE(cuda_newer) {
  return facts->nvml.cuda > 0 && facts->cuda_build > facts->nvml.cuda && !is_of_later_major(facts->cuda_build, facts) &&
         seen_cuda("this gpubench", facts->cuda_build, facts, to);
}

static bool tool_too_new(const struct doctor_facts *facts, enum tool which, struct doctor_finding *to) {
  const struct doctor_tool *tool = &facts->tools[which];
  char what[ID_SIZE + 16];
  snprintf(what, sizeof what, "%s %s", doctor_tool_name(which), tool->version);
  return is_of_later_major(tool->cuda, facts) && seen_cuda(what, tool->cuda, facts, to);
}

MACHINE_RULE(torch_too_new) {
  return tool_too_new(facts, TOOL_TORCH, to);
}

MACHINE_RULE(cupy_too_new) {
  return tool_too_new(facts, TOOL_CUPY, to);
}

MACHINE_RULE(nvcc_too_new) {
  return tool_too_new(facts, TOOL_NVCC, to);
}

/* Returns true if two versions are the same up to the '+', after which the build follows. */
static bool same_release(const char *a, const char *b) {
  size_t length = strcspn(a, "+");
  return length == strcspn(b, "+") && strncmp(a, b, length) == 0;
}

MACHINE_RULE(triton_unlike) {
  const struct doctor_tool *torch = &facts->tools[TOOL_TORCH], *triton = &facts->tools[TOOL_TRITON];
  return torch->wants_triton[0] != '\0' && triton->version[0] != '\0' &&
         !same_release(torch->wants_triton, triton->version) && doctor_seen(to, "triton %s", triton->version) &&
         doctor_expected(to, "triton %s, which torch %s asks for", torch->wants_triton, torch->version);
}

/* ---- Rules about processors, free space and permissions ---- */

MACHINE_RULE(governor) {
  return facts->cpu.governor[0] != '\0' && strcmp(facts->cpu.governor, "performance") != 0 &&
         doctor_seen(to, "governor %s on %lld of %zu threads", facts->cpu.governor, (long long)facts->cpu.governed,
                     cpus_count(&facts->cpu.allowed));
}

/* Finds a CPU quota that is too small. A worker drives a GPU with one thread, so one processor for each GPU is needed;
 * without GPUs work runs on as many threads as there are processors allowed. */
MACHINE_RULE(quota) {
  int64_t needed = facts->nvml.count > 0 ? facts->nvml.count : (int64_t)cpus_count(&facts->cpu.allowed);
  return facts->cpu.quota_cpus < (double)needed && doctor_seen(to, "a quota of %.3g CPUs", facts->cpu.quota_cpus) &&
         doctor_expected(to, "%lld or more: one for each %s", (long long)needed,
                         facts->nvml.count > 0 ? "GPU" : "thread");
}

/* Finds load by other tasks. Under load, times are longer, and fewer comparisons have a clear result
 * (reports/docs/report.md, section Verdicts). */
MACHINE_RULE(load) {
  const bool on_gpu = facts->nvml.count > 0;
  char text[EXPR_SIZE] = "";
  return cpu_facts_load(&facts->cpu, on_gpu, text, sizeof text) && doctor_seen(to, "%s", text) &&
         doctor_expected(to, "%s of the threads idle", on_gpu ? "some" : "half");
}

static bool seen_room(const char *where, double bytes, struct doctor_finding *to) {
  char text[32];
  text_bytes(text, sizeof text, bytes);
  return doctor_seen(to, "%s free in %s", text, where);
}

MACHINE_RULE(shm) {
  return facts->shm_free < 256e6 && seen_room("/dev/shm", facts->shm_free, to);
}

MACHINE_RULE(scratch_unusable) {
  return facts->scratch_fault[0] != '\0' && doctor_seen(to, "%.400s", facts->scratch_fault);
}

MACHINE_RULE(scratch_full) {
  return facts->scratch_free < 1e9 && seen_room(facts->scratch, facts->scratch_free, to);
}

MACHINE_RULE(counters) {
  return facts->nvml.count > 0 && facts->counters_admin_only == 1 && !facts->is_admin &&
         doctor_seen(to, "performance counters are for administrators (RmProfilingAdminOnly is 1)");
}

/* ---- Rules about the yardsticks of --deep ---- */

MACHINE_RULE(yardstick_wrong) {
  for (int64_t i = 0; i < facts->deep.count; i++)
    if (facts->deep.yardsticks[i].wrong[0] != '\0')
      return doctor_seen(to, "%.200s: %.250s", facts->deep.yardsticks[i].what, facts->deep.yardsticks[i].wrong);
  return false;
}

/* Reports the yardstick (a simple kernel such as a copy) that has slowed down most compared with its earlier time, if
 * it is more than 10% slower. Smaller differences are ignored, because a quick run is accurate to a few percent
 * only. */
MACHINE_RULE(yardstick_slow) {
  const struct doctor_yardstick *worst = NULL;
  double most = 1.1;
  for (int64_t i = 0; i < facts->deep.count; i++) {
    const struct doctor_yardstick *y = &facts->deep.yardsticks[i];
    if (!(y->ns / y->shown_ns > most)) continue;
    most = y->ns / y->shown_ns;
    worst = y;
  }
  if (worst == NULL) return false;
  const struct number shown = number_time(worst->shown_ns);
  doctor_seen(to, "%.300s: %s, %.0f%% more than %s", worst->what, number_time(worst->ns).text, (most - 1) * 100,
              worst->nights > 0 ? "it was" : "this model takes");
  return worst->nights > 0 ? doctor_expected(to, "%s to within 10%%, the median of %lld night%s", shown.text,
                                             (long long)worst->nights, worst->nights == 1 ? "" : "s")
                           : doctor_expected(to, "%s to within 10%%, as gpubench's reference has it", shown.text);
}

MACHINE_RULE(yardsticks_failed) {
  return facts->deep.fault[0] != '\0' && doctor_seen(to, "%s", facts->deep.fault);
}

MACHINE_RULE(no_reference) {
  for (int64_t i = 0; i < facts->deep.count; i++)
    if (!isnan(facts->deep.yardsticks[i].shown_ns)) return false;
  return facts->deep.count > 0 && facts->deep.fault[0] == '\0' &&
         doctor_seen(to, "no reference for %s", facts->deep.yardsticks[0].device);
}

/* ---- Windows Subsystem for Linux (WSL): the rule about it, and what to do about other findings there ---- */

MACHINE_RULE(wsl) {
  if (facts->wsl == 1) {
    doctor_expected(to, "version 2, as version 1 has no GPU");
    return doctor_seen(to, "the Windows Subsystem for Linux, version 1 (%.200s)", facts->kernel);
  }
  return facts->wsl == 2 && doctor_seen(to, "the Windows Subsystem for Linux, version 2 (%.200s)", facts->kernel) &&
         doctor_expected(to,
                         "Linux on the machine itself: below Windows launches take longer, and its programs "
                         "use the GPU");
}

/* The advice under WSL if the driver is missing. A driver installed in Linux would hide the one that Windows has. */
#define WINDOWS_DRIVER "the driver in Windows, and none in Linux"

static const struct {
  const char *id, *action;
} actions[] = {
    {"driver_silent", "in Windows: wsl --shutdown, then start it again; else restart Windows"},
    {"gpu_silent", "in Windows: wsl --shutdown, then start it again; else restart Windows"},
    {"gpu_missing", "install " WINDOWS_DRIVER "; then in Windows: wsl --update, wsl --shutdown; its libraries are in "
                    "/usr/lib/wsl/lib, which ldconfig -p has to list"},
    {"no_gpu", "nothing, unless there should be one: then install " WINDOWS_DRIVER "; in Windows: wsl --update, "
               "wsl --shutdown"},
    {"cuda_too_new", "update " WINDOWS_DRIVER "; or take a gpubench built with an older CUDA"},
    {"cuda_newer", "update " WINDOWS_DRIVER ": kernels kept as PTX, and what this CUDA added, may fail"},
    {"torch_too_new", "update " WINDOWS_DRIVER "; or install a torch built for its CUDA"},
    {"cupy_too_new", "update " WINDOWS_DRIVER "; or install a cupy built for its CUDA"},
    {"nvcc_too_new", "update " WINDOWS_DRIVER "; or compile kernels with an older toolkit"},
    {"governor", "in Windows: powercfg /setactive SCHEME_MIN, the plan for high performance"},
    {"quota", "give the container more: --cpus; processors= in %UserProfile%\\.wslconfig gives WSL more"},
};

const char *doctor_wsl_action(const struct doctor_rule *rule, char *text, size_t size) {
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
    if (strcmp(actions[i].id, rule->id) == 0) return actions[i].action;
  if (strncmp(rule->action, "nvidia-smi ", 11) != 0) return NULL;
  snprintf(text, size, "in Windows, as administrator: %s", rule->action);
  return text;
}
