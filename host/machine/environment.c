/* Reads facts about the machine from the system. Does not initialize CUDA. */
#include "machine/environment.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "machine/kernel_files.h"
#include "machine/nvml.h"
#include "machine/topology.h"
#include "model/device_trait.h"

/* Adds a pair of name and value. If the value is not known, it is "unknown", because programs that read run.ini expect
 * these names. */
static void add_known(struct pairs *pairs, const char *name, bool known, const char *format, ...) ERR_PRINTF(4, 5);

static void add_known(struct pairs *pairs, const char *name, bool known, const char *format, ...) {
  char value[512] = "unknown";
  va_list args;
  va_start(args, format);
  if (known) vsnprintf(value, sizeof value, format, args);
  va_end(args);
  pairs_add(pairs, name, "%s", value);
}

void environment_cpu(struct pairs *pairs, const struct cpu_facts *facts) {
  char list[TEXT_SIZE];
  long long allowed = (long long)cpus_count(&facts->allowed), governed = facts->governed;
  cpus_text(&facts->allowed, list, sizeof list);
  add_known(pairs, "affinity", allowed > 0, "%s", list);
  add_known(pairs, "cpus_online", facts->online > 0, "%lld", (long long)facts->online);
  if (isinf(facts->quota_cpus))
    pairs_add(pairs, "cpu_quota", "none");
  else
    add_known(pairs, "cpu_quota", !isnan(facts->quota_cpus), "%.4g", facts->quota_cpus);
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

/* Adds facts about the clocks. NVML does not report to which range clocks are locked, only that a setting fixes
 * them. */
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

/* ---- Conditions: one line about whether the machine is fit for measuring, faults first ---- */

struct verdict {
  char faults[TEXT_SIZE], facts[TEXT_SIZE];
  char unknown[TEXT_SIZE]; /* why the device reports nothing; empty if it reports */
};

#define FAULT(verdict, ...) phrase_add((verdict)->faults, sizeof(verdict)->faults, "; ", __VA_ARGS__)
#define FACT(verdict, ...) phrase_add((verdict)->facts, sizeof(verdict)->facts, ", ", __VA_ARGS__)

static void gpu_facts(const struct device_conditions *now, const struct nvml_facts *facts, struct verdict *verdict) {
  double set = facts->application_clock_mhz, usual = facts->default_application_clock_mhz;
  if (!isnan(now->sm_clock_mhz)) FACT(verdict, "%.0f MHz now", now->sm_clock_mhz);
  if (set < usual || set > usual)
    FACT(verdict, "application clock set to %.0f MHz", set);
  else if (facts->clocks_set == 1)
    FACT(verdict, "clocks held by a setting");
  if (!isnan(now->temperature_c)) FACT(verdict, "%.0f C", now->temperature_c);
  if (!isnan(now->power_w)) FACT(verdict, "%.0f W", now->power_w);
  if (!isnan(now->power_limit_w)) FACT(verdict, "%.0f W limit", now->power_limit_w);
  if (now->power_limit_w < facts->default_limit_w)
    phrase_add(verdict->facts, sizeof verdict->facts, " ", "(default %.0f)", facts->default_limit_w);
  if (facts->ecc >= 0) FACT(verdict, "ECC %s", facts->ecc ? "on" : "off");
  if (facts->slice) FACT(verdict, "a MIG slice, its neighbours not seen");
  if (strncmp(facts->mps, "on", 2) == 0) FACT(verdict, "MPS on");
  if (now->others == 0) FACT(verdict, "no other process");
}

static void judge_gpu(const char *uuid, struct verdict *verdict) {
  struct device_conditions now = CONDITIONS_UNKNOWN;
  struct nvml_facts facts;
  struct nvml *nvml = nvml_open(uuid, verdict->unknown, sizeof verdict->unknown);
  if (nvml == NULL) return;
  nvml_conditions(nvml, &now);
  nvml_read_facts(nvml, &facts);
  nvml_close(nvml);
  if (now.note[0] != '\0') FAULT(verdict, "%s", now.note);
  const struct text words = throttle_text(now.throttle & ~THROTTLE_NONE);
  if (words.text[0] != '\0') FAULT(verdict, "%s", words.text);
  gpu_facts(&now, &facts, verdict);
  if (isnan(now.sm_clock_mhz) && isnan(now.power_w) && now.throttle == 0)
    snprintf(verdict->unknown, sizeof verdict->unknown, "%s", facts.why);
}

static void judge_host(const struct cpu_times *since, bool on_gpu, struct verdict *verdict) {
  struct cpu_facts facts;
  struct cpu_times now;
  struct host_usage usage;
  cpu_facts_read("", &facts);
  cpu_facts_read_load("", &facts);
  if (since != NULL) {
    cpu_times_read("", &now);
    cpu_times_between(since, &now, &usage);
    host_usage_faults(&usage, on_gpu, verdict->faults, sizeof verdict->faults);
  }
  cpu_facts_faults(&facts, on_gpu, verdict->faults, sizeof verdict->faults);
  if (!on_gpu) cpu_facts_text(&facts, verdict->facts, sizeof verdict->facts);
}

void environment_conditions(const struct device_facts *facts, const struct cpu_times *since, char *to, size_t size) {
  struct verdict v = {0};
  const bool on_gpu = (facts->traits & DEVICE_IS_GPU) != 0;
  if ((facts->traits & DEVICE_SCRIPTED) != 0) {
    snprintf(to, size, "ok: a scripted device; its time is not this machine's");
    return;
  }
  if (on_gpu) judge_gpu(facts->uuid, &v);
  judge_host(since, on_gpu, &v);
  const char *verdict = v.faults[0] != '\0' ? v.faults : v.unknown[0] != '\0' ? "unknown" : "ok";
  to[0] = '\0';
  phrase_add(to, size, "", "%s", verdict);
  if (v.unknown[0] != '\0') phrase_add(to, size, v.faults[0] ? "; GPU unknown: " : ": ", "%s", v.unknown);
  if (v.facts[0] == '\0') return;
  bool brackets = v.faults[0] != '\0' || v.unknown[0] != '\0';
  phrase_add(to, size, brackets ? " (" : ": ", "%s%s", v.facts, brackets ? ")" : "");
}

/* ---- Several devices in one list ---- */

/* Returns true if all devices have this pair. Devices without any pairs are ignored. */
static bool is_common(const struct pairs *devices, size_t count, const char *name, const char *value) {
  for (size_t i = 0; i < count; i++) {
    if (devices[i].count == 0) continue;
    const char *other = pairs_get(&devices[i], name);
    if (other == NULL || strcmp(other, value) != 0) return false;
  }
  return true;
}

static void add_common(struct pairs *to, const struct pairs *devices, size_t count, const struct pairs *first) {
  for (size_t i = 0; i < first->count; i++)
    if (is_common(devices, count, first->items[i].name, first->items[i].value))
      pairs_add(to, first->items[i].name, "%s", first->items[i].value);
}

void environment_devices(struct pairs *to, const struct pairs *devices, size_t count) {
  char name[ID_SIZE + TEXT_SIZE];
  size_t known = 0;
  while (known + 1 < count && devices[known].count == 0)
    known++;
  add_common(to, devices, count, &devices[known]);
  for (size_t d = 0; d < count; d++)
    for (size_t i = 0; i < devices[d].count; i++) {
      const char *own = devices[d].items[i].name, *value = devices[d].items[i].value;
      if (is_common(devices, count, own, value)) continue;
      snprintf(name, sizeof name, "device.%zu.%s", d + 1, own);
      pairs_add(to, name, "%s", value);
    }
}
