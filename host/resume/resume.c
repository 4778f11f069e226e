/* --resume: continues an interrupted run, and notes in run.ini what that needs. */
#include "resume/resume.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/text.h"
#include "model/build_label.h"
#include "plan/shard.h"
#include "plugin/brought.h"
#include "record/find.h"

/* ---- Options ---- */

static void option_key(size_t option, char *to, size_t size) {
  snprintf(to, size, "option.%s", options_name(option));
}

static int defaults(struct options *options, struct err *err) {
  char *argv[] = {"gpubench", "--resume", "."};
  return options_parse(3, argv, options, err);
}

/* Checks an option that is given together with --resume: it must have the value that the run has recorded, or have no
 * effect on the measurement. */
static int check_option(const struct rundir *dir, const struct options *options, size_t option, const char *recorded,
                        struct err *err) {
  char text[EXPR_SIZE];
  if (!options->given[option] || options_is_beside_resume(option)) return 0;
  if (!options_is_noted(option))
    return err_set(err, EXIT_USAGE, "--%s does not go with --resume: %s/run.ini says what to run", options_name(option),
                   dir->path);
  options_text(options, option, text, sizeof text);
  if (strcmp(text, recorded) == 0) return 0;
  return err_set(err, EXIT_USAGE, "cannot resume: --%s was %s%s%s, now it is %s%s%s", options_name(option),
                 recorded[0] ? "'" : "", recorded[0] ? recorded : "not given", recorded[0] ? "'" : "",
                 text[0] ? "'" : "", text[0] ? text : "not given", text[0] ? "'" : "");
}

static int take_options(const struct resume *former, const struct rundir *dir, struct options *options,
                        struct err *err) {
  struct options fresh;
  int rc = defaults(&fresh, err);
  for (size_t i = 0; rc == 0 && options_name(i) != NULL; i++) {
    char key[ID_SIZE], text[EXPR_SIZE] = "";
    option_key(i, key, sizeof key);
    const char *recorded = resume_get(former, key);
    if (options_is_noted(i)) options_text(&fresh, i, text, sizeof text);
    rc = check_option(dir, options, i, recorded ? recorded : text, err);
    if (rc == 0 && recorded != NULL && options_is_kept(i) && !options->given[i])
      rc = options_set(options, i, recorded, err);
  }
  options_free(&fresh);
  return rc;
}

/* Notes the options that affect the measurement, if they differ from the defaults. */
void resume_note_options(const struct options *options, struct pairs *environment) {
  struct options fresh;
  struct err ignored = {0};
  if (defaults(&fresh, &ignored) != 0) return;
  for (size_t i = 0; options_name(i) != NULL; i++) {
    char key[ID_SIZE], text[EXPR_SIZE], usual[EXPR_SIZE];
    if (!options_is_noted(i)) continue;
    option_key(i, key, sizeof key);
    options_text(options, i, text, sizeof text);
    options_text(&fresh, i, usual, sizeof usual);
    if (strcmp(text, usual) != 0) pairs_add(environment, key, "%s", text);
  }
  options_free(&fresh);
}

/* ---- Loading ---- */

static void replace_text(char **to, const char *text) {
  if (text == NULL) return;
  free(*to);
  *to = xstrdup(text);
}

/* Finds the run by its name as other commands do, but for `last` and `latest` takes the newest run: if that was killed,
 * the link `latest` does not point to it. */
static char *former_path(const char *what, struct err *err) {
  SCOPED_STRINGS struct strings all = {0};
  char *path = NULL;
  if (access(what, F_OK) == 0) return xstrdup(what);
  if (find_is_last(what)) find_all(&all);
  path = all.count > 0 ? xstrdup(all.items[0]) : find_run(what, err);
  return path;
}

/* Finds which shard of a plan the run is. A merged run is refused: only its shards can be resumed. */
static int resume_shard(const struct resume *former, const struct rundir *dir, struct shard *part, size_t *whole,
                        struct err *err) {
  const char *shard = resume_get(former, "shard"), *cases = resume_get(former, "plan_cases");
  uint32_t count = 0;
  if (resume_get(former, "merged") != NULL)
    return err_set(err, EXIT_USAGE,
                   "cannot resume: %s was put together from shards; resume the one that lacks something", dir->path);
  if (shard == NULL) return 0;
  if (quantity_part("shard", shard, SHARDS_MAX, &part->number, &part->of, err) != 0 ||
      quantity_count("plan_cases", text_or_empty(cases), UINT32_MAX, &count, err) != 0)
    return err_context(err, "cannot resume: run.ini");
  *whole = count;
  if (former->number_count > 0) return 0;
  return err_set(err, EXIT_USAGE, "shard %s has no case: there is nothing to resume", shard);
}

