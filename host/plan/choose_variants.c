/* Finds the plugins that a selection (what a command line or a section of a suite asks to run) uses, and the variants
 * of a bench that it runs. */
#include "plan/choose_variants.h"

#include <string.h>

#include "base/memory.h"
#include "model/build_label.h"

/* ---- Choosing the plugins of a selection ---- */

/* Returns true if `typed` ("attention", "./attention.so", "/opt/attention.so", "old=/opt/attention.so") means this
 * plugin. */
static bool is_plugin(const char *typed, const struct catalog_plugin *plugin) {
  char label[ID_SIZE];
  typed = label_split(typed, label);
  if (strcmp(label, plugin->label) != 0) return false;
  if (strcmp(typed, plugin->path) == 0 || strcmp(typed, plugin->desc.id) == 0) return true;
  if (typed[0] == '/') return false;
  const char *base = text_file_name(typed), *file = text_file_name(plugin->path);
  size_t length = strlen(base);
  return strncmp(file, base, length) == 0 && (file[length] == '\0' || strcmp(file + length, ".so") == 0);
}

static bool lists_plugin(const struct selection *selection, const struct catalog_plugin *plugin) {
  for (size_t i = 0; i < selection->plugins.count; i++)
    if (is_plugin(selection->plugins.items[i], plugin)) return true;
  return false;
}

/* Returns true if the selection may run benches that the plugin owns. The plugin must be in the selection's list of
 * plugins or, if that section of a suite has no such list, in the command line's list. Without any list all plugins may
 * be run. */
static bool selects_owner(const struct selection *selection, const struct catalog_plugin *plugin) {
  if (selection->plugins.count > 0) return lists_plugin(selection, plugin);
  if (selection->narrow != NULL && selection->narrow->plugins.count > 0) return lists_plugin(selection->narrow, plugin);
  return true;
}

bool choose_owns_lineup(const struct catalog *catalog, const struct selection *selection, const struct lineup *lineup) {
  for (size_t p = 0; p < catalog->count; p++)
    if (lineup_same_plugin(catalog, p, lineup->plugin) && selects_owner(selection, &catalog->plugins[p])) return true;
  return false;
}

