#include "plan/lineup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/build_label.h"
#include "plan/plan.h"

/* Builds line-ups, that is for each bench the list of all its variants. Most come from the plugin that owns the bench.
 * A guest comes from another plugin; it says by a contract (name of a bench's interface) which bench it is for. */

/* Returns the length of a contract (name and version of a bench's interface) without its version: up to and including
 * the last '/'. */
static size_t contract_stem(const char *contract) {
  const char *slash = strrchr(contract, '/');
  return slash != NULL ? (size_t)(slash - contract) + 1 : 0;
}

static bool is_version_of(const char *a, const char *b) {
  return contract_stem(a) > 0 && contract_stem(a) == contract_stem(b) && strncmp(a, b, contract_stem(a)) == 0;
}

/* Returns a contract (name of a bench's interface) without its domain: "matmul/gemm/1". Contracts are compared in this
 * form, because the domain is the same for many and would make all look similar. */
static const char *contract_tail(const char *contract) {
  const char *slash = strchr(contract, '/');
  return slash != NULL && strchr(slash + 1, '/') != NULL ? slash + 1 : contract;
}

static const struct lineup *find_contract(const struct lineups *lineups, const char *contract,
                                          bool (*is)(const char *, const char *)) {
  for (size_t i = 0; i < lineups->count; i++)
    if (is(lineups->items[i].desc->contract, contract) || is(lineups->items[i].id, contract)) return &lineups->items[i];
  return NULL;
}

static bool is_same_name(const char *a, const char *b) {
  return strcmp(a, b) == 0;
}

static const struct lineup *find_near(const struct lineups *lineups, const char *contract) {
  SCOPED const char **names = xcalloc(2 * lineups->count, sizeof *names);
  for (size_t i = 0; i < lineups->count; i++) {
    names[2 * i] = contract_tail(lineups->items[i].desc->contract);
    names[2 * i + 1] = lineups->items[i].id;
  }
  const char *nearest = text_nearest(contract_tail(contract), names, 2 * lineups->count);
  const struct lineup *found = NULL;
  for (size_t i = 0; nearest != NULL && found == NULL && i < 2 * lineups->count; i++)
    if (names[i] == nearest) found = &lineups->items[i / 2];
  return found;
}

const struct lineup *guests_nearest(const struct lineups *lineups, const char *contract) {
  const struct lineup *found = find_contract(lineups, contract, is_same_name);
  if (found == NULL) found = find_contract(lineups, contract, is_version_of);
  return found != NULL ? found : find_near(lineups, contract);
}

void guests_offered(const struct catalog *catalog, const struct lineups *lineups, const char *contract, char *to,
                    size_t size) {
  const struct lineup *nearest = guests_nearest(lineups, contract);
  text_copy(to, size, nearest != NULL && !is_version_of(nearest->desc->contract, contract) ? "nearest: " : "loaded: ");
  if (lineups->count == 0) text_copy(to, size, "no bench is loaded");
  for (size_t i = 0, count = 0; i < lineups->count; i++) {
    const struct lineup *lineup = &lineups->items[i];
    size_t used = strlen(to);
    if (nearest != NULL && lineup != nearest) continue;
    snprintf(to + used, size - used, "%s%s (from %s)", count++ > 0 ? ", " : "", lineup->desc->contract,
             catalog->plugins[lineup->plugin].desc.id);
  }
}

static bool is_offered(const struct lineups *lineups, const char *contract) {
  for (size_t i = 0; i < lineups->count; i++)
    if (is_same_name(lineups->items[i].desc->contract, contract)) return true;
  return false;
}

static bool is_homeless(const struct lineups *lineups, const struct variant_desc *variant) {
  return variant->bench < 0 && !is_offered(lineups, variant->contract);
}

/* Returns the plugin's first variant if all variants of the plugin are for benches that no plugin has; otherwise
 * NULL. */
static const struct variant_desc *find_lost(const struct lineups *lineups, const struct catalog_plugin *plugin) {
  for (size_t v = 0; v < plugin->desc.variant_count; v++)
    if (!is_homeless(lineups, &plugin->variants[v])) return NULL;
  return plugin->desc.variant_count > 0 ? &plugin->variants[0] : NULL;
}

