/* Plugins that are scripts: text, which a copy of the plugin for their language runs (gb.script/1). */
#ifndef PLUGIN_SCRIPT_H
#define PLUGIN_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "plugin/registry.h"

#define SCRIPT_ENDING ".py"

/* By its ending. */
bool script_is(const char *path);

/* Reads it into the plugin: what runs is what is hashed. */
int script_take(struct plugin *plugin, char sha256[65], struct err *err);

/* The shared object that runs it, which lies beside this worker's own. */
int script_library(char *path, size_t size, struct err *err);

/* The plugin's id, of the file's name. */
int script_name(const char *path, char id[ID_SIZE], struct err *err);

#endif
