#include "check/file.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/build_label.h"
#include "plugin/elf.h"
#include "plugin/script.h"
#include "worker/process.h"

/* ---- Checking the file ---- */

static void pass_rule(struct findings *f, enum rule rule) {
  findings_add(f, rule, FINDING_PASSED, NULL, "");
}

static bool is_entry(const char *name) {
  static const char prefix[] = "gb_plugin_v";
  const char *digits = name + sizeof prefix - 1;
  return strncmp(name, prefix, sizeof prefix - 1) == 0 && *digits != '\0' &&
         strspn(digits, "0123456789") == strlen(digits);
}

/* Reports how many of the symbols are wrong, and the first of them. */
static void tell_symbols(struct findings *f, enum rule rule, const char *verb, const struct strings *symbols,
                         bool (*wrong)(const char *name)) {
  char text[MSG_SIZE];
  size_t count = 0;
  const char *first = NULL;
  for (size_t i = 0; i < symbols->count; i++) {
    if (!wrong(symbols->items[i])) continue;
    if (count++ == 0) first = symbols->items[i];
  }
  snprintf(text, sizeof text, count > 1 ? "%s '%s' and %zu others" : "%s '%s'", verb, text_or_empty(first), count - 1);
  findings_add(f, rule, count == 0 ? FINDING_PASSED : FINDING_FAILED, NULL, count == 0 ? "" : text);
}

static bool is_too_much(const char *name) {
  return !is_entry(name);
}

static bool is_hosts(const char *name) {
  return strncmp(name, "gb_", 3) == 0;
}

static void check_elf(const char *path, struct findings *f) {
  struct loader_elf_facts facts = {0};
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct err no_elf = {0};
  if (fd < 0) return;
  if (loader_elf_check(fd, &no_elf) == 0) {
    loader_elf_facts(fd, &facts);
    findings_add(f, RULE_STACK, facts.executable_stack ? FINDING_FAILED : FINDING_PASSED, NULL,
                 facts.executable_stack ? "PT_GNU_STACK is executable, or missing: link with -z noexecstack" : "");
    findings_add(f, RULE_RELOCATIONS, facts.text_relocations ? FINDING_FAILED : FINDING_PASSED, NULL,
                 facts.text_relocations ? "DT_TEXTREL is set: compile with -fPIC" : "");
  }
  if (facts.known) {
    tell_symbols(f, RULE_EXPORTS, "exports", &facts.exported, is_too_much);
    tell_symbols(f, RULE_IMPORTS, "needs", &facts.needed, is_hosts);
  }
  loader_elf_facts_free(&facts);
  close(fd);
}

static void leave_out_elf(struct findings *f) {
  const enum rule of_files[] = {RULE_STACK, RULE_RELOCATIONS, RULE_EXPORTS, RULE_IMPORTS};
  for (size_t i = 0; i < sizeof of_files / sizeof of_files[0]; i++)
    findings_add(f, of_files[i], FINDING_NOT_APPLICABLE, NULL, "a script, not a shared object");
}

/* ---- Checking what the plugin registers ---- */

static void tell_refusal(struct findings *f, const struct err *refusal) {
  const enum rule rule =
      refusal->about > RULE_NONE && refusal->about < RULE_COUNT ? (enum rule)refusal->about : RULE_LOAD;
  findings_add(f, rule, FINDING_FAILED, NULL, refusal->text);
  if (rule == RULE_LOAD || rule == RULE_CRASH || rule == RULE_HANG || rule == RULE_PROCESS) return;
  pass_rule(f, RULE_LOAD);
  if (rule != RULE_ENTRY && rule != RULE_NAMES) pass_rule(f, RULE_ENTRY);
}

static bool is_versioned(const char *contract) {
  const char *slash = strrchr(contract, '/');
  return slash != NULL && isdigit((unsigned char)slash[1]) && strspn(slash + 1, "0123456789") == strlen(slash + 1);
}

static void check_contracts(const struct catalog_plugin *plugin, struct findings *f) {
  char text[MSG_SIZE];
  bool good = true;
  for (uint32_t i = 0; i < plugin->desc.bench_count; i++) {
    const struct bench_desc *bench = &plugin->benches[i];
    if (is_versioned(bench->contract)) continue;
    good = false;
    snprintf(text, sizeof text, "the contract of bench '%s', '%s', does not end in a version, as '%s/1' does",
             bench->name, bench->contract, bench->contract);
    findings_add(f, RULE_CONTRACTS, FINDING_FAILED, NULL, text);
  }
  if (good) pass_rule(f, RULE_CONTRACTS);
}