int guests_check(const struct catalog *catalog, const struct lineups *lineups, const char **contract, struct err *err) {
  *contract = NULL;
  for (size_t p = 0; p < catalog->count; p++) {
    const struct catalog_plugin *plugin = &catalog->plugins[p];
    const struct variant_desc *lost = find_lost(lineups, plugin);
    char offered[900];
    if (lost == NULL) continue;
    *contract = lost->contract;
    guests_offered(catalog, lineups, *contract, offered, sizeof offered);
    err_set(err, EXIT_USAGE, "plugin '%s' attaches to contract %s; %s", plugin->desc.id, *contract, offered);
    return err_about(err, PLAN_NO_OWNER);
  }
  return 0;
}

void guests_left_out(const struct catalog *catalog, const struct lineups *lineups, struct strings *lines) {
  for (size_t p = 0; p < catalog->count; p++) {
    const struct catalog_plugin *plugin = &catalog->plugins[p];
    for (size_t v = 0; v < plugin->desc.variant_count; v++) {
      const struct variant_desc *variant = &plugin->variants[v];
      char offered[900], line[sizeof offered + 2 * TEXT_SIZE];
      if (!is_homeless(lineups, variant)) continue;
      guests_offered(catalog, lineups, variant->contract, offered, sizeof offered);
      snprintf(line, sizeof line, "plugin '%s' attaches also to contract %s, which nobody offers here; %s",
               plugin->desc.id, variant->contract, offered);
      strings_add_once(lines, line);
    }
  }
}

bool lineup_same_plugin(const struct catalog *catalog, size_t a, size_t b) {
  return strcmp(catalog->plugins[a].desc.id, catalog->plugins[b].desc.id) == 0;
}

const struct bench_desc *lineup_bench_in(const struct catalog *catalog, size_t plugin, const struct lineup *lineup) {
  const struct catalog_plugin *build = &catalog->plugins[plugin];
  for (size_t i = 0; lineup_same_plugin(catalog, plugin, lineup->plugin) && i < build->desc.bench_count; i++)
    if (strcmp(build->benches[i].name, lineup->desc->name) == 0) return &build->benches[i];
  return NULL;
}

void lineups_free(struct lineups *lineups) {
  for (size_t i = 0; i < lineups->count; i++)
    free(lineups->items[i].variants);
  free(lineups->items);
  *lineups = (struct lineups){0};
}

/* ---- Comparing builds of one bench ---- */

static void list_bench_axes(const struct bench_desc *bench, char *to, size_t size) {
  const char *names[AXES_MAX];
  for (uint32_t a = 0; a < bench->axis_count; a++)
    names[a] = bench->axes[a].name;
  text_join(to, size, names, bench->axis_count);
  if (bench->axis_count == 0) text_copy(to, size, "none");
}

static bool same_axes(const struct bench_desc *a, const struct bench_desc *b) {
  bool same = a->axis_count == b->axis_count;
  for (uint32_t i = 0; same && i < a->axis_count; i++)
    same = strcmp(a->axes[i].name, b->axes[i].name) == 0 && a->axes[i].type == b->axes[i].type;
  return same;
}

int lineup_check_builds(const struct catalog *catalog, const struct lineup *lineup, struct err *err) {
  const struct catalog_plugin *first = &catalog->plugins[lineup->plugin];
  for (size_t v = 0; v < lineup->variant_count; v++) {
    const struct lineup_variant *variant = &lineup->variants[v];
    const struct catalog_plugin *build = &catalog->plugins[variant->plugin];
    if (!variant->seen || variant->desc->bench < 0 || build == first) continue;
    const struct bench_desc *other = lineup_bench_in(catalog, variant->plugin, lineup);
    if (other == NULL) continue;
    char theirs[TEXT_SIZE], ours[TEXT_SIZE];
    bool contract = strcmp(other->contract, lineup->desc->contract) != 0;
    if (!contract && same_axes(other, lineup->desc)) continue;
    list_bench_axes(lineup->desc, ours, sizeof ours);
    list_bench_axes(other, theirs, sizeof theirs);
    return err_set(err, EXIT_USAGE,
                   "%s: builds of one problem are compared, but %s of '%s' (%.250s) is %.128s, of '%s' (%.250s) %.128s",
                   lineup->id, contract ? "the contract" : "the list of axes", first->label, first->path,
                   contract ? lineup->desc->contract : ours, build->label, build->path,
                   contract ? other->contract : theirs);
  }
  return 0;
}

/* ---- Adding the guests of a bench and naming all variants ---- */

