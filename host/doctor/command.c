/* The output of `gpubench doctor`: the facts about the machine, a line for each fault and its remedy, the verdict. */
#include "doctor/command.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/grid.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "doctor/rules.h"

struct doctor_report {
  const struct doctor_facts *facts;
  const struct doctor_findings *findings;
  bool strict;
};

/* ---- The output as JSON: the verdict, the findings, then all facts; null means not known ---- */

/* Writes a CUDA version: 13000 as "13.0". */
static void put_cuda(struct json *json, const char *key, int64_t version) {
  char text[32] = "";
  if (version > 0) snprintf(text, sizeof text, "%lld.%lld", (long long)version / 1000, (long long)version % 1000 / 10);
  json_text_known(json, key, text);
}

static void put_findings(struct json *json, const struct doctor_report *report) {
  json_array(json, "findings");
  for (size_t i = 0; i < report->findings->count; i++) {
    const struct doctor_finding *finding = &report->findings->items[i];
    json_object(json, NULL);
    json_text(json, "rule", finding->rule->id);
    json_text(json, "severity", severity_name(finding->rule->severity));
    json_whole_known(json, "gpu", finding->gpu);
    json_text_known(json, "uuid", finding->gpu >= 0 ? report->facts->nvml.gpus[finding->gpu].uuid : "");
    json_text(json, "seen", finding->seen);
    json_text(json, "expected", finding->expected);
    json_text(json, "action", finding->action);
    json_object_end(json);
  }
  json_array_end(json);
}

static void put_driver(struct json *json, const struct doctor_facts *facts) {
  json_object(json, "driver");
  json_text_known(json, "version", facts->nvml.driver);
  put_cuda(json, "cuda", facts->nvml.cuda);
  json_text_known(json, "kernel_version", facts->kernel_driver);
  json_bool(json, "kernel_loaded", facts->kernel_driver_loaded);
  json_text_known(json, "unavailable", facts->driver_ended[0] != '\0' ? facts->driver_ended : facts->nvml.why);
  json_bool_known(json, "counters_admin_only", facts->counters_admin_only);
  put_cuda(json, "gpubench_cuda", facts->cuda_build);
  json_object_end(json);
}

static void put_other_processes(struct json *json, const struct nvml_health *gpu) {
  json_whole_known(json, "other_process_count", gpu->other_process_count);
  json_array(json, "other_processes");
  for (int i = 0; i < NVML_OTHERS_MOST && gpu->other_processes[i].pid != 0; i++) {
    json_object(json, NULL);
    json_whole(json, "pid", gpu->other_processes[i].pid);
    json_text_known(json, "name", gpu->other_processes[i].name);
    json_object_end(json);
  }
  json_array_end(json);
}

static void put_memory(struct json *json, const struct nvml_health *gpu) {
  json_bool_known(json, "ecc", gpu->facts.ecc);
  json_bool_known(json, "ecc_after_reset", gpu->ecc_next);
  json_bool_known(json, "ecc_default", gpu->ecc_default);
  json_whole_known(json, "ecc_corrected", gpu->corrected);
  json_whole_known(json, "ecc_uncorrected", gpu->uncorrected);
  json_whole_known(json, "ecc_corrected_ever", gpu->ever_corrected);
  json_whole_known(json, "ecc_uncorrected_ever", gpu->ever_uncorrected);
  json_whole_known(json, "retired_pages", gpu->retired_pages);
  json_bool_known(json, "retirement_pending", gpu->retirement_pending);
  json_whole_known(json, "remapped_rows", gpu->remapped_rows);
  json_bool_known(json, "remap_pending", gpu->remap_pending);
  json_bool_known(json, "remap_failed", gpu->remap_failed);
}