static bool provides(const struct selection *selection, const struct catalog_plugin *plugin) {
  return selects_owner(selection, plugin) || (selection->narrow != NULL && lists_plugin(selection->narrow, plugin));
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

/* ---- Choosing the variants of a bench ---- */

/* The names of a variant: `shown` is the name by which it is shown; `bare` is the same without the label of a build, so
 * that "fused" means "fused@old" and "fused@new". */
struct names {
  const char *shown, *bare;
};

static struct names variant_names(const struct catalog *catalog, const struct lineup_variant *v) {
  const bool labelled = catalog->plugins[v->plugin].label[0] != '\0';
  return (struct names){v->name, labelled ? v->desc->name : v->name};
}

/* Returns true if all filters accept the variant. Applies every filter even after one has refused the variant, because
 * a filter that never matches anything is reported later. */
static bool filters_keep(const struct bench_request *request, struct names names) {
  bool kept = true;
  for (size_t s = 0; s < request->source_count; s++) {
    struct source *source = request->sources[s];
    bool wanted = source_match(source, FILTER_VARIANT, names.shown, names.bare);
    bool dropped = source_match(source, FILTER_EXCLUDE, names.shown, names.bare);
    if (dropped || (!wanted && source->filters[FILTER_VARIANT].list.count > 0)) kept = false;
  }
  return kept;
}

static bool requires(const struct bench_request *request, struct names names) {
  bool required = false;
  for (size_t s = 0; s < request->source_count; s++)
    if (source_match(request->sources[s], FILTER_REQUIRE, names.shown, names.bare)) required = true;
  return required;
}

static bool is_named_baseline(const struct bench_request *request, const struct lineup_variant *v, struct names names) {
  bool named = false;
  /* a yardstick, such as a plain copy, is never a baseline */
  if ((v->desc->flags & VARIANT_YARDSTICK) != 0) return false;
  for (size_t s = 0; s < request->source_count; s++)
    if (source_match(request->sources[s], FILTER_BASELINE, names.shown, names.bare)) named = true;
  return named;
}

/* Returns true if a filter such as --variant says which variants to run. */
static bool picks_variants(const struct bench_request *request) {
  bool picks = false;
  for (size_t s = 0; s < request->source_count; s++)
    picks = picks || request->sources[s]->filters[FILTER_VARIANT].list.count > 0;
  return picks;
}

/* Returns true if the variant is to run. A variant with the flag VARIANT_BY_NAME must be named by a baseline or by a
 * filter of variants. */
static bool is_asked_for(const struct bench_request *request, const struct lineup_variant *v, bool named) {
  return named || (v->desc->flags & VARIANT_BY_NAME) == 0 || picks_variants(request);
}

static void choose_variant(struct choice *choice, const struct lineup_variant *v, bool required, bool named) {
  struct plan_variant *added = &choice->variants[choice->count++];
  added->plugin = v->plugin;
  added->variant = v->variant;
  added->required = required;
  added->against.common = named ? 1 : 0;
  text_copy(added->name, sizeof added->name, v->name);
}

size_t choose_find(const struct plan_variant *variants, size_t count, const struct lineup_variant *wanted) {
  for (size_t i = 0; wanted != NULL && i < count; i++)
    if (variants[i].plugin == wanted->plugin && variants[i].variant == wanted->variant) return i;
  return SIZE_MAX;
}

static const struct variant_desc *desc_of(const struct catalog *catalog, const struct plan_variant *v) {
  return &catalog->plugins[v->plugin].variants[v->variant];
}

/* Returns true if `a` and `b` are the same variant from two builds of a plugin. */
static bool is_twin_in_plan(const struct catalog *catalog, const struct plan_variant *a, const struct plan_variant *b) {
  const struct variant_desc *x = desc_of(catalog, a), *y = desc_of(catalog, b);
  return a->plugin != b->plugin && lineup_same_plugin(catalog, a->plugin, b->plugin) && strcmp(x->name, y->name) == 0 &&
         strcmp(x->backend, y->backend) == 0 && ((x->flags | y->flags) & VARIANT_YARDSTICK) == 0;
}

void choose_twins(const struct catalog *catalog, struct plan_variant *variants, size_t count, bool named) {
  for (size_t j = 0; j < count; j++) {
    size_t first = j;
    bool alone = true;
    for (size_t i = 0; i < count; i++) {
      if (!is_twin_in_plan(catalog, &variants[i], &variants[j])) continue;
      alone = false;
      if (variants[i].plugin < variants[first].plugin) first = i;
    }
    variants[j].against.twin = named || alone ? 0 : (uint32_t)first + 1;
  }
}

/* Ranks the variants that are declared as baselines, in the order of declaration. Only the baselines of one plugin are
 * ranked: those of the plugin that owns the bench or, if it declares none, those of the first other plugin that
 * declares some. That plugin is chosen before filters are applied: if they drop all its baselines, no other plugin
 * takes its place. */
static void rank_baselines(const struct catalog *catalog, struct choice *choice) {
  const struct lineup_variant *first = NULL;
  uint32_t rank = 0;
  for (size_t i = 0; i < choice->lineup->variant_count; i++) {
    const struct lineup_variant *v = &choice->lineup->variants[i];
    if (!v->here || (v->desc->flags & VARIANT_BASELINE) == 0) continue;
    if (!provides(choice->selection, &catalog->plugins[v->plugin])) continue;
    if (first == NULL) first = v;
    const size_t at = choose_find(choice->variants, choice->count, v);
    if (at != SIZE_MAX && v->plugin == first->plugin) choice->variants[at].against.common = ++rank;
  }
}

void choose_variants(const struct catalog *catalog, const struct bench_request *request, struct choice *choice) {
  const struct lineup *lineup = choice->lineup;
  choice->variants = xcalloc(lineup->here_count, sizeof *choice->variants);
  for (size_t i = 0; i < lineup->variant_count; i++) {
    struct lineup_variant *v = &lineup->variants[i];
    if (!provides(choice->selection, &catalog->plugins[v->plugin])) continue;
    v->seen = true;
    const struct names names = variant_names(catalog, v);
    bool named = is_named_baseline(request, v, names);
    /* filters are applied to variants of other backends too, because a filter that names one of them must not be
     * reported as unknown */
    bool kept = filters_keep(request, names);
    v->picked = v->picked || (kept && picks_variants(request));
    if (!v->here) continue;
    choice->named = choice->named || named;
    if (kept && is_asked_for(request, v, named)) choose_variant(choice, v, requires(request, names), named);
  }
  if (!choice->named) rank_baselines(catalog, choice);
  choose_twins(catalog, choice->variants, choice->count, choice->named);
}

/* Returns true if the selection names the bench, by --bench, by a preset or by case keys. */
static bool request_names_bench(const struct bench_request *request) {
  bool named = case_source(request) != NULL;
  for (size_t s = 0; s < request->source_count; s++) {
    const struct globs *filters = request->sources[s]->filters;
    named = named || filters[FILTER_BENCH].list.count > 0 || filters[FILTER_PRESET].list.count > 0;
  }
  return named;
}

bool choose_waits(const struct catalog *catalog, const struct bench_request *request, const struct choice *choice) {
  const uint32_t flags = choice->lineup->desc->flags;
  bool waits = (flags & BENCH_BY_NAME) != 0 && !request_names_bench(request);
  for (size_t i = 0; i < choice->count; i++)
    waits = waits && desc_of(catalog, &choice->variants[i])->bench >= 0;
  return waits;
}
