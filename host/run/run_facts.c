/* Collects facts about a run for run.ini, the file in the run directory that describes the run. */
#include "run/run_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "plugin/script.h"
#include "run/comparison.h"
#include "worker/interpreter.h"

/* Returns true if globs of --baseline, from the command line or from suites, match several variants of a case, so that
 * the speedups of the case are relative to the fastest of these. */
static bool has_fastest_of_named(const struct plan *plan) {
  for (size_t i = 0; i < plan->count; i++) {
    const struct plan_case *p = &plan->cases[i];
    size_t common = 0;
    for (size_t v = 0; v < p->variant_count; v++)
      common += p->variants[v].against.common != 0;
    if (p->named && common > 1) return true;
  }
  return false;
}

/* Adds the names of the variants that must not be skipped, because the command line or a suite requires them. */
static void add_required(const struct plan *plan, struct pairs *environment) {
  SCOPED_STRINGS struct strings names = {0};
  for (size_t i = 0; i < plan->count; i++)
    for (size_t v = 0; v < plan->cases[i].variant_count; v++) {
      const struct plan_variant *variant = &plan->cases[i].variants[v];
      if (!variant->required || strings_has(&names, variant->name)) continue;
      strings_add(&names, variant->name);
      pairs_add_text(environment, "require", variant->name);
    }
}

static void verdicts_name(const struct plan_case *p, char *to, size_t size) {
  snprintf(to, size, "verdicts.%s.%s", p->id, mode_name(p->mode));
}

void run_note_verdicts(const struct plan_case *p, struct pairs *e) {
  char name[TEXT_SIZE];
  verdicts_name(p, name, sizeof name);
  if (!p->yardstick && p->verdicts > 0 && pairs_get(e, name) == NULL) pairs_add(e, name, "%zu", p->verdicts);
}

int run_noted_verdicts(const struct resume *former, const struct plan_case *p, uint32_t *verdicts, struct err *err) {
  char name[TEXT_SIZE];
  verdicts_name(p, name, sizeof name);
  const char *text = resume_get(former, name);
  return text != NULL ? quantity_count(name, text, UINT32_MAX, verdicts, err) : 0;
}

static void add_shard(const struct planning *planning, struct pairs *e) {
  if (planning->shard.of == 0) return;
  pairs_add(e, "shard", "%u/%u", planning->shard.number, planning->shard.of);
  pairs_add(e, "plan_cases", "%zu", planning->whole);
  for (size_t i = 0; i < planning->plan.count; i++)
    run_note_verdicts(&planning->plan.cases[i], e);
}

/* Adds the plugins that were asked for and refused. Includes those that the resumed run noted, because the selections
 * in its run.ini no longer name them. */
static void add_refused(const struct resume *former, struct strings *refused, struct pairs *environment) {
  for (size_t i = 0; former != NULL && i < former->ini.environment.count; i++)
    if (strcmp(former->ini.environment.items[i].name, "refused") == 0)
      strings_add(refused, former->ini.environment.items[i].value);
  for (size_t i = 0; i < refused->count; i++)
    pairs_add_text(environment, "refused", refused->items[i]);
}

static void add_python(const struct catalog *catalog, struct pairs *environment) {
  struct interpreter found;
  struct err ignored = {0};
  bool scripts = false;
  for (size_t i = 0; i < catalog->count; i++)
    scripts = scripts || script_is(catalog->plugins[i].path);
  if (scripts && interpreter_find(&found, &ignored) == 0)
    pairs_add(environment, "python", "%s (%s)", found.version, found.path);
}

void run_note(struct run_state *run, const char *name, int argc, char **argv) {
  const struct options *o = run->options;
  const struct planning *planning = &run->planning;
  struct pairs *e = &run->recording.environment;
  char command[2048] = "gpubench";
  for (int i = 1; i < argc; i++) {
    strncat(command, " ", sizeof command - strlen(command) - 1);
    text_shell_add(command, sizeof command, argv[i]);
  }
  text_sanitize(command);
  pairs_add(e, "run_id", "%s", run->recording.dir.run_id);
  pairs_add(e, "name", "%s", name);
  pairs_add(e, "started_utc", "%s", clock_date(CLOCK_DATE).text);
  pairs_add(e, "command", "%s", command);
  environment_host(e);
  pairs_add(e, "seed", "%llu", (unsigned long long)o->common.seed);
  if (!planning_is_empty(planning))
    pairs_add(e, "precision", "%g", time_budget_settings(&run->budget, run->planning.plan.cases).precision);
  pairs_add(e, "quick", "%d", o->run.quick);
  add_required(&planning->plan, e);
  add_refused(run->recording.resumed, &run->planning.refused, e);
  for (size_t i = 0; i < planning->unsupported.count; i++)
    pairs_add_text(e, "unsupported", planning->unsupported.items[i]);
  add_python(&planning->catalog, e);
  for (size_t i = 0; i < o->run.tags.count; i++) {
    char *tag = xstrdup(o->run.tags.items[i]), *value = strchr(tag, '=');
    if (value != NULL) *value++ = '\0';
    pairs_add(&run->recording.tags, tag, "%s", value ? value : "");
    free(tag);
  }
  if (run->recording.resumed == NULL) environment_ci_tags(&run->recording.tags);
  if (o->run.in_process) pairs_add(e, "in_process", "1");
  run_isolate_note(&run->isolation, e);
  if (has_fastest_of_named(&planning->plan)) pairs_add(e, "baselines", "the fastest named");
  run_against_note(&run->comparison.against, &run->recording);
  add_shard(planning, e);
  resume_note_plugins(&planning->catalog, e);
  if (run->recording.resumed != NULL)
    resume_note_former(run->recording.resumed, e, &run->recording.tags);
  else
    resume_note_options(o, e);
  if (run->recording.resumed == NULL && planning->shard.of > 0) resume_note_plan(planning->identity, e);
}

/* Notes the launch overhead of each mode, as launch_overhead_MODE_ns. The overhead of the first case's mode is also
 * noted as launch_overhead_ns, which reports show. */
void run_note_overheads(const struct plan *plan, const struct mode_overhead *overheads, struct pairs *device) {
  const struct plan_case *first = plan->cases;
  while (first + 1 < plan->cases + plan->count && first->yardstick)
    first++;
  for (uint32_t i = 0; i < TIMING_COUNT; i++) {
    const double ns = overheads[i].ns;
    char key[ID_SIZE] = "launch_overhead_ns";
    if (!(ns > 0)) continue;
    if (i == first->mode.timing) pairs_add(device, key, "%.6g", ns);
    snprintf(key, sizeof key, "launch_overhead_%s_ns", mode_name((struct mode){i, LOAD_PLAIN}));
    pairs_add(device, key, "%.6g", ns);
  }
}