int resume_begin(struct resume *former, struct rundir *dir, struct options *options, struct shard *shard, size_t *whole,
                 struct err *err) {
  char suite[sizeof dir->path + 16];
  size_t device = 0;
  char *path = former_path(options->run.resume, err);
  const int rc = path != NULL ? resume_load(path, dir, former, err) : -1;
  free(path);
  if (rc != 0) return -1;
  if (take_options(former, dir, options, err) != 0 || resume_shard(former, dir, shard, whole, err) != 0) return -1;
  while (strcmp(options_name(device), "device") != 0)
    device++;
  if (!options->given[device]) replace_text(&options->common.device, resume_get(former, "device"));
  replace_text(&options->run.name, resume_get(former, "name"));
  snprintf(suite, sizeof suite, "%s/run.ini", dir->path);
  strings_add(&options->run.suites, suite);
  return 0;
}

/* ---- Cases ---- */

const struct resume_case *resume_find_case(const struct resume *former, const struct plan *plan,
                                           const struct plan_case *p) {
  return former != NULL ? &former->cases[former->turn * plan->count + (size_t)(p - plan->cases)] : NULL;
}

bool resume_has_case(const struct resume *former, const struct plan *plan, const struct plan_case *p) {
  return former != NULL && resume_find_case(former, plan, p)->complete;
}

/* ---- run.ini ---- */

void resume_note_former(const struct resume *resumed, struct pairs *environment, struct pairs *tags) {
  const struct pairs *former = &resumed->ini.environment;
  for (size_t i = 0; i < former->count; i++)
    if (strncmp(former->items[i].name, "option.", 7) == 0 || strcmp(former->items[i].name, "started_utc") == 0 ||
        strcmp(former->items[i].name, "command") == 0 || strcmp(former->items[i].name, "plan_id") == 0)
      pairs_set(environment, former->items[i].name, former->items[i].value);
  pairs_add(environment, "resumed_utc", "%s", clock_date(CLOCK_DATE).text);
  for (size_t i = 0; i < resumed->ini.tags.count; i++)
    pairs_set(tags, resumed->ini.tags.items[i].name, resumed->ini.tags.items[i].value);
}

static void note_settings(const struct catalog_plugin *plugin, struct pairs *environment) {
  for (uint32_t i = 0; i < plugin->desc.setting_count; i++) {
    char name[RESUME_PLUGIN_SIZE + ID_SIZE];
    resume_setting_name(plugin, &plugin->settings[i], name, sizeof name);
    pairs_add(environment, name, "%s", plugin->settings[i].value.text);
  }
}

/* Notes the identity of the plan, which is the same in all shards of the plan. It is computed from the cases, the
 * plugins and the options that change the measurement. */
void resume_note_plan(uint64_t identity, struct pairs *e) {
  uint64_t id = identity;
  for (size_t i = 0; i < e->count; i++)
    if (plan_holds_for(e->items[i].name))
      id = rng_key(rng_key(id, rng_text(e->items[i].name)), rng_text(e->items[i].value));
  pairs_add(e, "plan_id", "%016" PRIx64, id);
}

/* Notes the names of the libraries that a plugin brings along, because a copy of the plugin that is kept for comparing
 * nightly runs needs them too. */
static void note_brought(const struct catalog_plugin *plugin, struct pairs *environment) {
  char name[RESUME_PLUGIN_SIZE], shown[2 * ID_SIZE], list[8192] = "";
  struct brought brought;
  if (plugin->stamp[0] != '\0') return; /* a plugin with a stamp brings no libraries */
  brought_find(plugin->path, &brought);
  for (size_t i = 0; i < brought.count; i++)
    phrase_add(list, sizeof list, ", ", "%s", brought.items[i].name);
  brought_free(&brought);
  label_show(shown, sizeof shown, plugin->desc.id, plugin->label);
  snprintf(name, sizeof name, "brought.%s", shown);
  if (list[0] != '\0') pairs_add(environment, name, "%s", list);
}

void resume_note_plugins(const struct catalog *catalog, struct pairs *environment) {
  for (size_t i = 0; i < catalog->count; i++) {
    const struct catalog_plugin *plugin = &catalog->plugins[i];
    char name[RESUME_PLUGIN_SIZE], text[4 * TEXT_SIZE];
    resume_plugin_name(plugin, name, sizeof name);
    resume_plugin_text(plugin, text, sizeof text);
    pairs_add(environment, name, "%s", text);
    note_brought(plugin, environment);
    note_settings(plugin, environment);
  }
}
