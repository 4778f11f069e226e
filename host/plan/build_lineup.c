/* Puts guests beside the owners' variants and gives every variant the name it is shown by. */
#include "plan/build_lineup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/build_label.h"
#include "plan/guests.h"

static bool belongs(const struct catalog *catalog, const struct variant_desc *variant, size_t plugin,
                    const struct lineup *lineup) {
  if (variant->bench < 0) return strcmp(variant->contract, lineup->desc->contract) == 0;
  return lineup_bench_in(catalog, plugin, lineup) == &catalog->plugins[plugin].benches[variant->bench];
}

static void add_variant(const struct catalog *catalog, struct lineup *lineup, size_t plugin, size_t variant,
                        const char *backend) {
  const struct variant_desc *desc = &catalog->plugins[plugin].variants[variant];
  lineup->variants = xrealloc(lineup->variants, lineup->variant_count + 1, sizeof *lineup->variants);
  struct lineup_variant *added = &lineup->variants[lineup->variant_count++];
  *added = (struct lineup_variant){.plugin = plugin, .variant = variant, .desc = desc};
  label_show(added->name, sizeof added->name, desc->name, catalog->plugins[plugin].label);
  added->here = strcmp(desc->backend, backend) == 0;
  lineup->here_count += added->here;
}

static void add_variants(const struct catalog *catalog, struct lineup *lineup, bool guests, const char *backend) {
  for (size_t p = 0; p < catalog->count; p++) {
    const struct catalog_plugin *plugin = &catalog->plugins[p];
    for (size_t v = 0; v < plugin->desc.variant_count; v++) {
      const struct variant_desc *desc = &plugin->variants[v];
      if ((desc->bench < 0) == guests && belongs(catalog, desc, p, lineup)) add_variant(catalog, lineup, p, v, backend);
    }
  }
}

static bool is_twin(const struct catalog *catalog, const struct lineup_variant *a, const struct lineup_variant *b) {
  return lineup_same_plugin(catalog, a->plugin, b->plugin) && strcmp(a->desc->name, b->desc->name) == 0 &&
         strcmp(a->desc->backend, b->desc->backend) == 0;
}

/* What is compared stands together: flash@old, flash@new, then the next variant's. */
static void join_twins(const struct catalog *catalog, struct lineup *lineup) {
  size_t end = 1;
  for (size_t first = 0; first < lineup->variant_count; first = end++)
    for (size_t i = end; i < lineup->variant_count; i++) {
      if (!is_twin(catalog, &lineup->variants[first], &lineup->variants[i])) continue;
      const struct lineup_variant twin = lineup->variants[i];
      memmove(&lineup->variants[end + 1], &lineup->variants[end], (i - end) * sizeof twin);
      lineup->variants[end++] = twin;
    }
}

/* A guest's name that another variant of its backend has too becomes NAME@PROVIDER, in whatever order plugins load.
 * Where the guest's plugin has a label, that is behind its name already. */
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

static void add_lineup(const struct catalog *catalog, size_t plugin, size_t bench, const char *backend,
                       struct lineups *lineups) {
  struct lineup lineup = {.plugin = plugin, .bench = bench, .desc = &catalog->plugins[plugin].benches[bench]};
  snprintf(lineup.id, sizeof lineup.id, "%s/%s", catalog->plugins[plugin].desc.id, lineup.desc->name);
  add_variants(catalog, &lineup, false, backend);
  add_variants(catalog, &lineup, true, backend);
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

/* A label may read like a guest's provider: flash@new. */
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

/* Builds of a plugin share the benches of the first that has them. */
static bool is_shared(const struct catalog *catalog, size_t plugin, size_t bench) {
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
      if (!is_shared(catalog, p, b)) add_lineup(catalog, p, b, backend, lineups);
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
