/* --resume: an interrupted run taken up, and what a run writes down so that it can be. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/phrase.h"
#include "base/quantity.h"
#include "base/rng.h"
#include "model/build_label.h"
#include "plan/shard.h"
#include "plugin/brought.h"
#include "record/find.h"
#include "run/state.h"

/* ---- Options ---- */

static void option_key(size_t option, char *to, size_t size) {
  snprintf(to, size, "option.%s", options_name(option));
}

static int defaults(struct options *options, struct err *err) {
  char *argv[] = {"gpubench", "--resume", "."};
  return options_parse(3, argv, options, err);
}

static int no_meaning(const struct run_state *run, size_t option, struct err *err) {
  return err_set(err, EXIT_USAGE, "--%s does not go with --resume: %s/run.ini says what to run", options_name(option),
                 run->recording.dir.path);
}

/* An option that is given must be the run's own, or make no difference to what is measured. */
static int check_option(const struct run_state *run, const struct options *options, size_t option, const char *recorded,
                        struct err *err) {
  char text[EXPR_SIZE];
  if (!options->given[option] || options_is_beside_resume(option)) return 0;
  if (!options_is_noted(option)) return no_meaning(run, option, err);
  options_text(options, option, text, sizeof text);
  if (strcmp(text, recorded) == 0) return 0;
  return err_set(err, EXIT_USAGE, "cannot resume: --%s was %s%s%s, now it is %s%s%s", options_name(option),
                 recorded[0] ? "'" : "", recorded[0] ? recorded : "not given", recorded[0] ? "'" : "",
                 text[0] ? "'" : "", text[0] ? text : "not given", text[0] ? "'" : "");
}

static int take_options(struct run_state *run, struct options *options, struct err *err) {
  struct options fresh;
  int rc = defaults(&fresh, err);
  for (size_t i = 0; rc == 0 && options_name(i) != NULL; i++) {
    char key[ID_SIZE], text[EXPR_SIZE] = "";
    option_key(i, key, sizeof key);
    const char *recorded = resume_get(run->recording.resumed, key);
    if (options_is_noted(i)) options_text(&fresh, i, text, sizeof text);
    rc = check_option(run, options, i, recorded ? recorded : text, err);
    if (rc == 0 && recorded != NULL && options_is_kept(i) && !options->given[i])
      rc = options_set(options, i, recorded, err);
  }
  options_free(&fresh);
  return rc;
}

/* What this run was given that changes what is measured. */
static void note_options(struct run_state *run) {
  struct options fresh;
  struct err ignored = {0};
  if (defaults(&fresh, &ignored) != 0) return;
  for (size_t i = 0; options_name(i) != NULL; i++) {
    char key[ID_SIZE], text[EXPR_SIZE], usual[EXPR_SIZE];
    if (!options_is_noted(i)) continue;
    option_key(i, key, sizeof key);
    options_text(run->options, i, text, sizeof text);
    options_text(&fresh, i, usual, sizeof usual);
    if (strcmp(text, usual) != 0) pairs_add(&run->recording.environment, key, "%s", text);
  }
  options_free(&fresh);
}

/* ---- Beginning ---- */

static void replace_text(char **to, const char *text) {
  if (text == NULL) return;
  free(*to);
  *to = xstrdup(text);
}

/* As everywhere where a run is asked for; but the last may be one that was killed, to which `latest` does not lead. */
static char *former_path(const char *what, struct err *err) {
  struct strings all = {0};
  char *path = NULL;
  if (access(what, F_OK) == 0) return xstrdup(what);
  if (find_is_last(what)) find_all(&all);
  path = all.count > 0 ? xstrdup(all.items[0]) : find_run(what, err);
  strings_free(&all);
  return path;
}