static bool belongs(const struct catalog *catalog, const struct variant_desc *variant, size_t plugin,
                    const struct lineup *lineup) {
  if (variant->bench < 0) return strcmp(variant->contract, lineup->desc->contract) == 0;
  return lineup_bench_in(catalog, plugin, lineup) == &catalog->plugins[plugin].benches[variant->bench];
}

static void add_lineup_variant(const struct catalog *catalog, struct lineup *lineup, size_t plugin, size_t variant,
                               const char *backend) {
  const struct variant_desc *desc = &catalog->plugins[plugin].variants[variant];
  lineup->variants = xrealloc(lineup->variants, lineup->variant_count + 1, sizeof *lineup->variants);
  struct lineup_variant *added = &lineup->variants[lineup->variant_count++];
  *added = (struct lineup_variant){.plugin = plugin, .variant = variant, .desc = desc};
  label_show(added->name, sizeof added->name, desc->name, catalog->plugins[plugin].label);
  added->here = strcmp(desc->backend, backend) == 0;
  lineup->here_count += added->here;
}

static void add_lineup_variants(const struct catalog *catalog, struct lineup *lineup, bool guests,
                                const char *backend) {
  for (size_t p = 0; p < catalog->count; p++) {
    const struct catalog_plugin *plugin = &catalog->plugins[p];
    for (size_t v = 0; v < plugin->desc.variant_count; v++) {
      const struct variant_desc *desc = &plugin->variants[v];
      if ((desc->bench < 0) == guests && belongs(catalog, desc, p, lineup))
        add_lineup_variant(catalog, lineup, p, v, backend);
    }
  }
}

static bool is_twin_in_lineup(const struct catalog *catalog, const struct lineup_variant *a,
                              const struct lineup_variant *b) {
  return lineup_same_plugin(catalog, a->plugin, b->plugin) && strcmp(a->desc->name, b->desc->name) == 0 &&
         strcmp(a->desc->backend, b->desc->backend) == 0;
}

/* Moves twins (the same variant in several builds) next to each other, because they are compared: flash@old, flash@new,
 * then the twins of the next variant. */
static void join_twins(const struct catalog *catalog, struct lineup *lineup) {
  size_t end = 1;
  for (size_t first = 0; first < lineup->variant_count; first = end++)
    for (size_t i = end; i < lineup->variant_count; i++) {
      if (!is_twin_in_lineup(catalog, &lineup->variants[first], &lineup->variants[i])) continue;
      const struct lineup_variant twin = lineup->variants[i];
      memmove(&lineup->variants[end + 1], &lineup->variants[end], (i - end) * sizeof twin);
      lineup->variants[end++] = twin;
    }
}

/* Changes the name of a guest (a variant from another plugin than its bench) to NAME@PROVIDER if another variant of the
 * same backend has the same name. That does not depend on the order in which plugins are loaded. A guest of a labelled
 * plugin already has the label in its name. */
static void name_guests(const struct catalog *catalog, struct lineup *lineup) {
  for (size_t i = 0; i < lineup->variant_count; i++) {
    struct lineup_variant *guest = &lineup->variants[i];
    if (guest->desc->bench >= 0 || catalog->plugins[guest->plugin].label[0] != '\0') continue;
    bool taken = false;
    for (size_t j = 0; j < lineup->variant_count; j++) {
      const struct variant_desc *other = lineup->variants[j].desc;
      if (j != i && strcmp(other->name, guest->desc->name) == 0 && strcmp(other->backend, guest->desc->backend) == 0)
        taken = true;
    }
    if (taken)
      snprintf(guest->name, sizeof guest->name, "%s@%s", guest->desc->name, catalog->plugins[guest->plugin].desc.id);
  }
}

static void append_lineup(const struct catalog *catalog, size_t plugin, size_t bench, const char *backend,
                          struct lineups *lineups) {
  struct lineup lineup = {.plugin = plugin, .bench = bench, .desc = &catalog->plugins[plugin].benches[bench]};
  snprintf(lineup.id, sizeof lineup.id, "%s/%s", catalog->plugins[plugin].desc.id, lineup.desc->name);
  add_lineup_variants(catalog, &lineup, false, backend);
  add_lineup_variants(catalog, &lineup, true, backend);
  join_twins(catalog, &lineup);
  name_guests(catalog, &lineup);
  lineups->items = xrealloc(lineups->items, lineups->count + 1, sizeof *lineups->items);
  lineups->items[lineups->count++] = lineup;
}

