/* What the plugins of a run are set to: `--option PLUGIN.NAME=VALUE` and the key `option` of suites, held against what
 * the plugins declare. Pure. */
#ifndef PLAN_BIND_SETTINGS_H
#define PLAN_BIND_SETTINGS_H

#include "base/err.h"
#include "model/model.h"
#include "options/selection.h"

/* Sets what the selections give, the command line last. A run has one value of each: exit 2 where two suites disagree,
 * where no plugin has such an option, and where a value does not fit. */
int settings_take(struct catalog *catalog, const struct selection *suites, size_t count, const struct selection *cli,
                  struct err *err);

/* "data_pipeline.threads": the plugin's id and the option's name. */
enum { SETTING_NAME_SIZE = 2 * ID_SIZE + 1 };
void settings_name(const struct catalog_plugin *plugin, const struct setting_desc *desc, char *to, size_t size);

void settings_free(struct catalog_plugin *plugin);

#endif