/* Of a merged run there is nothing to go on with: its shards are. */
static int take_shard(struct run_state *run, struct err *err) {
  const struct resume *former = run->recording.resumed;
  const char *shard = resume_get(former, "shard"), *cases = resume_get(former, "plan_cases");
  uint32_t whole = 0;
  if (resume_get(former, "merged") != NULL)
    return err_set(err, EXIT_USAGE,
                   "cannot resume: %s was put together from shards; resume the one that lacks something",
                   run->recording.dir.path);
  if (shard == NULL) return 0;
  if (quantity_part("shard", shard, SHARDS_MAX, &run->planning.shard.number, &run->planning.shard.of, err) != 0 ||
      quantity_count("plan_cases", text_or_empty(cases), UINT32_MAX, &whole, err) != 0)
    return err_context(err, "cannot resume: run.ini");
  run->planning.whole = whole;
  if (former->number_count > 0) return 0;
  return err_set(err, EXIT_USAGE, "shard %s has no case: there is nothing to resume", shard);
}

int run_resume_begin(struct run_state *run, struct options *options, struct err *err) {
  char suite[sizeof run->recording.dir.path + 16];
  size_t device = 0;
  run->recording.resumed = xcalloc(1, sizeof *run->recording.resumed);
  char *path = former_path(options->run.resume, err);
  const int rc = path != NULL ? resume_load(path, &run->recording.dir, run->recording.resumed, err) : -1;
  free(path);
  if (rc != 0) return -1;
  if (take_options(run, options, err) != 0 || take_shard(run, err) != 0) return -1;
  while (strcmp(options_name(device), "device") != 0)
    device++;
  if (!options->given[device]) replace_text(&options->common.device, resume_get(run->recording.resumed, "device"));
  replace_text(&options->run.name, resume_get(run->recording.resumed, "name"));
  snprintf(suite, sizeof suite, "%s/run.ini", run->recording.dir.path);
  strings_add(&options->run.suites, suite);
  return 0;
}

int run_resume_check(struct run_state *run, struct err *err) {
  struct pairs now = {0};
  if (run->planning.refused.count > 0)
    return err_set(err, EXIT_FAILED, "cannot resume: a plugin of the run is refused now");
  environment_host(&now);
  struct resume_device *devices = xcalloc(run->devices.count, sizeof *devices);
  for (size_t i = 0; i < run->devices.count; i++) {
    const struct run_device *one = &run->devices.all[i];
    if (one->lost.exit_code == 0) devices[i] = (struct resume_device){one->facts.name, run_device_id(&one->facts)};
  }
  int rc = resume_check(run->recording.resumed, &now, &run->planning.catalog, devices, run->devices.count, err);
  if (rc == 0)
    rc = resume_match(run->recording.resumed, &run->recording.dir, &run->planning.plan, devices, run->devices.count,
                      err);
  pairs_free(&now);
  free(devices);
  if (rc == 0)
    memcpy(run->recording.epochs, run->recording.resumed->epochs_used,
           run->planning.plan.count * sizeof *run->recording.epochs);
  for (size_t i = 0; rc == 0 && i < run->recording.resumed->case_count; i++)
    run->recording.kept_cases += run->recording.resumed->cases[i].complete;
  return rc;
}

int run_resume_repair(struct run_state *run, struct err *err) {
  return resume_repair(run->recording.resumed, &run->recording.dir, &run->planning.plan, err);
}

/* ---- Going on ---- */

const struct resume_case *run_resume_case(const struct run_state *run, const struct plan_case *p) {
  if (run->recording.resumed == NULL) return NULL;
  return &run->recording.resumed
              ->cases[run->devices.turn * run->planning.plan.count + (size_t)(p - run->planning.plan.cases)];
}

void run_resume_keep(struct run_state *run, const struct plan_case *p, const struct resume_case *c) {
  SCOPED struct record *records = xcalloc(p->variant_count, sizeof *records); /* as they are owned elsewhere */
  for (size_t v = 0; v < p->variant_count; v++) {
    records[v] = run->recording.resumed->data.records[c->rows[v]];
    enum row_status status = row_status_parse(records[v].status);
    if (status == ROW_UNKNOWN) status = ROW_ERROR;
    if (records[v].floor_ns > 0) run->devices.floors[p->mode.timing].ns = records[v].floor_ns;
    if (p->yardstick) continue;
    recording_count(&run->recording, &p->variants[v], status, records[v].message);
  }
  if (p->yardstick) analyse_ceiling(p, records, &run->recording.identity.ceilings);
}