static void put_clocks(struct json *json, const struct nvml_health *gpu) {
  json_real(json, "sm_clock_mhz", gpu->now.sm_clock_mhz);
  json_real(json, "max_sm_clock_mhz", gpu->facts.max_sm_clock_mhz);
  json_real(json, "application_clock_mhz", gpu->facts.application_clock_mhz);
  json_real(json, "default_application_clock_mhz", gpu->facts.default_application_clock_mhz);
  json_bool_known(json, "clocks_held", gpu->facts.clocks_set);
  json_whole_known(json, "performance_state", gpu->performance_state);
  json_text_known(json, "throttle", throttle_text(gpu->now.throttle).text);
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
  json_whole_known(json, "index", gpu->index);
  json_text_known(json, "name", gpu->name);
  json_text_known(json, "uuid", gpu->uuid);
  json_text_known(json, "pci", gpu->pci);
  json_text_known(json, "unavailable", gpu->why);
  put_memory(json, gpu);
  put_clocks(json, gpu);
  json_bool_known(json, "persistence", gpu->facts.persistence);
  json_text_known(json, "compute_mode", mode ? modes[gpu->compute_mode] : "");
  json_bool_known(json, "mig", gpu->facts.mig);
  json_bool_known(json, "mig_after_reset", gpu->mig_next);
  json_whole_known(json, "mig_slices", gpu->slices);
  json_text_known(json, "mps", gpu->facts.mps);
  json_whole_known(json, "pcie_width", gpu->pcie_width);
  json_whole_known(json, "pcie_width_max", gpu->pcie_width_max);
  json_whole_known(json, "pcie_generation", gpu->pcie_generation);
  json_whole_known(json, "pcie_generation_max", gpu->pcie_generation_max);
  json_whole_known(json, "nvlinks", gpu->links);
  json_whole_known(json, "nvlinks_active", gpu->links_active);
  put_other_processes(json, gpu);
  json_object_end(json);
}

static void put_pci(struct json *json, const struct doctor_facts *facts) {
  json_array(json, "pci");
  for (size_t i = 0; i < facts->pci_count; i++) {
    json_object(json, NULL);
    json_text(json, "address", facts->pci[i].pci);
    json_text_known(json, "driver", facts->pci[i].driver);
    json_bool(json, "given", facts->pci[i].given);
    json_object_end(json);
  }
  json_array_end(json);
}

static void put_host(struct json *json, const struct doctor_facts *facts) {
  json_object(json, "host");
  json_whole_known(json, "threads", (int64_t)cpus_count(&facts->cpu.allowed));
  json_whole_known(json, "threads_online", facts->cpu.online);
  json_text_known(json, "governor", facts->cpu.governor);
  json_real(json, "quota_cpus", facts->cpu.quota_cpus);
  json_real(json, "load1", facts->cpu.load1);
  json_bool_known(json, "virtual_machine", facts->cpu.hypervisor);
  json_whole_known(json, "wsl", facts->wsl > 0 ? facts->wsl : -1);
  json_real(json, "shm_free_bytes", facts->shm_free);
  json_text_known(json, "scratch", facts->scratch);
  json_real(json, "scratch_free_bytes", facts->scratch_free);
  json_object_end(json);
}

