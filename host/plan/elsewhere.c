#include "plan/elsewhere.h"

#include <string.h>

#include "base/memory.h"
#include "model/build_label.h"

static bool has_part(const struct catalog_plugin *plugin, const char *backend) {
  for (size_t v = 0; v < plugin->desc.variant_count; v++)
    if (strcmp(plugin->variants[v].backend, backend) == 0) return true;
  return plugin->desc.variant_count == 0;
}

void plan_elsewhere(const struct catalog *catalog, const char *backend, struct strings *lines) {
  for (size_t p = 0; p < catalog->count; p++) {
    const struct catalog_plugin *plugin = &catalog->plugins[p];
    char shown[2 * ID_SIZE], names[EXPR_SIZE], backends[TEXT_SIZE];
    SCOPED_STRINGS struct strings variants = {0}, others = {0};
    if (has_part(plugin, backend)) continue;
    for (size_t v = 0; v < plugin->desc.variant_count; v++) {
      /* added once, because a name may occur for several benches */
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
