/* Selections, and the plugins that they name. */
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
#include "worker/signals.h"

static int gather_selections(struct planning *planning, const struct options *options, struct err *err) {
  for (size_t i = 0; i < options->suites.count; i++)
    if (suite_load(options->suites.items[i], &planning->selections, &planning->selection_count, err) != 0) return -1;
  for (size_t i = 0; i < planning->selection_count; i++)
    selection_override(&planning->selections[i], &options->cli);
  if (planning->selection_count > 0) return 0;
  planning->selections = xcalloc(1, sizeof *planning->selections);
  planning->selections[0] = options->cli; /* shares its lists: freed by options_free() alone */
  planning->selection_count = 1;
  return 0;
}

static double time_limit(const struct planning *planning, const struct options *options) {
  double limit = options->cli.max_time_s;
  for (size_t i = 0; i < planning->selection_count; i++)
    limit = fmin(limit, planning->selections[i].max_time_s);
  return isnan(limit) ? INFINITY : limit;
}

/* Replaces names by absolute paths; a plugin that is refused is said so and left out. */
static int describe_list(struct planning *planning, const struct options *options, struct strings *names,
                         enum loader_trust trust, struct err *err) {
  if (options->trust_plugins) trust = LOADER_ALL;
  for (size_t i = 0; i < names->count;) {
    size_t index;
    struct err refusal = {0};
    const int rc =
        describe_plugin(&planning->catalog, names->items[i], trust, options_timeout_s(options), &index, &refusal);
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
    strings_add(rc == DESCRIBE_SKIPPED ? &planning->elsewhere : &planning->refused, refusal.text);
    free(names->items[i]);
    memmove(&names->items[i], &names->items[i + 1], (--names->count - i) * sizeof *names->items);
  }
  return 0;
}

/* As where no variant is for the device. */
static int nothing_left(const struct planning *planning, struct err *err) {
  if (planning->refused.count == 0 && planning->elsewhere.count > 0)
    return err_set(err, EXIT_USAGE, "nothing to run: no plugin that was named has a part here");
  return err_set(err, EXIT_FAILED, "no plugin could be loaded: nothing ran");
}

static int describe_all(struct planning *planning, const struct options *options, struct err *err) {
  struct strings *cli = (struct strings *)(uintptr_t)&options->cli.plugins;
  bool shared = options->suites.count == 0;
  if (!shared && describe_list(planning, options, cli, LOADER_TYPED, err) != 0) return -1;
  size_t kept = 0;
  for (size_t i = 0; i < planning->selection_count; i++) {
    struct selection *s = &planning->selections[i];
    bool named = s->plugins.count > 0;
    if (describe_list(planning, options, &s->plugins, shared ? LOADER_TYPED : LOADER_FOUND, err) != 0) return -1;
    if (shared) *cli = s->plugins;
    if (named && s->plugins.count == 0 && !shared) {
      selection_free(s);
      continue;
    }
    planning->selections[kept++] = *s;
  }
  planning->selection_count = kept;
  describe_warnings(&planning->catalog, stderr);
  return planning->catalog.count == 0 || kept == 0 ? nothing_left(planning, err) : 0;
}

int planning_select(struct planning *planning, const struct options *options, struct err *err) {
  if (gather_selections(planning, options, err) != 0 || describe_all(planning, options, err) != 0) return -1;
  if (find_contract_check_guests(&planning->catalog, options_timeout_s(options), stderr, err) != 0) return -1;
  if (settings_take(&planning->catalog, planning->selections, planning->selection_count, &options->cli, err) != 0)
    return -1;
  planning->max_time_s = time_limit(planning, options);
  return 0;
}

void planning_free(struct planning *planning, const struct options *options) {
  for (size_t i = 0; i < planning->selection_count && options->suites.count > 0; i++)
    selection_free(&planning->selections[i]);
  free(planning->selections);
  strings_free(&planning->refused);
  strings_free(&planning->elsewhere);
  plan_free(&planning->plan);
  plan_free(&planning->others);
  free(planning->claims);
  catalog_free(&planning->catalog);
}
