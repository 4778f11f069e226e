/* doctor's JSON: the verdict, the findings, then every fact; null is not known. */
#include "doctor/json.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

/* What is empty or negative is not known. */
static void put_text(struct json *json, const char *key, const char *value) {
  json_text(json, key, value[0] != '\0' ? value : NULL);
}

static void put_whole(struct json *json, const char *key, int64_t value) {
  if (value >= 0)
    json_whole(json, key, value);
  else
    json_text(json, key, NULL);
}

static void put_switch(struct json *json, const char *key, int64_t value) {
  if (value >= 0)
    json_bool(json, key, value != 0);
  else
    json_text(json, key, NULL);
}

/* 13000 is "13.0". */
static void put_cuda(struct json *json, const char *key, int64_t version) {
  char text[32] = "";
  if (version > 0) snprintf(text, sizeof text, "%lld.%lld", (long long)version / 1000, (long long)version % 1000 / 10);
  put_text(json, key, text);
}

static void put_findings(struct json *json, const struct doctor_report *report) {
  json_array(json, "findings");
  for (size_t i = 0; i < report->findings->count; i++) {
    const struct doctor_finding *finding = &report->findings->items[i];
    json_object(json, NULL);
    json_text(json, "rule", finding->rule->id);
    json_text(json, "severity", severity_name(finding->rule->severity));
    put_whole(json, "gpu", finding->gpu);
    put_text(json, "uuid", finding->gpu >= 0 ? report->facts->nvml.gpus[finding->gpu].uuid : "");
    json_text(json, "seen", finding->seen);
    json_text(json, "expected", finding->expected);
    json_text(json, "action", finding->action);
    json_object_end(json);
  }
  json_array_end(json);
}

static void put_driver(struct json *json, const struct doctor_facts *facts) {
  json_object(json, "driver");
  put_text(json, "version", facts->nvml.driver);
  put_cuda(json, "cuda", facts->nvml.cuda);
  put_text(json, "kernel_version", facts->kernel_driver);
  json_bool(json, "kernel_loaded", facts->kernel_driver_loaded);
  put_text(json, "unavailable", facts->driver_ended[0] != '\0' ? facts->driver_ended : facts->nvml.why);
  put_switch(json, "counters_admin_only", facts->counters_admin_only);
  put_cuda(json, "gpubench_cuda", facts->cuda_build);
  json_object_end(json);
}

static void put_strangers(struct json *json, const struct nvml_health *gpu) {
  put_whole(json, "stranger_count", gpu->stranger_count);
  json_array(json, "strangers");
  for (int i = 0; i < NVML_STRANGERS_MOST && gpu->strangers[i].pid != 0; i++) {
    json_object(json, NULL);
    json_whole(json, "pid", gpu->strangers[i].pid);
    put_text(json, "name", gpu->strangers[i].name);
    json_object_end(json);
  }
  json_array_end(json);
}

static void put_memory(struct json *json, const struct nvml_health *gpu) {
  put_switch(json, "ecc", gpu->facts.ecc);
  put_switch(json, "ecc_after_reset", gpu->ecc_next);
  put_switch(json, "ecc_default", gpu->ecc_default);
  put_whole(json, "ecc_corrected", gpu->corrected);
  put_whole(json, "ecc_uncorrected", gpu->uncorrected);
  put_whole(json, "ecc_corrected_ever", gpu->ever_corrected);
  put_whole(json, "ecc_uncorrected_ever", gpu->ever_uncorrected);
  put_whole(json, "retired_pages", gpu->retired_pages);
  put_switch(json, "retirement_pending", gpu->retirement_pending);
  put_whole(json, "remapped_rows", gpu->remapped_rows);
  put_switch(json, "remap_pending", gpu->remap_pending);
  put_switch(json, "remap_failed", gpu->remap_failed);
}

static void put_clocks(struct json *json, const struct nvml_health *gpu) {
  char words[TEXT_SIZE];
  throttle_text(gpu->now.throttle, words, sizeof words);
  json_real(json, "sm_clock_mhz", gpu->now.sm_clock_mhz);
  json_real(json, "max_sm_clock_mhz", gpu->facts.max_sm_clock_mhz);
  json_real(json, "application_clock_mhz", gpu->facts.application_clock_mhz);
  json_real(json, "default_application_clock_mhz", gpu->facts.default_application_clock_mhz);
  put_switch(json, "clocks_held", gpu->facts.clocks_set);
  put_whole(json, "performance_state", gpu->performance_state);
  put_text(json, "throttle", words);
  json_real(json, "temperature_c", gpu->now.temperature_c);
  json_real(json, "slowdown_c", gpu->slowdown_c);
  json_real(json, "margin_c", gpu->margin_c);
  json_real(json, "power_w", gpu->now.power_w);
  json_real(json, "power_limit_w", gpu->facts.power_limit_w);
  json_real(json, "default_power_limit_w", gpu->facts.default_limit_w);
}