static void put_tools(struct json *json, const struct doctor_facts *facts) {
  json_object(json, "tools");
  for (enum tool tool = 0; tool < TOOL_COUNT; tool++) {
    json_object(json, doctor_tool_name(tool));
    json_text_known(json, "version", facts->tools[tool].version);
    json_text_known(json, "where", facts->tools[tool].where);
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
  json_text_known(json, "unavailable", deep->fault);
  json_array(json, "yardsticks");
  for (int64_t i = 0; i < deep->count; i++) {
    const struct doctor_yardstick *yardstick = &deep->yardsticks[i];
    json_object(json, NULL);
    json_text(json, "what", yardstick->what);
    json_text_known(json, "device", yardstick->device);
    json_text_known(json, "wrong", yardstick->wrong);
    json_real(json, "ns", yardstick->ns);
    json_real(json, "shown_ns", yardstick->shown_ns);
    json_whole(json, "nights", yardstick->nights);
    json_object_end(json);
  }
  json_array_end(json);
  json_object_end(json);
}

/* Writes the report as JSON; an output_fn (base/output.h). */
static int doctor_json(const void *what, FILE *out, struct err *err) {
  const struct doctor_report *report = what;
  const struct doctor_facts *facts = report->facts;
  struct json json;
  json_begin(&json, out);
  json_object(&json, NULL);
  json_whole(&json, "schema", 2);
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

enum { DRIVER_S = 20, LINE_SIZE = 2048 };

/* Prints "label text" as one line without control characters. */
static void print_doctor_line(FILE *out, const char *label, const char *text) {
  char line[LINE_SIZE];
  text_copy(line, sizeof line, text);
  escape_terminal(line, output_utf8());
  fprintf(out, "%-10s%s\n", label, line);
}

#define ADD(...) phrase_add(text, sizeof text, ", ", __VA_ARGS__)

static void print_machine(const struct doctor_facts *facts, FILE *out) {
  char text[LINE_SIZE] = "";
  long long cuda = facts->nvml.cuda;
  ADD("%zu threads", cpus_count(&facts->cpu.allowed));
  if (facts->cpu.governor[0] != '\0') ADD("governor %s", facts->cpu.governor);
  if (!isnan(facts->cpu.load1)) ADD("load %.2f", facts->cpu.load1);
  if (isfinite(facts->cpu.quota_cpus)) ADD("a quota of %.3g CPUs", facts->cpu.quota_cpus);
  if (facts->wsl > 0) ADD("WSL %lld", (long long)facts->wsl);
  if (facts->nvml.driver[0] != '\0') ADD("driver %s", facts->nvml.driver);
  if (cuda > 0) phrase_add(text, sizeof text, " ", "(CUDA %lld.%lld)", cuda / 1000, cuda % 1000 / 10);
  if (facts->nvml.count < 1) ADD("no GPU");
  print_doctor_line(out, "machine", text);
}

static void print_gpu(const struct nvml_health *gpu, FILE *out) {
  char label[32], text[LINE_SIZE] = "";
  snprintf(label, sizeof label, "GPU %lld", (long long)gpu->index);
  ADD("%s", gpu->name[0] != '\0' ? gpu->name : "its name is not known");
  if (gpu->pci[0] != '\0') ADD("%s", gpu->pci);
  if (!isnan(gpu->now.sm_clock_mhz)) ADD("%.0f MHz", gpu->now.sm_clock_mhz);
  if (!isnan(gpu->now.temperature_c)) ADD("%.0f C", gpu->now.temperature_c);
  if (!isnan(gpu->now.power_w)) ADD("%.0f W", gpu->now.power_w);
  if (!isnan(gpu->facts.power_limit_w)) phrase_add(text, sizeof text, " ", "of %.0f W", gpu->facts.power_limit_w);
  if (gpu->pcie_generation > 0 && gpu->pcie_width > 0)
    ADD("PCIe %lld x%lld", (long long)gpu->pcie_generation, (long long)gpu->pcie_width);
  if (gpu->links > 0) ADD("%lld of %lld NVLinks", (long long)gpu->links_active, (long long)gpu->links);
  if (gpu->facts.ecc >= 0) ADD("ECC %s", gpu->facts.ecc ? "on" : "off");
  print_doctor_line(out, label, text);
}

static void print_tools(const struct doctor_facts *facts, FILE *out) {
  char text[LINE_SIZE] = "";
  for (enum tool tool = 0; tool < TOOL_COUNT; tool++) {
    const struct doctor_tool *found = &facts->tools[tool];
    const char *version = found->version[0] != '\0' ? found->version
                          : found->where[0] != '\0' ? "of an unknown version"
                                                    : "not found";
    ADD("%s %s", doctor_tool_name(tool), version);
  }
  print_doctor_line(out, "tools", text);
}

static void print_deep(const struct doctor_deep *deep, FILE *out) {
  for (int64_t i = 0; i < deep->count; i++) {
    const struct doctor_yardstick *y = &deep->yardsticks[i];
    char text[LINE_SIZE] = "";
    phrase_add(text, sizeof text, "", "%s: %s", y->what, isnan(y->ns) ? "no time" : number_time(y->ns).text);
    if (y->nights > 0)
      phrase_add(text, sizeof text, "", "; %s over %lld night%s", number_time(y->shown_ns).text, (long long)y->nights,
                 y->nights == 1 ? "" : "s");
    print_doctor_line(out, "yardstick", text);
  }
}

static void print_finding(const struct doctor_finding *finding, FILE *out) {
  char text[LINE_SIZE] = "";
  if (finding->gpu >= 0) phrase_add(text, sizeof text, "", "GPU %lld: ", (long long)finding->gpu);
  phrase_add(text, sizeof text, "", "%s; expected %s; do: %s  [%s]", finding->seen, finding->expected, finding->action,
             finding->rule->id);
  print_doctor_line(out, severity_name(finding->rule->severity), text);
}

static void print_fitness(const struct doctor_report *report, FILE *out) {
  const size_t *of = report->findings->of;
  fprintf(out, "%s: %zu unfit, %zu warning%s, %zu note%s%s\n",
          doctor_is_fit(report->findings, report->strict) ? "fit" : "unfit", of[SEVERITY_UNFIT], of[SEVERITY_WARNING],
          of[SEVERITY_WARNING] == 1 ? "" : "s", of[SEVERITY_NOTE], of[SEVERITY_NOTE] == 1 ? "" : "s",
          report->strict ? " (--strict)" : "");
}

/* Prints the report. With --quiet, only the findings that make the machine unfit, and the verdict. */
static void print_report(const struct options *options, const struct doctor_report *report) {
  const struct doctor_facts *facts = report->facts;
  struct memory_text printing;
  FILE *out = memory_text_begin(&printing);
  if (!options->common.quiet) print_machine(facts, out);
  for (int64_t i = 0; !options->common.quiet && i < facts->nvml.count; i++)
    print_gpu(&facts->nvml.gpus[i], out);
  if (!options->common.quiet) print_tools(facts, out);
  if (!options->common.quiet) print_deep(&facts->deep, out);
  for (size_t i = 0; i < report->findings->count; i++) {
    enum severity severity = report->findings->items[i].rule->severity;
    bool counts = severity == SEVERITY_UNFIT || (options->doctor.strict && severity == SEVERITY_WARNING);
    if (!options->common.quiet || counts) print_finding(&report->findings->items[i], out);
  }
  print_fitness(report, out);
  SCOPED char *text = memory_text_end(&printing);
  wrap_print(stdout, text, output_wrap());
}

/* Fails if the folder does not exist. Without this check a mistyped folder would make the machine seem fine: all facts
 * would be missing, and a missing fact breaks no rule. */
static int check_folder(const char *option, const char *path, struct err *err) {
  struct stat info;
  errno = 0;
  if (path == NULL || (stat(path, &info) == 0 && S_ISDIR(info.st_mode))) return 0;
  return err_set(err, EXIT_USAGE, "--%s %.500s: %s", option, path, strerror(errno != 0 ? errno : ENOTDIR));
}

/* Fails if the run of --deep reported that the selected device does not exist. */
static int check_device(const struct options *options, const struct doctor_deep *deep, struct err *err) {
  if (!deep->refused || strcmp(options->common.device, "auto") == 0) return 0;
  return err_set(err, EXIT_USAGE, "--device: %s", deep->fault);
}

int doctor_command(const struct options *options, struct err *err) {
  if (check_folder("root", options->doctor.root, err) != 0 ||
      check_folder("history", options->doctor.history, err) != 0)
    return err->exit_code;
  SCOPED struct doctor_facts *facts = xcalloc(1, sizeof *facts);
  struct doctor_findings findings;
  const char *root = options->doctor.root != NULL ? options->doctor.root : "";
  doctor_facts_read(strcmp(root, "/") == 0 ? "" : root,
                    isnan(options->common.timeout_s) ? DRIVER_S : options->common.timeout_s, facts);
  if (options->doctor.deep && facts->driver_ended[0] == '\0')
    doctor_deep_read(
        facts->nvml.count > 1 && strcmp(options->common.device, "auto") == 0 ? "cuda:all" : options->common.device,
        options->doctor.history, &facts->deep);
  if (check_device(options, &facts->deep, err) != 0) {
    return err->exit_code;
  }
  doctor_judge(facts, &findings);
  const struct doctor_report report = {facts, &findings, options->doctor.strict};
  if (!output_is_stdout(options->outputs.json)) print_report(options, &report);
  int rc = output_write(options->outputs.json, doctor_json, &report, err);
  int code = doctor_is_fit(&findings, options->doctor.strict) ? EXIT_OK : EXIT_UNFIT;
  if (rc == 0 && code != EXIT_OK && options->common.quiet) err_set(err, code, "this machine is unfit");
  doctor_findings_free(&findings);
  return rc == 0 ? code : err->exit_code;
}
