/* gb.script/1: the script that a copy of a plugin was loaded for. */
#include "case/services/script.h"

#include "case/calls.h"

static const struct plugin *plugin_of(const gb_host *host) {
  return (const struct plugin *)host;
}

static const char *script_path(const gb_host *host) {
  const struct plugin *plugin = plugin_of(host);
  return plugin != NULL && plugin->script != NULL ? plugin->path : NULL;
}

static const char *script_text(const gb_host *host, uint64_t *bytes) {
  const struct plugin *plugin = plugin_of(host);
  const char *text = plugin != NULL ? plugin->script : NULL;
  if (bytes != NULL) *bytes = text != NULL ? plugin->script_bytes : 0;
  return text;
}

static const char *script_axis(gb_case *c, uint32_t index, uint32_t *type) {
  if (!case_is(c, "gb.script/1 axis")) return NULL;
  if (index >= c->point.count) return NULL;
  if (type != NULL) *type = c->point.values[index].type;
  return c->point.values[index].name;
}

const gb_script_ext services_script = {
    .struct_size = sizeof(gb_script_ext), .path = script_path, .text = script_text, .axis = script_axis};