static void put_gpu(struct json *json, const struct nvml_health *gpu) {
  static const char *const modes[] = {"default", "exclusive thread", "prohibited", "exclusive process"};
  bool mode = gpu->compute_mode >= COMPUTE_SHARED && gpu->compute_mode <= COMPUTE_EXCLUSIVE;
  json_object(json, NULL);
  put_whole(json, "index", gpu->index);
  put_text(json, "name", gpu->name);
  put_text(json, "uuid", gpu->uuid);
  put_text(json, "pci", gpu->pci);
  put_text(json, "unavailable", gpu->why);
  put_memory(json, gpu);
  put_clocks(json, gpu);
  put_switch(json, "persistence", gpu->facts.persistence);
  put_text(json, "compute_mode", mode ? modes[gpu->compute_mode] : "");
  put_switch(json, "mig", gpu->facts.mig);
  put_switch(json, "mig_after_reset", gpu->mig_next);
  put_whole(json, "mig_slices", gpu->slices);
  put_text(json, "mps", gpu->facts.mps);
  put_whole(json, "pcie_width", gpu->pcie_width);
  put_whole(json, "pcie_width_max", gpu->pcie_width_max);
  put_whole(json, "pcie_generation", gpu->pcie_generation);
  put_whole(json, "pcie_generation_max", gpu->pcie_generation_max);
  put_whole(json, "nvlinks", gpu->links);
  put_whole(json, "nvlinks_active", gpu->links_active);
  put_strangers(json, gpu);
  json_object_end(json);
}

static void put_pci(struct json *json, const struct doctor_facts *facts) {
  json_array(json, "pci");
  for (size_t i = 0; i < facts->pci_count; i++) {
    json_object(json, NULL);
    json_text(json, "address", facts->pci[i].pci);
    put_text(json, "driver", facts->pci[i].driver);
    json_bool(json, "given", facts->pci[i].given);
    json_object_end(json);
  }
  json_array_end(json);
}

static void put_host(struct json *json, const struct doctor_facts *facts) {
  json_object(json, "host");
  put_whole(json, "threads", (int64_t)cpus_count(&facts->cpu.allowed));
  put_whole(json, "threads_online", facts->cpu.online);
  put_text(json, "governor", facts->cpu.governor);
  json_real(json, "quota_cpus", facts->cpu.quota_cpus);
  json_real(json, "load1", facts->cpu.load1);
  put_switch(json, "virtual_machine", facts->cpu.hypervisor);
  put_whole(json, "wsl", facts->wsl > 0 ? facts->wsl : -1);
  json_real(json, "shm_free_bytes", facts->shm_free);
  put_text(json, "scratch", facts->scratch);
  json_real(json, "scratch_free_bytes", facts->scratch_free);
  json_object_end(json);
}

static void put_tools(struct json *json, const struct doctor_facts *facts) {
  json_object(json, "tools");
  for (enum tool tool = 0; tool < TOOL_COUNT; tool++) {
    json_object(json, doctor_tool_name(tool));
    put_text(json, "version", facts->tools[tool].version);
    put_text(json, "where", facts->tools[tool].where);
    put_cuda(json, "cuda", facts->tools[tool].cuda);
    json_object_end(json);
  }
  json_object_end(json);
}

static void put_deep(struct json *json, const struct doctor_deep *deep) {
  if (!deep->asked) {
    json_text(json, "deep", NULL);
    return;
  }
  json_object(json, "deep");
  put_text(json, "unavailable", deep->fault);
  json_array(json, "yardsticks");
  for (int64_t i = 0; i < deep->count; i++) {
    const struct doctor_yardstick *yardstick = &deep->yardsticks[i];
    json_object(json, NULL);
    json_text(json, "what", yardstick->what);
    put_text(json, "device", yardstick->device);
    put_text(json, "wrong", yardstick->wrong);
    json_real(json, "ns", yardstick->ns);
    json_real(json, "shown_ns", yardstick->shown_ns);
    json_whole(json, "nights", yardstick->nights);
    json_object_end(json);
  }
  json_array_end(json);
  json_object_end(json);
}

int doctor_json(const void *what, FILE *out, struct err *err) {
  const struct doctor_report *report = what;
  const struct doctor_facts *facts = report->facts;
  struct json json;
  json_begin(&json, out);
  json_object(&json, NULL);
  json_whole(&json, "schema", 1);
  json_text(&json, "verdict", doctor_is_fit(report->findings, report->strict) ? "fit" : "unfit");
  json_bool(&json, "strict", report->strict);
  put_findings(&json, report);
  put_driver(&json, facts);
  json_array(&json, "gpus");
  for (int64_t i = 0; i < facts->nvml.count; i++)
    put_gpu(&json, &facts->nvml.gpus[i]);
  json_array_end(&json);
  put_pci(&json, facts);
  put_host(&json, facts);
  put_tools(&json, facts);
  put_deep(&json, &facts->deep);
  json_object_end(&json);
  return json_end(&json) == 0 ? 0 : err_set(err, EXIT_FAILED, "cannot write doctor's JSON");
}
