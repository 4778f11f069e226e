/* `gpubench check`: checks each plugin's file, then its benches and variants on the available devices. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/describe.h"
#include "ask/find_contract.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "check/check.h"
#include "check/findings.h"
#include "check/place.h"
#include "check/state.h"
#include "exam/leftovers.h"
#include "model/build_label.h"
#include "options/device_list.h"
#include "plan/bind_settings.h"
#include "plan/build.h"
#include "plugin/elf.h"
#include "plugin/script.h"
#include "run/devices.h"
#include "worker/interpreter.h"
#include "worker/process.h"
#include "worker/signals.h"

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

/* Reports the first of the symbols for which `wrong` returns true, and the number of the others. */
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

/* Checks the file, describes the plugin and adds it to the catalog. Returns -1 with exit code 2 if there is no such
 * file. `*usable` becomes false if the plugin is refused, which is a finding. */
static int check_file(const char *name, enum loader_trust trust, double timeout_s, struct catalog *catalog,
                      size_t *index, bool *usable, struct findings *f, struct err *err) {
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
  const enum rule good[] = {RULE_LOAD, RULE_ENTRY, RULE_OPEN, RULE_NAMES, RULE_CONTRACTS};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
    pass_rule(f, good[i]);
  check_tables(&catalog->plugins[*index], f);
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

/* Seconds that a plugin's `close` may take in a run. */
static const double close_s = 2;

/* Opens a plugin in a new worker process and closes it. Adds findings about whether both end normally, print nothing
 * and leave no files. `leftovers` has been watched since before the plugin was opened for the first time; `left`
 * receives the files that are found there, because later processes leave them again. */
static void check_life(const struct catalog_plugin *plugin, double timeout_s, const struct place *place,
                       struct leftovers *leftovers, struct strings *left, struct findings *f) {
  struct worker_process *worker;
  char order[LOADER_ORDER_SIZE], text[MSG_SIZE];
  struct ending ending;
  struct err err = {0};
  const struct listener listener = {.user = f, .message = take_file_finding};
  if (process_start(&worker, script_is(plugin->path), &err) != 0) {
    findings_add(f, RULE_CLOSE, FINDING_NOT_CHECKED, NULL, err.text);
    return;
  }
  leftovers_set_process(leftovers, process_pid(worker));
  loader_order(order, sizeof order, plugin);
  process_ask(worker, MSG_LOAD, order, strlen(order) + 1, &listener, call_limit_of(timeout_s), &ending);
  leftovers_look(leftovers, "open");
  if (ending.kind == ENDING_DONE) process_ask(worker, MSG_CLOSE, NULL, 0, &listener, call_limit_of(close_s), &ending);
  tell_ending(f, &ending);
  if (ending.kind == ENDING_DONE) pass_rule(f, RULE_CLOSE);
  char line[TEXT_SIZE];
  if (process_printed(worker, line, sizeof line)) {
    snprintf(text, sizeof text, "printed while it was opened and closed: '%s'", line);
    findings_add(f, RULE_PRINTS, FINDING_FAILED, NULL, text);
  }
  leftovers_look(leftovers, "close");
  process_stop(worker);
  if (place_left(place, line, sizeof line)) {
    snprintf(text, sizeof text, "opening and closing it left %s", line);
    findings_add(f, RULE_FILES, FINDING_FAILED, NULL, text);
  }
  if (leftovers_judge(leftovers, left, text, sizeof text) == LEFTOVERS_LEFT)
    findings_add(f, RULE_FILES, FINDING_FAILED, NULL, text);
}

static const double usual_timeout_s = 20, usual_time_s = 300;
enum { PLUGINS_MOST = 4096 };

static bool talks;

/* Prints a log line, but only with -v: gpubench's own warnings are reported as findings anyway. */
static void say_log(const struct log_message *message) {
  if (talks) fprintf(stderr, "gpubench: %s: %s\n", message->plugin, message->text);
}

/* ---- Checking plugins ---- */

/* Marks the rules about benches as not applicable to a plugin that defines no bench and only adds variants to benches
 * of other plugins. The rules about `supports` and cases remain, because they concern variants, too. */
static void leave_out_benches(const struct catalog_plugin *plugin, struct findings *f) {
  for (enum rule rule = RULE_NONE + 1; rule < RULE_COUNT && plugin->desc.bench_count == 0; rule++)
    if (rule_table[rule].scope == SCOPE_BENCH && rule != RULE_SUPPORTS && rule != RULE_CASES)
      findings_add(f, rule, FINDING_NOT_APPLICABLE, NULL, "the benches are another plugin's");
}

static int take_plugin(struct check_run *run, const char *name, struct findings *f, struct err *err) {
  const enum loader_trust trust = run->options->common.trust_plugins ? LOADER_ALL : LOADER_TYPED;
  size_t index = 0;
  bool usable = false;
  f->title = xstrdup(name);
  struct leftovers *leftovers = leftovers_new(0);
  const int rc = check_file(name, trust, run->timeout_s, &run->catalog, &index, &usable, f, err);
  if (rc == 0 && usable) {
    run->of[index] = f;
    leave_out_benches(&run->catalog.plugins[index], f);
    check_life(&run->catalog.plugins[index], run->timeout_s, &run->place, leftovers, &run->left, f);
  }
  leftovers_free(leftovers);
  return rc;
}

static int take_plugins(struct check_run *run, struct check *check, struct err *err) {
  const struct strings *names = &run->options->cli.plugins;
  int rc = 0;
  interpreter_choose(run->options->common.python);
  check->plugins = xcalloc(names->count, sizeof *check->plugins);
  for (size_t i = 0; i < names->count && rc == 0; i++)
    rc = take_plugin(run, names->items[i], &check->plugins[check->count++], err);
  if (rc == 0) find_contract_load(&run->catalog, run->timeout_s);
  return rc;
}

/* ---- Choosing devices ---- */

/* Devices to check on: one for each backend. */
enum { STANDS_MOST = 8 };

struct stand {
  const char *backend;
  char spec[TEXT_SIZE]; /* the device on which the variants of the backend are checked, as for --device; empty: there is
                           none */
  char why[EXPR_SIZE + TEXT_SIZE];
};

/* Chooses the devices that --device lists; at most one for each backend. A backend without a device in the list is not
 * checked. */
static int choose_listed(const struct options *o, struct stand *stands, size_t count, struct err *err) {
  SCOPED_STRINGS struct strings specs = {0};
  devices_split(o->common.device, &specs);
  int rc = devices_check(&specs, err);
  for (size_t i = 0; i < count; i++)
    snprintf(stands[i].why, sizeof stands[i].why, "--device %.200s has no %s", o->common.device, stands[i].backend);
  for (size_t s = 0; s < specs.count && rc == 0; s++)
    for (size_t i = 0; i < count && rc == 0; i++) {
      if (strcmp(devices_backend(specs.items[s]), stands[i].backend) != 0) continue;
      if (stands[i].spec[0] != '\0' || strcmp(specs.items[s], DEVICES_ALL) == 0)
        rc = err_set(err, EXIT_USAGE, "--device %.200s: check looks at one device of a kind", o->common.device);
      text_copy(stands[i].spec, sizeof stands[i].spec, specs.items[s]);
    }
  return rc;
}

static int choose_stand_devices(struct check_run *run, struct stand *stands, size_t count, struct err *err) {
  char spec[TEXT_SIZE];
  if (strcmp(run->options->common.device, "auto") != 0) return choose_listed(run->options, stands, count, err);
  for (size_t i = 0; i < count; i++) {
    const bool gpu = devices_are(stands[i].backend, DEVICE_IS_GPU);
    struct err none = {0};
    if (run_choose_device("auto", spec, sizeof spec, stands[i].why, sizeof stands[i].why, &none) != 0)
      text_copy(spec, sizeof spec, "cpu");
    const bool there = gpu && devices_are(spec, DEVICE_IS_GPU);
    text_copy(stands[i].spec, sizeof stands[i].spec, !gpu ? stands[i].backend : there ? spec : "fake");
  }
  return 0;
}

/* ---- Checking on a device ---- */

/* Reports all variants of a backend as not checked, each once. */
static void leave_out_variants(const struct check_run *run, const char *backend, const char *why) {
  for (size_t p = 0; p < run->catalog.count; p++)
    for (uint32_t v = 0; run->of[p] != NULL && v < run->catalog.plugins[p].desc.variant_count; v++) {
      const struct variant_desc *variant = &run->catalog.plugins[p].variants[v];
      if (strcmp(variant->backend, backend) != 0) continue;
      for (enum rule rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
        if (rule_table[rule].scope == SCOPE_VARIANT)
          findings_add(run->of[p], rule, FINDING_NOT_CHECKED, variant->name, why);
    }
}

/* Examines all subjects, and moves those that broke no rule to the front of the list. Returns their number. */
static size_t examine_all(struct check_run *run, struct pool *pool, struct subject *subjects, size_t count) {
  size_t good = 0;
  for (size_t i = 0; i < count; i++)
    if (clock_now_ns() > run->ends_ns || signals_asked_to_finish())
      examine_not(run, &subjects[i], signals_asked_to_finish() ? "interrupted" : "the time was over (--max-time)");
    else if (examine_subject(run, pool, &subjects[i]))
      subjects[good++] = subjects[i];
  return good;
}

/* Examines the variants that broke no rule again, with further cases. */
static void examine_further(struct check_run *run, struct pool *pool, const struct subject *good, size_t good_count) {
  struct plan plan = {0};
  size_t count = 0;
  SCOPED struct subject *further = further_cases(run, pool, good, good_count, &plan, &count);
  examine_all(run, pool, further, count);
  plan_free(&plan);
}

static bool points_are_chosen(const struct selection *s) {
  return s->axes.count + s->cases.count + s->presets.count > 0;
}

static int plan_for(const struct check_run *run, const char *backend, bool presets, struct plan *plan,
                    struct err *err) {
  struct selection selection = run->options->cli; /* a shallow copy, which shares its lists with the options */
  char whole[LABELLED_SIZE];
  selection.plugins = (struct strings){0};
  for (size_t i = 0; i < run->catalog.count; i++) {
    label_join(whole, sizeof whole, run->catalog.plugins[i].label, run->catalog.plugins[i].path);
    strings_add(&selection.plugins, whole);
  }
  struct strings every = {0};
  strings_add(&every, "*");
  /* "*" matches all variants, even those that otherwise run only if they are named */
  if (selection.variants.count == 0) selection.variants = every;
  if (presets) selection.presets = every;
  int rc = plan_build(&run->catalog, &selection, 1, backend, plan, err);
  strings_free(&selection.plugins);
  strings_free(&every);
  return rc;
}

/* Appends the cases of all presets to `plan`, after its default cases, because some variants support no default case.
 * Does nothing if the user chose cases. */
static void add_presets(const struct check_run *run, const char *backend, struct plan *plan) {
  struct plan presets = {0};
  struct err none = {0};
  if (points_are_chosen(&run->options->cli) || plan_for(run, backend, true, &presets, &none) != 0) return;
  plan->cases = xrealloc(plan->cases, plan->count + presets.count, sizeof *plan->cases);
  memcpy(plan->cases + plan->count, presets.cases, presets.count * sizeof *plan->cases);
  plan->count += presets.count;
  free(presets.cases);
}

static int look_on(struct check_run *run, const struct stand *stand, struct plan *plan, struct err *err) {
  const bool pretends = devices_are(stand->spec, DEVICE_PRETENDED);
  struct pool pool = {.catalog = &run->catalog, .device = stand->spec, .timeout_s = run->timeout_s, .log = say_log};
  size_t count = 0, usual = plan->count;
  add_presets(run, stand->backend, plan);
  int rc = ask_twice(run, &pool, plan, err);
  SCOPED struct subject *subjects =
      rc == 0 ? subjects_choose(run, plan, usual, stand->backend, pretends, &count) : NULL;
  const size_t good = examine_all(run, &pool, subjects, count);
  if (rc == 0 && !pretends && !points_are_chosen(&run->options->cli)) examine_further(run, &pool, subjects, good);
  if (rc == 0 && pretends) leave_out_variants(run, stand->backend, "no GPU here");
  pool_free(&pool);
  return rc;
}

/* Checks the variants of a backend on the device of `stand`. A GPU that cannot be used is skipped, but is an error if
 * the user selected it. */
static int look_at_backend(struct check_run *run, const struct stand *stand, bool *planned, struct err *err) {
  struct plan plan = {0};
  struct err why = {0};
  int rc = 0;
  if (stand->spec[0] == '\0') return leave_out_variants(run, stand->backend, stand->why), 0;
  if (plan_for(run, stand->backend, false, &plan, &why) == 0) {
    *planned = true;
    rc = look_on(run, stand, &plan, &why);
  } else {
    if (why.about == PLAN_NO_OWNER)
      phrase_add(why.text, sizeof why.text, "; ",
                 "name the plugin that offers it, too: gpubench check OWNER.so GUEST.so");
    leave_out_variants(run, stand->backend, why.text);
  }
  plan_free(&plan);
  if (rc != 0 && (strcmp(run->options->common.device, "auto") != 0 || why.exit_code == EXIT_USAGE))
    return *err = why, -1;
  if (rc != 0) leave_out_variants(run, stand->backend, why.text);
  if (!*planned && err->exit_code == 0) *err = why;
  return 0;
}

static bool has_filters(const struct selection *s) {
  return s->benches.count + s->variants.count + s->excludes.count + s->presets.count + s->cases.count + s->axes.count >
         0;
}

static bool has_backend(const struct check_run *run, const char *backend) {
  for (size_t p = 0; p < run->catalog.count; p++)
    for (uint32_t v = 0; run->of[p] != NULL && v < run->catalog.plugins[p].desc.variant_count; v++)
      if (strcmp(run->catalog.plugins[p].variants[v].backend, backend) == 0) return true;
  return false;
}

static int look_at_backends(struct check_run *run, struct err *err) {
  struct stand stands[STANDS_MOST] = {{0}};
  size_t count = 0;
  for (; count < STANDS_MOST && devices_backends[count] != NULL; count++)
    stands[count].backend = devices_backends[count];
  struct err unplanned = {0};
  bool planned = false;
  if (settings_take(&run->catalog, &run->options->cli, 1, &run->options->cli, err) != 0) return -1;
  if (choose_stand_devices(run, stands, count, err) != 0) return -1;
  for (size_t i = 0; i < count; i++)
    if (has_backend(run, stands[i].backend) && look_at_backend(run, &stands[i], &planned, &unplanned) != 0)
      return *err = unplanned, -1;
  if (!planned && unplanned.exit_code != 0 && has_filters(&run->options->cli)) return *err = unplanned, -1;
  return 0;
}

int check_plugins(const struct options *options, struct check *check, struct err *err) {
  const double time_s = isnan(options->cli.max_time_s) ? usual_time_s : options->cli.max_time_s;
  SCOPED struct check_run *run = xcalloc(1, sizeof *run);
  *check = (struct check){0};
  *run = (struct check_run){.options = options,
                            .of = xcalloc(PLUGINS_MOST, sizeof *run->of),
                            .timeout_s = isnan(options->common.timeout_s) ? usual_timeout_s : options->common.timeout_s,
                            .ends_ns = clock_now_ns() + (int64_t)(time_s * 1e9)};
  talks = options->common.verbosity > 0;
  signals_catch();
  int rc = place_make(&run->place, err);
  if (rc == 0) rc = take_plugins(run, check, err);
  if (rc == 0 && run->catalog.count > 0) rc = look_at_backends(run, err);
  place_remove(&run->place);
  for (size_t i = 0; i < run->left.count; i++)
    unlink(run->left.items[i]);
  strings_free(&run->left);
  catalog_free(&run->catalog);
  free(run->known);
  free(run->of);
  if (signals_last() == 0) return rc;
  *err = (struct err){0};
  return err_set(err, 128 + signals_last(), "interrupted");
}

void check_free(struct check *check) {
  for (size_t i = 0; i < check->count; i++)
    findings_free(&check->plugins[i]);
  free(check->plugins);
  *check = (struct check){0};
}
