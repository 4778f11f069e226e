/* Is the machine fit to be measured? One sentence, the faults first. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine/environment.h"
#include "machine/nvml.h"
#include "model/device_trait.h"

struct verdict {
  char faults[TEXT_SIZE], facts[TEXT_SIZE];
  char unknown[TEXT_SIZE]; /* why the device says nothing */
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
  char words[TEXT_SIZE];
  struct nvml *nvml = nvml_open(uuid, verdict->unknown, sizeof verdict->unknown);
  if (nvml == NULL) return;
  nvml_conditions(nvml, &now);
  nvml_read_facts(nvml, &facts);
  nvml_close(nvml);
  if (now.note[0] != '\0') FAULT(verdict, "%s", now.note);
  throttle_text(now.throttle & ~THROTTLE_NONE, words, sizeof words);
  if (words[0] != '\0') FAULT(verdict, "%s", words);
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
