/* Facts about the machine, read from the system. Initialises no CUDA. */
#include "environment.h"

#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "nvml.h"

void pairs_add(struct pairs *pairs, const char *name, const char *format, ...) {
  char value[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(value, sizeof value, format, args);
  va_end(args);
  strings_add(&pairs->names, name);
  strings_add(&pairs->values, value);
}

void pairs_free(struct pairs *pairs) {
  strings_free(&pairs->names);
  strings_free(&pairs->values);
}

static void cpu_model(char *to, size_t size) {
  char line[512];
  FILE *file = fopen("/proc/cpuinfo", "r");
  text_copy(to, size, "unknown");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
    if (value == NULL) continue;
    line[strcspn(line, "\n")] = '\0';
    text_copy(to, size, value + 2);
    break;
  }
  if (file != NULL) fclose(file);
}

void environment_host(struct pairs *pairs) {
  struct utsname system;
  cpu_set_t set;
  char model[TEXT_SIZE];
  if (uname(&system) == 0) {
    pairs_add(pairs, "host", "%s", system.nodename);
    pairs_add(pairs, "kernel", "%s %s", system.sysname, system.release);
  }
  cpu_model(model, sizeof model);
  pairs_add(pairs, "cpu", "%s", model);
  if (sched_getaffinity(0, sizeof set, &set) == 0) pairs_add(pairs, "threads", "%d", CPU_COUNT(&set));
#ifdef __clang__
  pairs_add(pairs, "compiler", "clang %s", __clang_version__);
#else
  pairs_add(pairs, "compiler", "gcc %s", __VERSION__);
#endif
  pairs_add(pairs, "gpubench_version", "%s", GPUBENCH_VERSION);
  if (GPUBENCH_BUILD[0] != '\0') pairs_add(pairs, "gpubench_build", "%s", GPUBENCH_BUILD);
}

static void add_switch(struct pairs *pairs, const char *name, int state) {
  if (state >= 0) pairs_add(pairs, name, "%s", state ? "on" : "off");
}

void environment_device(struct pairs *pairs, const struct device_facts *facts) {
  struct nvml_facts nvml;
  pairs_add(pairs, "device", "%s", facts->spec);
  pairs_add(pairs, "device_name", "%s", facts->name);
  if (facts->memory_bytes > 0) pairs_add(pairs, "memory_bytes", "%lld", (long long)facts->memory_bytes);
  if (strcmp(facts->backend, "cuda") != 0) return;
  pairs_add(pairs, "device_uuid", "%s", facts->uuid);
  pairs_add(pairs, "driver", "%s", facts->driver);
  pairs_add(pairs, "cuda_runtime", "%s", facts->runtime);
  pairs_add(pairs, "compute_capability", "%lld", (long long)facts->compute_capability);
  pairs_add(pairs, "sm_count", "%lld", (long long)facts->sm_count);
  pairs_add(pairs, "l2_bytes", "%lld", (long long)facts->l2_bytes);
  nvml_facts(facts->uuid, &nvml);
  if (nvml.why[0]) pairs_add(pairs, "nvml", "unavailable: %s", nvml.why);
  if (!isnan(nvml.max_sm_clock_mhz)) pairs_add(pairs, "max_sm_clock_mhz", "%.0f", nvml.max_sm_clock_mhz);
  if (!isnan(nvml.power_limit_w)) pairs_add(pairs, "power_limit_w", "%.0f", nvml.power_limit_w);
  add_switch(pairs, "ecc", nvml.ecc);
  add_switch(pairs, "mig", nvml.mig);
  add_switch(pairs, "persistence", nvml.persistence);
}

static void gpu_conditions(const struct device_facts *facts, char *to, size_t size) {
  struct device_conditions now = CONDITIONS_UNKNOWN;
  char why[TEXT_SIZE];
  struct nvml *nvml = nvml_open(facts->uuid, why, sizeof why);
  if (nvml == NULL) {
    snprintf(to, size, "unknown: NVML: %s", why);
    return;
  }
  nvml_conditions(nvml, &now);
  nvml_close(nvml);
  snprintf(to, size, "%s%s%.0f MHz now, %.0f C, %.0f of %.0f W", now.note[0] ? now.note : "ok",
           now.note[0] ? "; " : ": ", now.sm_clock_mhz, now.temperature_c, now.power_w, now.power_limit_w);
}

void environment_conditions(const struct device_facts *facts, char *to, size_t size) {
  double load[1] = {0};
  if (strcmp(facts->backend, "cuda") == 0) {
    gpu_conditions(facts, to, size);
    return;
  }
  double threads = facts->threads > 0 ? (double)facts->threads : 1;
  bool known = getloadavg(load, 1) == 1, busy = known && load[0] > 0.5 * threads;
  if (!known)
    snprintf(to, size, "unknown: no load average");
  else
    snprintf(to, size, "%s: load %.2f on %.0f threads", busy ? "the machine is busy" : "ok", load[0], threads);
}

void environment_ci_tags(struct pairs *tags) {
  static const char *const allowed[] = {"GITHUB_SHA",      "GITHUB_RUN_ID",  "GITHUB_RUN_ATTEMPT", "GITHUB_JOB",
                                        "GITHUB_REF_NAME", "CI_COMMIT_SHA",  "CI_PIPELINE_ID",     "CI_JOB_ID",
                                        "CI_JOB_NAME",     "GIT_COMMIT",     "BUILD_NUMBER",       "JOB_NAME",
                                        "SLURM_JOB_ID",    "SLURM_JOB_NAME", "BUILDKITE_COMMIT",   "BUILDKITE_JOB_ID"};
  for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
    const char *value = getenv(allowed[i]);
    if (value != NULL && value[0] != '\0') pairs_add(tags, allowed[i], "%.500s", value);
  }
}

bool environment_expects_gpu(char *why, size_t size) {
  static const char *const files[] = {"/dev/nvidiactl", "/dev/nvidia0", "/proc/driver/nvidia/version", "/dev/dxg"};
  static const char *const variables[] = {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "SLURM_JOB_GPUS",
                                          "SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
    if (access(files[i], F_OK) == 0) {
      snprintf(why, size, "%s is here", files[i]);
      return true;
    }
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
    const char *value = getenv(variables[i]);
    bool none = value == NULL || value[0] == '\0' || strcmp(value, "-1") == 0 || strcmp(value, "void") == 0 ||
                strcmp(value, "none") == 0 || strcmp(value, "NoDevFiles") == 0;
    if (!none) {
      snprintf(why, size, "%s is set", variables[i]);
      return true;
    }
  }
  snprintf(why, size, "nothing here says GPU: no driver files, no device nodes, no Slurm GPU");
  return false;
}
