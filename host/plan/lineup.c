#include "plan/lineup.h"

#include <stdlib.h>
#include <string.h>

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

/* ---- Builds of one bench ---- */

static void list_axes(const struct bench_desc *bench, char *to, size_t size) {
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
    list_axes(lineup->desc, ours, sizeof ours);
    list_axes(other, theirs, sizeof theirs);
    return err_set(err, EXIT_USAGE,
                   "%s: builds of one problem are compared, but %s of '%s' (%.250s) is %.128s, of '%s' (%.250s) %.128s",
                   lineup->id, contract ? "the contract" : "the list of axes", first->label, first->path,
                   contract ? lineup->desc->contract : ours, build->label, build->path,
                   contract ? other->contract : theirs);
  }
  return 0;
}