static void check_tables(const struct catalog_plugin *plugin, struct findings *f) {
  const struct plugin_desc *desc = &plugin->desc;
  size_t axes = 0, presets = 0;
  for (uint32_t i = 0; i < desc->bench_count; i++) {
    axes += plugin->benches[i].axis_count;
    presets += plugin->benches[i].preset_count;
  }
  findings_add(f, RULE_TABLES, desc->left_out_count > 0 ? FINDING_FAILED : FINDING_PASSED, NULL,
               desc->left_out_count > 0 ? desc->left_out : "");
  findings_add(f, RULE_AXES, axes > 0 ? FINDING_PASSED : FINDING_NOT_APPLICABLE, NULL, axes > 0 ? "" : "it has none");
  findings_add(f, RULE_PRESETS, presets > 0 ? FINDING_PASSED : FINDING_NOT_APPLICABLE, NULL,
               presets > 0 ? "" : "it has none");
}

int check_file(const char *name, enum loader_trust trust, double timeout_s, struct catalog *catalog, size_t *index,
               bool *usable, struct findings *f, struct err *err) {
  char path[4096], label[ID_SIZE];
  struct err refusal = {0};
  if (loader_find(label_split(name, label), path, sizeof path, err) != 0) return -1;
  if (script_is(path))
    leave_out_elf(f);
  else
    check_elf(path, f);
  const int rc = describe_plugin(catalog, name, trust, timeout_s, index, &refusal);
  *usable = rc == 0;
  if (rc == DESCRIBE_SKIPPED) return findings_add(f, RULE_LOAD, FINDING_NOT_CHECKED, NULL, refusal.text), 0;
  if (refusal.exit_code == EXIT_USAGE) return *err = refusal, -1;
  if (!*usable) return tell_refusal(f, &refusal), 0;
  const enum rule good[] = {RULE_LOAD, RULE_ENTRY, RULE_OPEN, RULE_NAMES};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
    pass_rule(f, good[i]);
  check_tables(&catalog->plugins[*index], f);
  check_contracts(&catalog->plugins[*index], f);
  return 0;
}

/* ---- Checking how the plugin opens and closes ---- */

static void take_file_finding(void *user, const struct message *message) {
  struct finding finding;
  if (findings_hear(message, &finding))
    findings_add(user, (enum rule)finding.rule, (enum finding_outcome)finding.outcome, NULL, finding.text);
}

static void tell_ending(struct findings *f, const struct ending *ending) {
  char how[2 * TEXT_SIZE + 64];
  ending_text(ending, how, sizeof how);
  if (ending->kind == ENDING_DONE) return;
  const enum rule rule = ending->phase == PHASE_CLOSE     ? RULE_CLOSE
                         : ending->kind == ENDING_TIMEOUT ? RULE_HANG
                                                          : RULE_CRASH;
  findings_add(f, rule, FINDING_FAILED, NULL, ending->kind == ENDING_FAILED ? ending->err.text : how);
}

/* How long close() may take in a run, in seconds. */
static const double close_s = 2;

void check_life(const struct catalog_plugin *plugin, double timeout_s, const struct place *place, struct findings *f) {
  struct worker_process *worker;
  char order[LOADER_ORDER_SIZE], text[MSG_SIZE];
  struct ending ending;
  struct err err = {0};
  const struct listener listener = {.user = f, .message = take_file_finding};
  if (process_start(&worker, script_is(plugin->path), &err) != 0) {
    findings_add(f, RULE_CLOSE, FINDING_NOT_CHECKED, NULL, err.text);
    return;
  }
  loader_order(order, sizeof order, plugin);
  process_ask(worker, MSG_LOAD, order, strlen(order) + 1, &listener, call_limit_of(timeout_s), &ending);
  if (ending.kind == ENDING_DONE) process_ask(worker, MSG_CLOSE, NULL, 0, &listener, call_limit_of(close_s), &ending);
  tell_ending(f, &ending);
  if (ending.kind == ENDING_DONE) pass_rule(f, RULE_CLOSE);
  char line[TEXT_SIZE];
  if (process_printed(worker, line, sizeof line)) {
    snprintf(text, sizeof text, "printed while it was opened and closed: '%s'", line);
    findings_add(f, RULE_PRINTS, FINDING_FAILED, NULL, text);
  }
  process_stop(worker);
  if (place_left(place, line, sizeof line)) {
    snprintf(text, sizeof text, "opening and closing it left %s", line);
    findings_add(f, RULE_FILES, FINDING_FAILED, NULL, text);
  }
}
