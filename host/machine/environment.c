/* Facts about the machine, read from the system. Initialises no CUDA. */
#include "machine/environment.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "machine/kernel_files.h"
#include "machine/nvml.h"
#include "machine/topology.h"
#include "model/device_trait.h"

/* What is not known is said, for these are what a later reader will ask for. */
static void add_known(struct pairs *pairs, const char *name, bool known, const char *format, ...) ERR_PRINTF(4, 5);

static void add_known(struct pairs *pairs, const char *name, bool known, const char *format, ...) {
  char value[512] = "unknown";
  va_list args;
  va_start(args, format);
  if (known) vsnprintf(value, sizeof value, format, args);
  va_end(args);
  pairs_add(pairs, name, "%s", value);
}

static void add_quota(struct pairs *pairs, double cpus) {
  if (isinf(cpus))
    pairs_add(pairs, "cpu_quota", "none");
  else
    add_known(pairs, "cpu_quota", !isnan(cpus), "%.4g", cpus);
}

void environment_cpu(struct pairs *pairs, const struct cpu_facts *facts) {
  char list[TEXT_SIZE];
  long long allowed = (long long)cpus_count(&facts->allowed), governed = facts->governed;
  cpus_text(&facts->allowed, list, sizeof list);
  add_known(pairs, "affinity", allowed > 0, "%s", list);
  add_known(pairs, "cpus_online", facts->online > 0, "%lld", (long long)facts->online);
  add_quota(pairs, facts->quota_cpus);
  if (facts->governor[0] != '\0' && governed < allowed)
    pairs_add(pairs, "governor", "%s on %lld of %lld threads", facts->governor, governed, allowed);
  else
    add_known(pairs, "governor", facts->governor[0] != '\0', "%s", facts->governor);
  add_known(pairs, "cpu_mhz", !isnan(facts->mhz), "%.0f", facts->mhz);
  if (!isnan(facts->mhz_min)) pairs_add(pairs, "cpu_mhz_min", "%.0f", facts->mhz_min);
  if (!isnan(facts->mhz_max)) pairs_add(pairs, "cpu_mhz_max", "%.0f", facts->mhz_max);
  add_known(pairs, "cpu_boost", facts->boost >= 0, "%s", facts->boost ? "on" : "off");
  add_known(pairs, "smt", facts->smt >= 0, "%s", facts->smt ? "on" : "off");
  if (facts->siblings > 0) pairs_add(pairs, "threads_sharing_cores", "%lld", (long long)facts->siblings);
  add_known(pairs, "hypervisor", facts->hypervisor >= 0, "%s", facts->hypervisor ? "yes" : "no");
}

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

void environment_print_version(FILE *out) {
  const char *build = GPUBENCH_BUILD[0] != '\0' ? GPUBENCH_BUILD : "commit not known";
  fprintf(out, "gpubench %s (%s, %s, %s)\n", GPUBENCH_VERSION, build, COMPILER, GPUBENCH_CUDA_BUILD);
}

void environment_host(struct pairs *pairs) {
  struct utsname system;
  struct cpu_facts facts;
  char model[TEXT_SIZE];
  if (uname(&system) == 0) {
    pairs_add(pairs, "host", "%s", system.nodename);
    pairs_add(pairs, "kernel", "%s %s", system.sysname, system.release);
  }
  if (!tree_value("", "/proc/cpuinfo", "model name", model, sizeof model)) text_copy(model, sizeof model, "unknown");
  pairs_add(pairs, "cpu", "%s", model);
  cpu_facts_read("", &facts);
  size_t threads = cpus_count(&facts.allowed);
  if (threads > 0) pairs_add(pairs, "threads", "%zu", threads);
  environment_cpu(pairs, &facts);
  pairs_add(pairs, "compiler", "%s", COMPILER);
  pairs_add(pairs, "gpubench_version", "%s", GPUBENCH_VERSION);
  if (GPUBENCH_BUILD[0] != '\0') pairs_add(pairs, "gpubench_build", "%s", GPUBENCH_BUILD);
  topology_read("", pairs);
}

