/* Facts and findings as lines: what is here, then a line per finding with what to do, then the verdict. */
#include "doctor/command.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/grid.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "doctor/json.h"

enum { DRIVER_S = 20, LINE_SIZE = 2048 };

/* "label   text" as one line that does nothing to a terminal. */
static void print_line(FILE *out, const char *label, const char *text) {
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
  print_line(out, "machine", text);
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
  print_line(out, label, text);
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
  print_line(out, "tools", text);
}

static void print_deep(const struct doctor_deep *deep, FILE *out) {
  for (int64_t i = 0; i < deep->count; i++) {
    const struct doctor_yardstick *y = &deep->yardsticks[i];
    char text[LINE_SIZE] = "";
    phrase_add(text, sizeof text, "", "%s: %s", y->what, isnan(y->ns) ? "no time" : number_time(y->ns).text);
    if (y->nights > 0)
      phrase_add(text, sizeof text, "", "; %s over %lld night%s", number_time(y->shown_ns).text, (long long)y->nights,
                 y->nights == 1 ? "" : "s");
    print_line(out, "yardstick", text);
  }
}

static void print_finding(const struct doctor_finding *finding, FILE *out) {
  char text[LINE_SIZE] = "";
  if (finding->gpu >= 0) phrase_add(text, sizeof text, "", "GPU %lld: ", (long long)finding->gpu);
  phrase_add(text, sizeof text, "", "%s; expected %s; do: %s  [%s]", finding->seen, finding->expected, finding->action,
             finding->rule->id);
  print_line(out, severity_name(finding->rule->severity), text);
}

static void print_total(const struct doctor_report *report, FILE *out) {
  const size_t *of = report->findings->of;
  fprintf(out, "%s: %zu unfit, %zu warning%s, %zu note%s%s\n",
          doctor_is_fit(report->findings, report->strict) ? "fit" : "unfit", of[SEVERITY_UNFIT], of[SEVERITY_WARNING],
          of[SEVERITY_WARNING] == 1 ? "" : "s", of[SEVERITY_NOTE], of[SEVERITY_NOTE] == 1 ? "" : "s",
          report->strict ? " (--strict)" : "");
}

/* Quietly only what makes it unfit, and the verdict. */
static void print(const struct options *options, const struct doctor_report *report) {
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
  print_total(report, out);
  SCOPED char *text = memory_text_end(&printing);
  wrap_print(stdout, text, output_wrap());
}

/* Nothing that is read there is missed: what is not there would seem fine. */
static int check_folder(const char *option, const char *path, struct err *err) {
  struct stat info;
  errno = 0;
  if (path == NULL || (stat(path, &info) == 0 && S_ISDIR(info.st_mode))) return 0;
  return err_set(err, EXIT_USAGE, "--%s %.500s: %s", option, path, strerror(errno != 0 ? errno : ENOTDIR));
}

/* What the run of its own says of a device that nobody has. */
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
  if (!output_is_stdout(options->outputs.json)) print(options, &report);
  int rc = output_write(options->outputs.json, doctor_json, &report, err);
  int code = doctor_is_fit(&findings, options->doctor.strict) ? EXIT_OK : EXIT_UNFIT;
  if (rc == 0 && code != EXIT_OK && options->common.quiet) err_set(err, code, "this machine is unfit");
  doctor_findings_free(&findings);
  return rc == 0 ? code : err->exit_code;
}
