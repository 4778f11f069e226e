/* Puts guests beside the owners' variants and gives every variant the name it is shown by. */
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool belongs(const struct variant_desc *variant, size_t plugin, const struct view *view) {
  if (variant->bench >= 0) return plugin == view->plugin && (size_t)variant->bench == view->bench;
  return strcmp(variant->contract, view->desc->contract) == 0;
}

static void add_variant(struct view *view, const struct variant_desc *desc, size_t plugin, size_t variant,
                        const char *backend) {
  view->variants = xrealloc(view->variants, view->variant_count + 1, sizeof *view->variants);
  struct view_variant *added = &view->variants[view->variant_count++];
  *added = (struct view_variant){.plugin = plugin, .variant = variant, .desc = desc};
  text_copy(added->name, sizeof added->name, desc->name);
  added->here = strcmp(desc->backend, backend) == 0;
  view->here_count += added->here;
}

static void add_variants(const struct catalog *catalog, struct view *view, bool guests, const char *backend) {
  for (size_t p = 0; p < catalog->count; p++) {
    const struct catalog_plugin *plugin = &catalog->plugins[p];
    for (size_t v = 0; v < plugin->desc.variant_count; v++) {
      const struct variant_desc *desc = &plugin->variants[v];
      if ((desc->bench < 0) == guests && belongs(desc, p, view)) add_variant(view, desc, p, v, backend);
    }
  }
}

/* A guest's name that another variant of its backend has too becomes NAME@PROVIDER, in whatever order plugins load. */
static void name_guests(const struct catalog *catalog, struct view *view) {
  for (size_t i = 0; i < view->variant_count; i++) {
    struct view_variant *guest = &view->variants[i];
    if (guest->desc->bench >= 0) continue;
    bool taken = false;
    for (size_t j = 0; j < view->variant_count; j++) {
      const struct variant_desc *other = view->variants[j].desc;
      if (j != i && strcmp(other->name, guest->desc->name) == 0 && strcmp(other->backend, guest->desc->backend) == 0)
        taken = true;
    }
    if (taken)
      snprintf(guest->name, sizeof guest->name, "%s@%s", guest->desc->name, catalog->plugins[guest->plugin].desc.id);
  }
}

static void add_view(const struct catalog *catalog, size_t plugin, size_t bench, const char *backend,
                     struct views *views) {
  struct view view = {.plugin = plugin, .bench = bench, .desc = &catalog->plugins[plugin].benches[bench]};
  snprintf(view.id, sizeof view.id, "%s/%s", catalog->plugins[plugin].desc.id, view.desc->name);
  add_variants(catalog, &view, false, backend);
  add_variants(catalog, &view, true, backend);
  name_guests(catalog, &view);
  views->items = xrealloc(views->items, views->count + 1, sizeof *views->items);
  views->items[views->count++] = view;
}

static int homeless(const struct views *views, const char *plugin, const char *contract, struct err *err) {
  const char **contracts = xcalloc(views->count, sizeof *contracts);
  for (size_t i = 0; i < views->count; i++)
    contracts[i] = views->items[i].desc->contract;
  const char *nearest = text_nearest(contract, contracts, views->count);
  char near[TEXT_SIZE + ID_SIZE * 3] = "", all[512];
  for (size_t i = 0; nearest != NULL && i < views->count && near[0] == '\0'; i++)
    if (contracts[i] == nearest) snprintf(near, sizeof near, "%s is '%s'", views->items[i].id, nearest);
  text_join(all, sizeof all, contracts, views->count);
  free(contracts);
  return err_set(err, EXIT_USAGE, "plugin '%s' attaches to '%s', which no plugin here offers; %s%s", plugin, contract,
                 nearest != NULL    ? near
                 : views->count > 0 ? "there are "
                                    : "there are no benches",
                 nearest != NULL ? "" : all);
}

static int check_guests(const struct catalog *catalog, const struct views *views, struct err *err) {
  for (size_t p = 0; p < catalog->count; p++) {
    const struct catalog_plugin *plugin = &catalog->plugins[p];
    for (size_t v = 0; v < plugin->desc.variant_count; v++) {
      bool found = plugin->variants[v].bench >= 0;
      for (size_t i = 0; i < views->count && !found; i++)
        found = strcmp(views->items[i].desc->contract, plugin->variants[v].contract) == 0;
      if (!found) return homeless(views, plugin->desc.id, plugin->variants[v].contract, err);
    }
  }
  return 0;
}

static int check_ids(const struct catalog *catalog, struct err *err) {
  for (size_t i = 0; i < catalog->count; i++)
    for (size_t j = 0; j < i; j++)
      if (strcmp(catalog->plugins[i].desc.id, catalog->plugins[j].desc.id) == 0)
        return err_set(err, EXIT_USAGE, "two plugins are called '%s': %.500s and %.500s", catalog->plugins[i].desc.id,
                       catalog->plugins[j].path, catalog->plugins[i].path);
  return 0;
}

static void add_views(const struct catalog *catalog, const char *backend, struct views *views) {
  *views = (struct views){0};
  for (size_t p = 0; p < catalog->count; p++)
    for (size_t b = 0; b < catalog->plugins[p].desc.bench_count; b++)
      add_view(catalog, p, b, backend, views);
}

int views_build(const struct catalog *catalog, const char *backend, struct views *views, struct err *err) {
  *views = (struct views){0};
  if (check_ids(catalog, err)) return -1;
  add_views(catalog, backend, views);
  if (check_guests(catalog, views, err) == 0) return 0;
  views_free(views);
  return -1;
}

void views_all(const struct catalog *catalog, struct views *views) {
  add_views(catalog, "", views);
}

void views_free(struct views *views) {
  for (size_t i = 0; i < views->count; i++)
    free(views->items[i].variants);
  free(views->items);
  *views = (struct views){0};
}
