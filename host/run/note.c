/* What run.ini says of a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "plugin/script.h"
#include "run/state.h"
#include "worker/interpreter.h"

/* All required variants, of the command line's and of suites' globs alike. */
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

static void add_required(struct run_state *run) {
  struct strings names = {0};
  for (size_t i = 0; i < run->planning.plan.count; i++)
    for (size_t v = 0; v < run->planning.plan.cases[i].variant_count; v++) {
      const struct plan_variant *variant = &run->planning.plan.cases[i].variants[v];
      bool known = !variant->required;
      for (size_t n = 0; n < names.count; n++)
        known = known || strcmp(names.items[n], variant->name) == 0;
      if (known) continue;
      strings_add(&names, variant->name);
      pairs_add_text(&run->recording.environment, "require", variant->name);
    }
  strings_free(&names);
}

static void words_name(const struct plan_case *p, char *to, size_t size) {
  snprintf(to, size, "words.%s.%s", p->id, mode_name(p->mode));
}

void run_note_words(struct run_state *run, const struct plan_case *p) {
  struct pairs *e = &run->recording.environment;
  char name[TEXT_SIZE];
  words_name(p, name, sizeof name);
  if (!p->yardstick && p->words > 0 && pairs_get(e, name) == NULL) pairs_add(e, name, "%zu", p->words);
}

int run_noted_words(const struct resume *former, const struct plan_case *p, uint32_t *words, struct err *err) {
  char name[TEXT_SIZE];
  words_name(p, name, sizeof name);
  const char *text = resume_get(former, name);
  return text != NULL ? quantity_count(name, text, UINT32_MAX, words, err) : 0;
}

static void add_shard(struct run_state *run) {
  struct pairs *e = &run->recording.environment;
  const struct planning *planning = &run->planning;
  if (planning->shard.of == 0) return;
  pairs_add(e, "shard", "%u/%u", planning->shard.number, planning->shard.of);
  pairs_add(e, "plan_cases", "%zu", planning->whole);
  for (size_t i = 0; i < planning->plan.count; i++)
    run_note_words(run, &planning->plan.cases[i]);
}

/* Plugins that were asked for and are not there: also those of the run that this one goes on with, whose run.ini asks
 * for them no more. */
static void add_refused(struct run_state *run) {
  const struct resume *former = run->recording.resumed;
  for (size_t i = 0; former != NULL && i < former->ini.environment.count; i++)
    if (strcmp(former->ini.environment.items[i].name, "refused") == 0)
      strings_add(&run->planning.refused, former->ini.environment.items[i].value);
  for (size_t i = 0; i < run->planning.refused.count; i++)
    pairs_add_text(&run->recording.environment, "refused", run->planning.refused.items[i]);
}

static void add_elsewhere(struct run_state *run) {
  for (size_t i = 0; i < run->planning.elsewhere.count; i++)
    pairs_add_text(&run->recording.environment, "elsewhere", run->planning.elsewhere.items[i]);
}

static void add_python(struct run_state *run) {
  const struct catalog *catalog = &run->planning.catalog;
  struct interpreter found;
  struct err ignored = {0};
  bool scripts = false;
  for (size_t i = 0; i < catalog->count; i++)
    scripts = scripts || script_is(catalog->plugins[i].path);
  if (scripts && interpreter_find(&found, &ignored) == 0)
    pairs_add(&run->recording.environment, "python", "%s (%s)", found.version, found.path);
}

void run_note(struct run_state *run, const char *name, int argc, char **argv) {
  const struct options *o = run->options;
  struct pairs *e = &run->recording.environment;
  char stamp[32], command[2048] = "gpubench";
  clock_date(CLOCK_DATE, stamp, sizeof stamp);
  for (int i = 1; i < argc; i++) {
    strncat(command, " ", sizeof command - strlen(command) - 1);
    text_shell_add(command, sizeof command, argv[i]);
  }
  text_sanitize(command);
  pairs_add(e, "run_id", "%s", run->recording.dir.run_id);
  pairs_add(e, "name", "%s", name);
  pairs_add(e, "started_utc", "%s", stamp);
  pairs_add(e, "command", "%s", command);
  environment_host(e);
  pairs_add(e, "seed", "%llu", (unsigned long long)o->common.seed);
  if (!run_is_empty(run)) pairs_add(e, "precision", "%g", run_settings(run, run->planning.plan.cases).precision);
  pairs_add(e, "quick", "%d", o->run.quick);
  add_required(run);
  add_refused(run);
  add_elsewhere(run);
  add_python(run);
  for (size_t i = 0; i < o->run.tags.count; i++) {
    char *tag = xstrdup(o->run.tags.items[i]), *value = strchr(tag, '=');
    if (value != NULL) *value++ = '\0';
    pairs_add(&run->recording.tags, tag, "%s", value ? value : "");
    free(tag);
  }
  if (run->recording.resumed == NULL) environment_ci_tags(&run->recording.tags);
  if (o->run.in_process) pairs_add(e, "in_process", "1");
  run_isolate_note(run);
  if (has_fastest_of_named(&run->planning.plan)) pairs_add(e, "baselines", "the fastest named");
  run_against_note(run);
  add_shard(run);
  run_resume_note(run);
}

/* Each mode's own; the first one asked for stands for the run. */
void run_note_floors(struct run_state *run) {
  const struct plan_case *first = run->planning.plan.cases;
  while (first + 1 < run->planning.plan.cases + run->planning.plan.count && first->yardstick)
    first++;
  for (uint32_t i = 0; i < TIMING_COUNT; i++) {
    const double ns = run->devices.floors[i].ns;
    char key[ID_SIZE] = "floor_ns";
    if (!(ns > 0)) continue;
    if (i == first->mode.timing) pairs_add(&run_device(run)->environment, key, "%.6g", ns);
    snprintf(key, sizeof key, "floor_%s_ns", mode_name((struct mode){i, LOAD_PLAIN}));
    pairs_add(&run_device(run)->environment, key, "%.6g", ns);
  }
}