static void add_switch(struct pairs *pairs, const char *name, int state) {
  if (state >= 0) pairs_add(pairs, name, "%s", state ? "on" : "off");
}

static void add_real(struct pairs *pairs, const char *name, double value) {
  if (!isnan(value)) pairs_add(pairs, name, "%.0f", value);
}

/* NVML does not tell the range that clocks are locked to, only that some setting holds them. */
static void add_clocks(struct pairs *pairs, const struct nvml_facts *nvml) {
  double set = nvml->application_clock_mhz, usual = nvml->default_application_clock_mhz;
  add_real(pairs, "max_sm_clock_mhz", nvml->max_sm_clock_mhz);
  add_real(pairs, "application_clock_mhz", set);
  if (set < usual || set > usual)
    pairs_add(pairs, "locked_clocks", "application clock set to %.0f MHz, its default is %.0f", set, usual);
  else if (nvml->clocks_set >= 0)
    pairs_add(pairs, "locked_clocks", "%s", nvml->clocks_set ? "held by a setting" : "none reported");
}

static void add_nvml(struct pairs *pairs, const struct nvml_facts *nvml) {
  if (nvml->why[0]) pairs_add(pairs, "nvml", "unavailable: %s", nvml->why);
  add_clocks(pairs, nvml);
  add_real(pairs, "power_limit_w", nvml->power_limit_w);
  add_real(pairs, "power_limit_default_w", nvml->default_limit_w);
  add_switch(pairs, "ecc", nvml->ecc);
  if (nvml->slice)
    pairs_add(pairs, "mig", "a slice: clock, temperature and power are the whole GPU's, its other slices not seen");
  else
    add_switch(pairs, "mig", nvml->mig);
  if (nvml->mps[0] != '\0') pairs_add(pairs, "mps", "%s", nvml->mps);
  add_switch(pairs, "persistence", nvml->persistence);
  if (nvml->exclusive >= 0) pairs_add(pairs, "compute_mode", "%s", nvml->exclusive ? "exclusive process" : "shared");
}

const char *environment_device_id(const struct device_facts *facts) {
  return facts->uuid[0] != '\0' ? facts->uuid : facts->spec;
}

void environment_device(struct pairs *pairs, const struct device_facts *facts) {
  struct nvml_facts nvml;
  pairs_add(pairs, "device", "%s", facts->spec);
  pairs_add(pairs, "device_name", "%s", facts->name);
  if (facts->memory_bytes > 0) pairs_add(pairs, "memory_bytes", "%lld", (long long)facts->memory_bytes);
  if ((facts->traits & DEVICE_IS_GPU) == 0) return;
  pairs_add(pairs, "device_uuid", "%s", facts->uuid);
  pairs_add(pairs, "driver", "%s", facts->driver);
  pairs_add(pairs, "cuda_runtime", "%s", facts->runtime);
  pairs_add(pairs, "compute_capability", "%lld", (long long)facts->compute_capability);
  pairs_add(pairs, "sm_count", "%lld", (long long)facts->sm_count);
  pairs_add(pairs, "l2_bytes", "%lld", (long long)facts->l2_bytes);
  nvml_facts(facts->uuid, &nvml);
  add_nvml(pairs, &nvml);
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

int environment_cuda_build(void) {
  int major = 0, minor = 0;
  return sscanf(GPUBENCH_CUDA_BUILD, "CUDA %d.%d", &major, &minor) == 2 ? 1000 * major + 10 * minor : 0;
}

bool environment_expects_gpu(const char *root, char *why, size_t size) {
  static const char *const files[] = {"/dev/nvidiactl", "/dev/nvidia0", "/proc/driver/nvidia/version", "/dev/dxg"};
  static const char *const variables[] = {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "SLURM_JOB_GPUS",
                                          "SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s%s", root, files[i]);
    if (access(path, F_OK) == 0) {
      snprintf(why, size, "%s is here", files[i]);
      return true;
    }
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
  snprintf(why, size, "no GPU detected: no NVIDIA driver, no device node, no GPU from Slurm");
  return false;
}
