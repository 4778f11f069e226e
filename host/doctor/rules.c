/* Applies the table of rules. The rules for the machine are in rules_machine.c, those for a GPU in rules_gpu.c. */
#include "doctor/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "doctor/rules_of.h"

#define MACHINE(name, severity, expected, action) {#name, SEVERITY_##severity, machine_##name, NULL, expected, action},
#define GPU(name, severity, expected, action) {#name, SEVERITY_##severity, NULL, gpu_##name, expected, action},

const struct doctor_rule doctor_rules[] = {DOCTOR_RULES(MACHINE, GPU)};
const size_t doctor_rule_count = sizeof doctor_rules / sizeof doctor_rules[0];

const char *severity_name(enum severity severity) {
  static const char *const names[SEVERITY_COUNT] = {"unfit", "warning", "note"};
  return names[severity];
}

/* Writes the text with {i} replaced by the GPU's number. */
static void fill_action(char *to, size_t size, const char *text, int64_t gpu) {
  to[0] = '\0';
  for (const char *mark; (mark = strstr(text, "{i}")) != NULL; text = mark + 3)
    phrase_add(to, size, "", "%.*s%lld", (int)(mark - text), text, (long long)gpu);
  phrase_add(to, size, "", "%s", text);
}

static void judge_rule(const struct doctor_facts *facts, const struct doctor_rule *rule, const struct nvml_health *gpu,
                       struct doctor_findings *findings) {
  struct doctor_finding finding = {.rule = rule, .gpu = gpu != NULL ? gpu->index : -1};
  bool broken = gpu != NULL ? rule->of_gpu(facts, gpu, &finding) : rule->of_machine(facts, &finding);
  if (!broken) return;
  if (rule->expected != NULL) text_copy(finding.expected, sizeof finding.expected, rule->expected);
  char text[EXPR_SIZE];
  const char *below_windows = facts->wsl > 0 ? doctor_wsl_action(rule, text, sizeof text) : NULL;
  fill_action(finding.action, sizeof finding.action, below_windows != NULL ? below_windows : rule->action, finding.gpu);
  findings->items = xgrow(findings->items, findings->count, sizeof finding);
  findings->items[findings->count++] = finding;
  findings->of[rule->severity]++;
}

void doctor_judge(const struct doctor_facts *facts, struct doctor_findings *findings) {
  *findings = (struct doctor_findings){0};
  for (enum severity severity = SEVERITY_UNFIT; severity < SEVERITY_COUNT; severity++)
    for (size_t i = 0; i < doctor_rule_count; i++) {
      const struct doctor_rule *rule = &doctor_rules[i];
      if (rule->severity != severity) continue;
      if (rule->of_machine != NULL) judge_rule(facts, rule, NULL, findings);
      for (int64_t gpu = 0; rule->of_gpu != NULL && gpu < facts->nvml.count; gpu++)
        judge_rule(facts, rule, &facts->nvml.gpus[gpu], findings);
    }
}

void doctor_findings_free(struct doctor_findings *findings) {
  free(findings->items);
  *findings = (struct doctor_findings){0};
}

bool doctor_is_fit(const struct doctor_findings *findings, bool strict) {
  return findings->of[SEVERITY_UNFIT] == 0 && (!strict || findings->of[SEVERITY_WARNING] == 0);
}
