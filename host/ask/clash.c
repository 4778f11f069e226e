#include "ask/clash.h"

#include <string.h>

#include "plugin/brought.h"
#include "plugin/script.h"

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

int clash_check(const struct catalog *catalog, size_t index, bool isolated, struct err *err) {
  const struct catalog_plugin *plugin = &catalog->plugins[index];
  struct brought own = {0};
  int rc = 0;
  /* modules of scripts are kept apart when they are imported; a plugin with a stamp brings no libraries of its own */
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
