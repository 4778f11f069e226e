/* Reads the user's selections, from the command line and from suite files, and collects what the plugins that they name
 * offer (the catalog). */
#include "run/planning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/describe.h"
#include "ask/find_contract.h"
#include "base/memory.h"
#include "model/build_label.h"
#include "options/selection.h"
#include "options/suite.h"
#include "plan/bind_settings.h"
#include "plan/build.h"
#include "plugin/brought.h"
#include "plugin/script.h"
#include "worker/signals.h"

/* ---- Finding plugins that cannot share a process ---- */

static bool owns_contract(const struct catalog_plugin *plugin, const char *contract) {
  for (uint32_t i = 0; i < plugin->desc.bench_count; i++)
    if (strcmp(plugin->benches[i].contract, contract) == 0) return true;
  return false;
}

static bool offers(const struct catalog_plugin *plugin, const char *contract) {
  for (uint32_t i = 0; i < plugin->desc.variant_count; i++)
    if (strcmp(plugin->variants[i].contract, contract) == 0) return true;
  return owns_contract(plugin, contract);
}

/* Returns true if some case loads both plugins into one process. */
static bool plugins_meet(const struct catalog_plugin *a, const struct catalog_plugin *b, bool isolated) {
  for (uint32_t i = 0; i < a->desc.variant_count; i++) {
    const char *contract = a->variants[i].contract;
    if (offers(b, contract) && (!isolated || owns_contract(a, contract) || owns_contract(b, contract))) return true;
  }
  for (uint32_t i = 0; i < a->desc.bench_count; i++)
    if (offers(b, a->benches[i].contract)) return true;
  return false;
}

static int refuse_clash(const struct catalog_plugin *plugin, const struct catalog_plugin *former,
                        const struct brought_file *own, const struct brought_file *other, struct err *err) {
  const bool apart = !plugins_meet(plugin, former, true);
  return err_set(err, EXIT_FAILED,
                 "%s: needs %.300s, but %.300s, which %.300s needs, has that name and would serve both: link it "
                 "statically, or name it differently%s",
                 plugin->path, own->path, other->path, former->path,
                 apart ? "; or give each a process of its own: --isolate" : "");
}

/* Compares plugin `index` of the catalog with the plugins before it that may be loaded into the same process. If two
 * such plugins bring libraries of the same name (a clash), only one of the libraries would be loaded, and one plugin
 * would be measured with the other's library. `isolated`: each provider gets a process with only the bench's owner and
 * its own plugin. Fails with exit code 3 if there is a clash; the message names both libraries. */
static int clash_check(const struct catalog *catalog, size_t index, bool isolated, struct err *err) {
  const struct catalog_plugin *plugin = &catalog->plugins[index];
  struct brought own = {0};
  int rc = 0;
  /* Scripts cannot clash, because their modules are kept apart when they are imported. A plugin with a stamp (text that
   * changes when the plugin's file changes) cannot clash either: plugins that load libraries themselves have no
   * stamp. */
  if (script_is(plugin->path) || plugin->stamp[0] != '\0') return 0;
  brought_find(plugin->path, &own);
  for (size_t i = 0; i < index && rc == 0 && own.count > 0; i++) {
    const struct catalog_plugin *former = &catalog->plugins[i];
    const struct brought_file *other;
    struct brought theirs;
    if (script_is(former->path) || !plugins_meet(plugin, former, isolated)) continue;
    brought_find(former->path, &theirs);
    const struct brought_file *mine = brought_clash(&theirs, &own, &other);
    if (mine != NULL) rc = refuse_clash(plugin, former, mine, other, err);
    brought_free(&theirs);
  }
  brought_free(&own);
  return rc;
}

static int gather_selections(struct planning *planning, const struct options *options, struct err *err) {
  selection_copy(&planning->typed, &options->cli);
  planning->typed.quick = options->run.quick;
  for (size_t i = 0; i < options->run.suites.count; i++)
    if (suite_load(options->run.suites.items[i], &planning->selections, &planning->selection_count, err) != 0)
      return -1;
  for (size_t i = 0; i < planning->selection_count; i++)
    selection_override(&planning->selections[i], &planning->typed);
  if (planning->selection_count > 0) return 0;
  planning->selections = xcalloc(1, sizeof *planning->selections);
  selection_copy(&planning->selections[0], &planning->typed);
  planning->selection_count = 1;
  return 0;
}

static double time_limit(const struct planning *planning) {
  double limit = planning->typed.max_time_s;
  for (size_t i = 0; i < planning->selection_count; i++)
    limit = fmin(limit, planning->selections[i].max_time_s);
  return isnan(limit) ? INFINITY : limit;
}

