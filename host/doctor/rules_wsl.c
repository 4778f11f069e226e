/* The Windows Subsystem for Linux: what it is told by, and what helps there. */
#include <stdio.h>
#include <string.h>

#include "doctor/rules_of.h"

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

/* A driver installed in Linux would hide the one that Windows passes on. */
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
