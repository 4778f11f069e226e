#include "plan/elsewhere.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/build_label.h"

/* Names each once, for a plugin may have the same variant for several benches. */
static size_t list_names(const struct catalog_plugin *plugin, size_t offset, char *to, size_t size) {
  const char **names = xcalloc(plugin->desc.variant_count, sizeof *names);
  size_t count = 0;
  for (size_t v = 0; v < plugin->desc.variant_count; v++) {
    const char *name = (const char *)&plugin->variants[v] + offset;
    bool known = false;
    for (size_t n = 0; n < count; n++)
      known = known || strcmp(names[n], name) == 0;
    if (!known) names[count++] = name;
  }
  text_join(to, size, names, count);
  free(names);
  return count;
}

static bool has_part(const struct catalog_plugin *plugin, const char *backend) {
  for (size_t v = 0; v < plugin->desc.variant_count; v++)
    if (strcmp(plugin->variants[v].backend, backend) == 0) return true;
  return plugin->desc.variant_count == 0;
}

void plan_elsewhere(const struct catalog *catalog, const char *backend, struct strings *lines) {
  for (size_t p = 0; p < catalog->count; p++) {
    const struct catalog_plugin *plugin = &catalog->plugins[p];
    char shown[2 * ID_SIZE], names[EXPR_SIZE], backends[TEXT_SIZE];
    if (has_part(plugin, backend)) continue;
    label_show(shown, sizeof shown, plugin->desc.id, plugin->label);
    const bool one = list_names(plugin, offsetof(struct variant_desc, name), names, sizeof names) == 1;
    list_names(plugin, offsetof(struct variant_desc, backend), backends, sizeof backends);
    char *line = memory_print("plugin '%s' has no part on %s: its variant%s %s %s for %s", shown, backend,
                              one ? "" : "s", names, one ? "is" : "are", backends);
    text_sanitize(line);
    strings_add(lines, line);
    free(line);
  }
}