static int describe_one(struct planning *planning, const struct options *options, const char *name,
                        enum loader_trust trust, size_t *index, struct err *err) {
  const size_t known = planning->catalog.count;
  const int rc = describe_plugin(&planning->catalog, name, trust, options_timeout_s(options), index, err);
  if (rc != 0 || *index < known || clash_check(&planning->catalog, *index, options->run.isolate, err) == 0) return rc;
  describe_drop_last(&planning->catalog);
  return -1;
}

/* Describes the plugins of the list and replaces their names by absolute paths. Reports a refused plugin and leaves it
 * out. */
static int describe_list(struct planning *planning, const struct options *options, struct strings *names,
                         enum loader_trust trust, struct err *err) {
  if (options->common.trust_plugins) trust = LOADER_ALL;
  for (size_t i = 0; i < names->count;) {
    size_t index;
    struct err refusal = {0};
    const int rc = describe_one(planning, options, names->items[i], trust, &index, &refusal);
    if (rc == 0) {
      char whole[LABELLED_SIZE];
      label_join(whole, sizeof whole, planning->catalog.plugins[index].label, planning->catalog.plugins[index].path);
      free(names->items[i]);
      names->items[i++] = xstrdup(whole);
      continue;
    }
    if ((rc != DESCRIBE_SKIPPED && refusal.exit_code == EXIT_USAGE) || signals_asked_to_finish()) {
      *err = refusal;
      return -1;
    }
    fprintf(stderr, "gpubench: %s%s\n", rc == DESCRIBE_SKIPPED ? "warning: " : "", refusal.text);
    strings_add(rc == DESCRIBE_SKIPPED ? &planning->unsupported : &planning->refused, refusal.text);
    free(names->items[i]);
    memmove(&names->items[i], &names->items[i + 1], (--names->count - i) * sizeof *names->items);
  }
  return 0;
}

/* Sets the error that no plugin is left: a usage error if all plugins were left out because they have no variant for
 * this device, a failure if a plugin was refused. */
static int nothing_left(const struct planning *planning, struct err *err) {
  if (planning->refused.count == 0 && planning->unsupported.count > 0)
    return err_set(err, EXIT_USAGE, "nothing to run: no plugin that was named has a part here");
  return err_set(err, EXIT_FAILED, "no plugin could be loaded: nothing ran");
}

/* Drops sections of a suite whose plugins were all refused or left out, because such a section selects nothing. A
 * section that names no plugins uses those of the command line. */
static void drop_emptied(struct planning *planning, const bool *named) {
  size_t kept = 0;
  for (size_t i = 0; i < planning->selection_count; i++) {
    struct selection *s = &planning->selections[i];
    if (named[i] && s->plugins.count == 0)
      selection_free(s);
    else
      planning->selections[kept++] = *s;
  }
  planning->selection_count = kept;
}

static int describe_sections(struct planning *planning, const struct options *options, struct err *err) {
  SCOPED bool *named = xcalloc(planning->selection_count, sizeof *named);
  int rc = describe_list(planning, options, &planning->typed.plugins, LOADER_TYPED, err);
  for (size_t i = 0; rc == 0 && i < planning->selection_count; i++) {
    named[i] = planning->selections[i].plugins.count > 0;
    rc = describe_list(planning, options, &planning->selections[i].plugins, LOADER_FOUND, err);
  }
  if (rc == 0) drop_emptied(planning, named);
  return rc;
}

static int describe_all(struct planning *planning, const struct options *options, struct err *err) {
  const int rc = options->run.suites.count > 0
                     ? describe_sections(planning, options, err)
                     : describe_list(planning, options, &planning->selections[0].plugins, LOADER_TYPED, err);
  if (rc != 0) return -1;
  describe_warnings(&planning->catalog, stderr);
  const bool none = planning->catalog.count == 0 || planning->selection_count == 0;
  return none ? nothing_left(planning, err) : 0;
}

int planning_select(struct planning *planning, const struct options *options, struct err *err) {
  if (gather_selections(planning, options, err) != 0 || describe_all(planning, options, err) != 0) return -1;
  if (find_contract_check_guests(&planning->catalog, options_timeout_s(options), stderr, err) != 0) return -1;
  if (settings_take(&planning->catalog, planning->selections, planning->selection_count, &planning->typed, err) != 0)
    return -1;
  planning->max_time_s = time_limit(planning);
  return 0;
}

void planning_free(struct planning *planning) {
  selection_free(&planning->typed);
  for (size_t i = 0; i < planning->selection_count; i++)
    selection_free(&planning->selections[i]);
  free(planning->selections);
  strings_free(&planning->refused);
  strings_free(&planning->unsupported);
  plan_free(&planning->plan);
  plan_free(&planning->others);
  free(planning->claims);
  catalog_free(&planning->catalog);
}
