/* gb.option/2: declared in `open`, and what they are set to in this run. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case/calls.h"
#include "case/services/optional.h"
#include "case/services/services.h"
#include "model/axis.h"
#include "plugin/abi.h"

static struct plugin *plugin_of(const gb_host *host) {
  return (struct plugin *)(uintptr_t)host;
}

static struct setting *find(const struct plugin *plugin, const char *name) {
  for (size_t i = 0; i < plugin->setting_count; i++)
    if (name != NULL && strcmp(plugin->settings[i]->desc.name, name) == 0) return plugin->settings[i];
  return NULL;
}

/* ---- Declaring ---- */

static void add(struct plugin *plugin, struct setting *setting, struct err *err) {
  if (find(plugin, setting->desc.name) != NULL) {
    err_set(err, EXIT_FAILED, "two options are named '%s'", setting->desc.name);
  } else if (plugin->setting_count == SETTINGS_MAX) {
    err_set(err, EXIT_FAILED, "option '%s' is one more than %d", setting->desc.name, SETTINGS_MAX);
  } else {
    setting_parse(&setting->desc, setting->desc.value, "its default", &setting->value, err);
    plugin->settings = xrealloc(plugin->settings, plugin->setting_count + 1, sizeof *plugin->settings);
    plugin->settings[plugin->setting_count++] = setting;
  }
}

static gb_status option_declare(const gb_host *host, gb_registry *registry, const gb_option *theirs) {
  struct plugin *plugin = plugin_of(host);
  if (plugin == NULL) return GB_EINVAL;
  if (plugin->opening == NULL || plugin->opening != registry) { /* nobody is there to be failed by it */
    if (services_log != NULL) services_log(plugin->desc.id, GB_LOG_WARNING, "gb.option/2 declare is for open: ignored");
    return GB_EINVAL;
  }
  if (registry->err.exit_code != 0) return GB_EINVAL;
  struct setting *setting = xcalloc(1, sizeof *setting);
  if (theirs == NULL)
    err_set(&registry->err, EXIT_FAILED, "gb.option/2 declare: option is NULL");
  else if (abi_option(theirs, &setting->desc, &registry->err) == 0)
    add(plugin, setting, &registry->err);
  if (registry->err.exit_code == 0) return GB_OK;
  if (find(plugin, setting->desc.name) != setting) free(setting);
  return GB_EINVAL;
}

/* ---- Asking ---- */

static const struct setting_value *value_of(gb_case *c, const char *name, uint32_t type) {
  const struct setting *setting = find(case_caller(c), name);
  char shown[ID_SIZE];
  text_copy(shown, sizeof shown, name);
  text_sanitize(shown);
  if (setting == NULL)
    case_misuse(c, "gb.option/2: '%s' was not declared in open", shown);
  else if (setting->desc.type != type)
    case_misuse(c, "option '%s' is %s, asked for as %s", shown, axis_type_name(setting->desc.type),
                axis_type_name(type));
  else
    return &setting->value;
  return NULL;
}

static int64_t option_i64(gb_case *c, const char *name) {
  if (!case_is(c, "gb.option/2 i64")) return 0;
  const struct setting_value *value = value_of(c, name, GB_I64);
  return value != NULL ? value->i64 : 0;
}

static double option_f64(gb_case *c, const char *name) {
  if (!case_is(c, "gb.option/2 f64")) return 0;
  const struct setting_value *value = value_of(c, name, GB_F64);
  return value != NULL ? value->f64 : 0;
}

static const char *option_str(gb_case *c, const char *name) {
  if (!case_is(c, "gb.option/2 str")) return "";
  const struct setting_value *value = value_of(c, name, GB_STR);
  return value != NULL ? value->text : "";
}

const gb_option_ext services_option = {
    .struct_size = sizeof(gb_option_ext),
    .declare = option_declare,
    .i64 = option_i64,
    .f64 = option_f64,
    .str = option_str,
};
