/* DESCRIBE: what is asked for, and the plugins that it names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/describe.h"
#include "base/memory.h"
#include "model/build_label.h"
#include "options/selection.h"
#include "options/suite.h"
#include "plan/bind_settings.h"
#include "run/state.h"
#include "worker/signals.h"

static int gather_selections(struct run_state *run, struct err *err) {
  const struct options *o = run->options;
  for (size_t i = 0; i < o->suites.count; i++)
    if (suite_load(o->suites.items[i], &run->selections, &run->selection_count, err) != 0) return -1;
  for (size_t i = 0; i < run->selection_count; i++)
    selection_override(&run->selections[i], &o->cli);
  if (run->selection_count > 0) return 0;
  run->selections = xcalloc(1, sizeof *run->selections);
  run->selections[0] = o->cli; /* shares its lists: freed by options_free() alone */
  run->selection_count = 1;
  return 0;
}

static double run_limit(const struct run_state *run) {
  double limit = run->options->cli.max_time_s;
  for (size_t i = 0; i < run->selection_count; i++)
    limit = fmin(limit, run->selections[i].max_time_s);
  return isnan(limit) ? INFINITY : limit;
}

/* Replaces names by absolute paths; a plugin that is refused is said so and left out. */
static int describe_list(struct run_state *run, struct strings *names, enum loader_trust trust, struct err *err) {
  if (run->options->trust_plugins) trust = LOADER_ALL;
  for (size_t i = 0; i < names->count;) {
    size_t index;
    struct err refusal = {0};
    if (describe_plugin(&run->catalog, names->items[i], trust, run->options->timeout_s, &index, &refusal) == 0) {
      char whole[LABELLED_SIZE];
      label_join(whole, sizeof whole, run->catalog.plugins[index].label, run->catalog.plugins[index].path);
      free(names->items[i]);
      names->items[i++] = xstrdup(whole);
      continue;
    }
    if (refusal.exit_code == EXIT_USAGE || signals_last() != 0) {
      *err = refusal;
      return -1;
    }
    fprintf(stderr, "gpubench: %s\n", refusal.text);
    run->refused++;
    free(names->items[i]);
    memmove(&names->items[i], &names->items[i + 1], (--names->count - i) * sizeof *names->items);
  }
  return 0;
}

static int describe_all(struct run_state *run, struct err *err) {
  struct strings *cli = (struct strings *)(uintptr_t)&run->options->cli.plugins;
  bool shared = run->options->suites.count == 0;
  if (!shared && describe_list(run, cli, LOADER_TYPED, err) != 0) return -1;
  size_t kept = 0;
  for (size_t i = 0; i < run->selection_count; i++) {
    struct selection *s = &run->selections[i];
    bool named = s->plugins.count > 0;
    if (describe_list(run, &s->plugins, shared ? LOADER_TYPED : LOADER_FOUND, err) != 0) return -1;
    if (shared) *cli = s->plugins;
    if (named && s->plugins.count == 0 && !shared) {
      selection_free(s);
      continue;
    }
    run->selections[kept++] = *s;
  }
  run->selection_count = kept;
  describe_warnings(&run->catalog, stderr);
  if (run->catalog.count == 0 || kept == 0) return err_set(err, EXIT_FAILED, "no plugin could be loaded: nothing ran");
  return 0;
}

int run_select(struct run_state *run, struct err *err) {
  if (gather_selections(run, err) != 0 || describe_all(run, err) != 0) return -1;
  if (settings_take(&run->catalog, run->selections, run->selection_count, &run->options->cli, err) != 0) return -1;
  run->max_time_s = run_limit(run);
  return 0;
}
