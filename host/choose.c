/* Plugins and variants of a selection. Knows nothing of points. */
#include "choose.h"

#include <string.h>

/* ---- Plugins of a selection ---- */

/* Is `typed` ("attention", "./attention.so", "/opt/attention.so") this plugin? */
static bool is_plugin(const char *typed, const struct catalog_plugin *plugin) {
  if (strcmp(typed, plugin->path) == 0 || strcmp(typed, plugin->desc.id) == 0) return true;
  if (typed[0] == '/') return false;
  const char *base = strrchr(typed, '/'), *file = strrchr(plugin->path, '/');
  base = base != NULL ? base + 1 : typed;
  file = file != NULL ? file + 1 : plugin->path;
  size_t length = strlen(base);
  return strncmp(file, base, length) == 0 && (file[length] == '\0' || strcmp(file + length, ".so") == 0);
}

static bool lists_plugin(const struct selection *selection, const struct catalog_plugin *plugin) {
  for (size_t i = 0; i < selection->plugins.count; i++)
    if (is_plugin(selection->plugins.items[i], plugin)) return true;
  return false;
}

/* Benches come from the section's own plugins, or the command line's where it lists none. */
bool choose_owns(const struct selection *selection, const struct catalog_plugin *plugin) {
  if (selection->plugins.count > 0) return lists_plugin(selection, plugin);
  if (selection->narrow != NULL && selection->narrow->plugins.count > 0) return lists_plugin(selection->narrow, plugin);
  return true;
}

static bool provides(const struct selection *selection, const struct catalog_plugin *plugin) {
  return choose_owns(selection, plugin) || (selection->narrow != NULL && lists_plugin(selection->narrow, plugin));
}

int choose_check_plugins(const struct catalog *catalog, const struct selection *selection, struct err *err) {
  for (size_t i = 0; i < selection->plugins.count; i++) {
    bool found = false;
    for (size_t p = 0; p < catalog->count; p++)
      found = found || is_plugin(selection->plugins.items[i], &catalog->plugins[p]);
    if (!found)
      return err_set(err, EXIT_USAGE, "%.300s: plugin '%.300s' is not among those loaded", selection->origin,
                     selection->plugins.items[i]);
  }
  return 0;
}

/* ---- Variants ---- */

/* Asks every filter, so that each learns what it matches. */
static bool keeps(const struct case_request *request, const char *name) {
  bool kept = true;
  for (size_t s = 0; s < request->source_count; s++) {
    struct source *source = request->sources[s];
    bool wanted = source_match(source, FILTER_VARIANT, name, name);
    bool dropped = source_match(source, FILTER_EXCLUDE, name, name);
    if (dropped || (!wanted && source->filters[FILTER_VARIANT].list.count > 0)) kept = false;
  }
  return kept;
}

static bool requires(const struct case_request *request, const char *name) {
  bool required = false;
  for (size_t s = 0; s < request->source_count; s++)
    if (source_match(request->sources[s], FILTER_REQUIRE, name, name)) required = true;
  return required;
}

static void add_variant(struct choice *choice, const struct case_request *request, const struct view_variant *v) {
  struct plan_variant *added = &choice->variants[choice->count++];
  added->plugin = v->plugin;
  added->variant = v->variant;
  added->required = requires(request, v->name);
  text_copy(added->name, sizeof added->name, v->name);
}

static void mark_baseline(const struct case_request *request) {
  for (size_t s = 0; s < request->source_count; s++)
    request->sources[s]->baseline_used = true;
}

size_t choose_find(const struct plan_variant *variants, size_t count, const struct view_variant *wanted) {
  for (size_t i = 0; wanted != NULL && i < count; i++)
    if (variants[i].plugin == wanted->plugin && variants[i].variant == wanted->variant) return i;
  return SIZE_MAX;
}

void choose_variants(const struct catalog *catalog, const struct case_request *request, struct choice *choice) {
  const struct view *view = choice->view;
  const struct view_variant *named = NULL, *flagged = NULL; /* as denominators, kept by the filters or not */
  const char *baseline = choice->selection->baseline;
  choice->variants = xcalloc(view->here_count, sizeof *choice->variants);
  for (size_t i = 0; i < view->variant_count; i++) {
    struct view_variant *v = &view->variants[i];
    if (v->plugin != view->plugin && !provides(choice->selection, &catalog->plugins[v->plugin])) continue;
    v->seen = true;
    bool is_named = baseline != NULL && strcmp(v->name, baseline) == 0;
    if (is_named) mark_baseline(request);
    bool kept = keeps(request, v->name); /* asked for other backends too: a name that exists there is no slip */
    if (!v->here) continue;
    if (is_named) named = v;
    if (flagged == NULL && (v->desc->flags & VARIANT_BASELINE) != 0) flagged = v;
    if (kept) add_variant(choice, request, v);
  }
  choice->baseline = choose_find(choice->variants, choice->count, named != NULL ? named : flagged);
}