static int check_ids(const struct catalog *catalog, struct err *err) {
  for (size_t i = 0; i < catalog->count; i++)
    for (size_t j = 0; j < i; j++)
      if (lineup_same_plugin(catalog, i, j) &&
          (catalog->plugins[i].label[0] == '\0' || strcmp(catalog->plugins[i].label, catalog->plugins[j].label) == 0))
        return err_set(err, EXIT_USAGE, "two plugins are called '%s': %.500s and %.500s", catalog->plugins[i].desc.id,
                       catalog->plugins[j].path, catalog->plugins[i].path);
  return 0;
}

/* Refuses two variants that would be shown by the same name. That happens if a build has the label "new" and a plugin
 * called "new" brings a variant of the same name: both are shown as flash@new. */
static int check_names(const struct catalog *catalog, const struct lineup *lineup, struct err *err) {
  for (size_t i = 0; i < lineup->variant_count; i++)
    for (size_t j = 0; j < i; j++) {
      const struct lineup_variant *a = &lineup->variants[j], *b = &lineup->variants[i];
      if (strcmp(a->name, b->name) == 0 && strcmp(a->desc->backend, b->desc->backend) == 0)
        return err_set(err, EXIT_USAGE,
                       "%s: variants of %.300s and of %.300s are both shown as '%s': choose another label", lineup->id,
                       catalog->plugins[a->plugin].path, catalog->plugins[b->plugin].path, a->name);
    }
  return 0;
}

/* Returns true if an earlier build of the plugin has the bench. */
static bool is_in_earlier_build(const struct catalog *catalog, size_t plugin, size_t bench) {
  const struct bench_desc *own = &catalog->plugins[plugin].benches[bench];
  for (size_t p = 0; p < plugin; p++)
    for (size_t b = 0; lineup_same_plugin(catalog, p, plugin) && b < catalog->plugins[p].desc.bench_count; b++)
      if (strcmp(catalog->plugins[p].benches[b].name, own->name) == 0) return true;
  return false;
}

static void add_lineups(const struct catalog *catalog, const char *backend, struct lineups *lineups) {
  *lineups = (struct lineups){0};
  for (size_t p = 0; p < catalog->count; p++)
    for (size_t b = 0; b < catalog->plugins[p].desc.bench_count; b++)
      if (!is_in_earlier_build(catalog, p, b)) append_lineup(catalog, p, b, backend, lineups);
}

int lineups_build(const struct catalog *catalog, const char *backend, struct lineups *lineups, struct err *err) {
  const char *homeless;
  *lineups = (struct lineups){0};
  if (check_ids(catalog, err)) return -1;
  add_lineups(catalog, backend, lineups);
  int rc = guests_check(catalog, lineups, &homeless, err);
  for (size_t i = 0; rc == 0 && i < lineups->count; i++)
    rc = check_names(catalog, &lineups->items[i], err);
  if (rc != 0) lineups_free(lineups);
  return rc;
}

void lineups_all(const struct catalog *catalog, struct lineups *lineups) {
  add_lineups(catalog, "", lineups);
}

static bool has_part(const struct catalog_plugin *plugin, const char *backend) {
  for (size_t v = 0; v < plugin->desc.variant_count; v++)
    if (strcmp(plugin->variants[v].backend, backend) == 0) return true;
  return plugin->desc.variant_count == 0;
}

void plan_unsupported(const struct catalog *catalog, const char *backend, struct strings *lines) {
  for (size_t p = 0; p < catalog->count; p++) {
    const struct catalog_plugin *plugin = &catalog->plugins[p];
    char shown[2 * ID_SIZE], names[EXPR_SIZE], backends[TEXT_SIZE];
    SCOPED_STRINGS struct strings variants = {0}, others = {0};
    if (has_part(plugin, backend)) continue;
    for (size_t v = 0; v < plugin->desc.variant_count; v++) {
      /* each name is added only once, because it may occur for several benches */
      strings_add_once(&variants, plugin->variants[v].name);
      strings_add_once(&others, plugin->variants[v].backend);
    }
    text_join(names, sizeof names, (const char *const *)variants.items, variants.count);
    text_join(backends, sizeof backends, (const char *const *)others.items, others.count);
    label_show(shown, sizeof shown, plugin->desc.id, plugin->label);
    const bool one = variants.count == 1;
    SCOPED char *line = memory_print("plugin '%s' has no part on %s: its variant%s %s %s for %s", shown, backend,
                                     one ? "" : "s", names, one ? "is" : "are", backends);
    text_sanitize(line);
    strings_add(lines, line);
  }
}
