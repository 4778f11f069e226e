/* Binds settings of plugins: checks `--option PLUGIN.NAME=VALUE` and the key `option` of suites against what the
 * plugins declare. No I/O. */
#pragma once

#include "base/err.h"
#include "model/model.h"
#include "options/selection.h"

/* Sets the values that the selections give; values of the command line replace those of suites. An option has one value
 * in a run: fails with exit code 2 if two suites disagree, if no plugin has the option, or if a value is not of the
 * kind that the plugin declares. */
int settings_take(struct catalog *catalog, const struct selection *suites, size_t count, const struct selection *cli,
                  struct err *err);

/* Writes "data_pipeline.threads": the plugin's id and the option's name. */
enum { SETTING_NAME_SIZE = 2 * ID_SIZE + 1 };
void settings_name(const struct catalog_plugin *plugin, const struct setting_desc *desc, char *to, size_t size);

void settings_free(struct catalog_plugin *plugin);