/* ---- run.ini ---- */

static void copy_former(struct run_state *run) {
  const struct pairs *former = &run->recording.resumed->ini.environment;
  char stamp[32];
  clock_date(CLOCK_DATE, stamp, sizeof stamp);
  for (size_t i = 0; i < former->count; i++)
    if (strncmp(former->items[i].name, "option.", 7) == 0 || strcmp(former->items[i].name, "started_utc") == 0 ||
        strcmp(former->items[i].name, "command") == 0 || strcmp(former->items[i].name, "plan_id") == 0)
      pairs_set(&run->recording.environment, former->items[i].name, former->items[i].value);
  pairs_add(&run->recording.environment, "resumed_utc", "%s", stamp);
  for (size_t i = 0; i < run->recording.resumed->ini.tags.count; i++)
    pairs_set(&run->recording.tags, run->recording.resumed->ini.tags.items[i].name,
              run->recording.resumed->ini.tags.items[i].value);
}

static void note_settings(struct run_state *run, const struct catalog_plugin *plugin) {
  for (uint32_t i = 0; i < plugin->desc.setting_count; i++) {
    char name[RESUME_PLUGIN_SIZE + ID_SIZE];
    resume_setting_name(plugin, &plugin->settings[i], name, sizeof name);
    pairs_add(&run->recording.environment, name, "%s", plugin->settings[i].value.text);
  }
}

/* Shards are of one plan if it has the same cases in all, of the same plugins, measured alike. */
static uint64_t plan_id(const struct run_state *run) {
  const struct pairs *e = &run->recording.environment;
  uint64_t id = run->planning.identity;
  for (size_t i = 0; i < e->count; i++)
    if (plan_holds_for(e->items[i].name))
      id = rng_key(rng_key(id, rng_text(e->items[i].name)), rng_text(e->items[i].value));
  return id;
}

/* Who keeps the build for another night has to keep these with it. */
static void note_brought(struct run_state *run, const struct catalog_plugin *plugin) {
  char name[RESUME_PLUGIN_SIZE], shown[2 * ID_SIZE], list[8192] = "";
  struct brought brought;
  if (plugin->stamp[0] != '\0') return; /* it brings nothing along */
  brought_find(plugin->path, &brought);
  for (size_t i = 0; i < brought.count; i++)
    phrase_add(list, sizeof list, ", ", "%s", brought.items[i].name);
  brought_free(&brought);
  label_show(shown, sizeof shown, plugin->desc.id, plugin->label);
  snprintf(name, sizeof name, "brought.%s", shown);
  if (list[0] != '\0') pairs_add(&run->recording.environment, name, "%s", list);
}

void run_resume_note(struct run_state *run) {
  for (size_t i = 0; i < run->planning.catalog.count; i++) {
    char name[RESUME_PLUGIN_SIZE], text[4 * TEXT_SIZE];
    resume_plugin_name(&run->planning.catalog.plugins[i], name, sizeof name);
    resume_plugin_text(&run->planning.catalog.plugins[i], text, sizeof text);
    pairs_add(&run->recording.environment, name, "%s", text);
    note_brought(run, &run->planning.catalog.plugins[i]);
    note_settings(run, &run->planning.catalog.plugins[i]);
  }
  if (run->recording.resumed != NULL)
    copy_former(run);
  else
    note_options(run);
  if (run->recording.resumed == NULL && run->planning.shard.of > 0)
    pairs_add(&run->recording.environment, "plan_id", "%016" PRIx64, plan_id(run));
}

void run_resume_free(struct run_state *run) {
  if (run->recording.resumed != NULL) resume_free(run->recording.resumed);
  free(run->recording.resumed);
  run->recording.resumed = NULL;
}
